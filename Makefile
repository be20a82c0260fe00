# A thin front of the CMake presets; CMAKE_ARGS reaches every configure, e.g. make CMAKE_ARGS=-DSUBGAME_FFTW=OFF
JOBS ?= $(shell nproc)
CMAKE_ARGS ?=

# Not handed down to the make that cmake may run: it gets its own -j and is no sub-make of ours.
unexport MAKEFLAGS MFLAGS
.NOTPARALLEL:
.PHONY: all emu deps demo check lint slow debug asan tsan clean help

configure = cmake --preset $(1) $(CMAKE_ARGS) --log-level=NOTICE
build = env -u MAKELEVEL cmake --build --preset $(1) --parallel $(JOBS)
test = ctest --preset $(1) --parallel $(JOBS)

all: ## build library and command, the CUDA module and the emulated device where they can be (the default)
	$(call configure,release)
	$(call build,release) --target products

emu: ## build the command with an emulated device, build/emu/subgame-gpu
	@scripts/install_deps.sh build emulate
	$(call configure,release)
	$(call build,release) --target emu

deps: ## install what building needs (Debian, Ubuntu)
	@scripts/install_deps.sh build

demo: deps all ## install, build, and solve a first game
	build/subgame-gpu --nim -n 2^20

check: ## install, build, run the quick tests, lint
	@scripts/install_deps.sh build check emulate
	$(call configure,release)
	$(call build,release)
	scripts/lint.sh build
	$(call test,release)

lint: ## format check and clang-tidy
	@scripts/install_deps.sh build check emulate
	$(call configure,release)
	scripts/lint.sh build

slow: ## the tests that take minutes
	@scripts/install_deps.sh build check emulate
	$(call configure,release)
	$(call build,release)
	ctest --test-dir build --label-regex slow --output-on-failure --parallel $(JOBS)

debug: ## quick tests of the build with assertions
	@scripts/install_deps.sh build check emulate
	$(call configure,debug)
	$(call build,debug)
	$(call test,debug)

asan: ## quick tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/install_deps.sh build check emulate
	$(call configure,asan)
	$(call build,asan)
	$(call test,asan)

tsan: ## tests with threads, or with an emulated device, under ThreadSanitizer
	@scripts/install_deps.sh build check emulate sanitize
	$(call configure,tsan)
	$(call build,tsan)
	$(call test,tsan)

clean: ## remove the build directories
	cmake -E rm -rf build build-debug build-asan build-tsan build-nofftw build-shared build-device

help: ## this list
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1\t\2/p' Makefile | expand -t 16

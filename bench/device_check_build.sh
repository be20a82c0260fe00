# device_check_build.sh: how device_check.sh builds; it is a part of that script and uses its functions.
# shellcheck shell=bash disable=SC2034,SC2154

# CMake's arguments for the dependencies under the prefix: folders by name, since on a system that is not Debian the compiler does
# not know Debian's. What was built must find the shared libraries there as well.
dependencies=()
use_prefix() {
    local usr=$prefix/usr places=() includes=()
    [[ -d $usr ]] || usr=$prefix
    for place in "$usr"/lib/*-linux-gnu "$usr"/lib64 "$usr"/lib; do
        [[ -d $place ]] && places+=("$place")
    done
    for place in "$usr"/include/*-linux-gnu "$usr"/include; do
        [[ -d $place ]] && includes+=("$place")
    done
    local IFS=';' libraries
    dependencies=("-DCMAKE_PREFIX_PATH=$build/googletest;$usr" "-DCMAKE_LIBRARY_PATH=${places[*]}"
        "-DCMAKE_INCLUDE_PATH=${includes[*]}")
    IFS=: libraries=${places[*]}
    export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    googletest=$usr/src/googletest
}

build_googletest() {
    local arguments=(-S "$googletest" -B "$build/googletest/build" "${generator[@]}" "-DCMAKE_INSTALL_PREFIX=$build/googletest"
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17 -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DBUILD_GMOCK=OFF)
    build_step "GoogleTest" cmake "${arguments[@]}" &&
        build_step "GoogleTest" cmake --build "$build/googletest/build" --target install --parallel "$(nproc)"
}

# A toolkit may come without cuFFT, when Python's packages brought that: then it is taken from there.
use_cufft_of_python() {
    local nvcc toolkit found
    nvcc=$(find_tool nvcc) || return
    toolkit=$(dirname "$(dirname "$(realpath "$nvcc")")")
    if [[ -n $(find -L "$toolkit" /usr/lib -maxdepth 5 -name libcufft.so -print -quit 2>/dev/null) ]]; then
        return
    fi
    found=$(python3 -c '
import glob, sys
for folder in sys.path:
    for library in sorted(glob.glob(folder + "/nvidia/*/lib/libcufft.so.*")):
        print(library)' | head -1)
    if [[ -n $found ]]; then
        dependencies+=("-DCUDA_cufft_LIBRARY=$found")
        export CPATH=${found%/lib/*}/include${CPATH:+:$CPATH}
        export LD_LIBRARY_PATH=${found%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        fact cuFFT "$found"
    fi
}

# Of the devices that are there, by nvidia-smi or what nvcc brings; when both see none, the least that is supported: code from
# which later devices compile by themselves.
device_architectures() {
    local found
    found=$(query_gpu compute_cap | tr -d '. ' | grep -E '^[0-9]+$')
    [[ -n $found ]] || found=$("$(find_tool __nvcc_device_query)" 2>/dev/null | tr ', ' '\n' | grep -E '^[0-9]+$')
    if [[ -n $found ]]; then
        sort -u <<<"$found" | sed 's/$/-real/' | paste -sd ';'
    else
        echo 80
    fi
}

build_step() { # NAME COMMAND...: a step of the build; when it fails, the stage ends
    local name=$1 status errors='/CMake Error|[Ee]rror:|FAILED:/ { found = 1 } found && NF && ++lines <= 3'
    shift
    run_for $((stage_end - SECONDS)) "$out/build.log" "$@"
    status=$?
    if out_of_time $status; then
        end failed "$name: out of time, see build.log"
    elif ((status != 0)); then
        end failed "$name: $(awk "$errors" "$out/build.log"), see build.log"
    fi
    return $status
}

# Sets `built` when there is a command to go on with: programs of tests that do not build are no reason to measure nothing.
built=
build_all() {
    local stage_end=$((SECONDS + $(left "$build_share"))) architectures='' googletest=''
    local generator=() arguments=() targets=(products) tests=(all)
    begin build
    [[ -z $prefix ]] || use_prefix
    if [[ -n $prebuilt ]]; then
        built=yes
        end skipped "$build as it is"
        return
    fi
    if command -v ninja >/dev/null && [[ ! -e $build/CMakeCache.txt ]]; then
        generator=(-G Ninja)
    fi
    if [[ -n $emulated ]]; then
        targets=(emu) tests=(test_operators_emulated)
        arguments+=(-DSUBGAME_CUDA=OFF -DSUBGAME_EMULATION=ON)
    else
        architectures=$(device_architectures)
        arguments+=(-DSUBGAME_CUDA=ON -DSUBGAME_EMULATION=OFF "-DCMAKE_CUDA_ARCHITECTURES=$architectures")
        use_cufft_of_python
    fi
    if [[ -d $googletest ]]; then
        build_googletest || return
    fi
    arguments+=(-DCMAKE_BUILD_TYPE=Release -DSUBGAME_BENCH=OFF "${dependencies[@]}")
    build_step configuration cmake -S "$source" -B "$build" "${generator[@]}" "${arguments[@]}" || return
    build_step compilation cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}" || return
    built=yes
    build_step "compilation of the tests" cmake --build "$build" --parallel "$(nproc)" --target "${tests[@]}" || return
    end ok "for ${architectures:-the emulated device}"
}

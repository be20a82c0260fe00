# Sanitizer flags for everything below, and SUBGAME_TEST_ENVIRONMENT for the tests that run under them.
#
# ThreadSanitizer needs to understand the barriers of the OpenMP runtime. gcc's libgomp synchronises by futex, unseen by the
# sanitizer, so every correct parallel loop is reported as a race. LLVM's libomp tells its tool interface about each fork, join,
# barrier, lock and task, and its tool libarcher passes that on to ThreadSanitizer; libomp loads it by itself when the program
# is instrumented. Hence clang. The runtime itself is not instrumented: ignore_noninstrumented_modules silences reports from it.
# tests/sanitizer proves on each run that a planted race is found and that correct loops are silent (they are not without archer).

# Idle OpenMP threads that spin make short parallel loops crawl while other tests run beside them.
set(SUBGAME_TEST_ENVIRONMENT "OMP_WAIT_POLICY=passive")
if(SUBGAME_SANITIZE STREQUAL "address")
    set(sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(SUBGAME_SANITIZE STREQUAL "thread")
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "SUBGAME_SANITIZE=thread needs clang and libomp (Debian: clang, libomp-dev), since "
                            "ThreadSanitizer misreads gcc's OpenMP runtime. Use the tsan preset.")
    endif()
    set(sanitizer_flags -fsanitize=thread -fno-omit-frame-pointer)
    set(SUBGAME_TEST_ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
elseif(SUBGAME_SANITIZE)
    message(FATAL_ERROR "SUBGAME_SANITIZE=${SUBGAME_SANITIZE}: expected address, thread or nothing")
endif()
if(SUBGAME_SANITIZE)
    add_compile_options(${sanitizer_flags})
    add_link_options(${sanitizer_flags})
endif()

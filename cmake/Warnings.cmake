# subgame_warnings: the warnings our own C and C++ is compiled with (for nvcc see cuda/CMakeLists.txt). An interface target, linked
# privately.
#
# -Wno-sign-conversion: mixing size_t indices with signed loop variables is everywhere in C and seldom a fault; the narrowing
# that does lose values (2^64 sizes into int) is what -Wconversion stays on for.

add_library(subgame_warnings INTERFACE)
set(common_warnings -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wformat=2 -Wpointer-arith -Wwrite-strings)
set(c_warnings
    -Wconversion
    -Wno-sign-conversion
    -Wstrict-prototypes
    -Wmissing-prototypes
    -Wold-style-definition
    -Wimplicit-fallthrough)
target_compile_options(
    subgame_warnings
    INTERFACE "$<$<COMPILE_LANGUAGE:C,CXX>:${common_warnings}>" "$<$<COMPILE_LANGUAGE:C>:${c_warnings}>"
              $<$<AND:$<BOOL:${SUBGAME_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)

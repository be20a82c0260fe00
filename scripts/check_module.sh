#!/bin/bash
# check_module.sh MODULE
#
# The CUDA module must export its one entry and nothing else, hold the CUDA runtime itself, and need neither libsubgame nor FFTW
# (which is GPL).
set -euo pipefail
module=$1
status=0
exported=$(nm -D --defined-only "$module" | awk '{ print $3 }' | sort -u)
if [[ $exported != sg_cuda_operators ]]; then
    printf 'exported instead of sg_cuda_operators alone:\n%s\n' "$exported"
    status=1
fi
needed=$(readelf -d "$module" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
if ! grep -q '^libcufft\.' <<<"$needed" || grep -E '^lib(subgame|fftw|cudart|gmp|xxhash)' <<<"$needed"; then
    printf 'not the libraries that a module needs:\n%s\n' "$needed"
    status=1
fi
if ((status == 0)); then
    echo "exports $exported; needs" $needed
fi
exit $status

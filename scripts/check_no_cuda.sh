#!/bin/bash
# check_no_cuda.sh FILE...
#
# The command and the library start where CUDA is not installed: no library of CUDA is linked to them. Nor is FFTW, which is GPL.
set -euo pipefail
status=0
for file in "$@"; do
    if readelf -d "$file" | grep -E 'NEEDED.*lib(cu(da|fft)|nv|fftw)'; then
        echo "$file needs these"
        status=1
    fi
done
exit $status

#!/bin/bash
# record_ptxas.sh DIRECTORY NVCC ARGUMENT...
#
# A compiler launcher (CMake's CUDA_COMPILER_LAUNCHER): runs nvcc and keeps what its ptxas reports of the kernels (-Xptxas=-v) as
# DIRECTORY/SOURCE.txt, for kernel_resources.sh. Everything else that nvcc says is passed on.
set -uo pipefail
directory=$1
shift

object=
for ((i = 1; i < $#; i++)); do
    [[ ${!i} == -o ]] && next=$((i + 1)) && object=${!next}
done
if [[ $object != *.o ]]; then
    exec "$@" # not a compilation
fi
mkdir -p "$directory"
record=$directory/$(basename "$object" .o).txt
said=$(mktemp "$record.XXXXXX")
trap 'rm -f "$said"' EXIT
rm -f "$record"

"$@" 2>"$said"
status=$?
reports='^ptxas info |^ +[0-9]+ bytes stack frame,'
grep -vE "$reports" "$said" >&2
if ((status == 0)); then
    grep -E "$reports" "$said" >"$record"
fi
exit $status

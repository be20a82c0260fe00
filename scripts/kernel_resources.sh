#!/bin/bash
# kernel_resources.sh BUILD_DIRECTORY
#
# The table of what each kernel takes on each architecture, from what ptxas said when the CUDA module was built
# (record_ptxas.sh): registers; bytes of shared memory, of stack frame, of spilled registers stored and loaded. Local memory is the
# stack frame. Kernels of Thrust and CUB are only counted. Fails when a kernel of ours spills or has a stack frame, and when
# anything is missing: the record of a file, every kernel, an architecture that was asked for.
set -euo pipefail
resources=$1/cuda/resources
if [[ ! -r $resources/expected ]]; then
    echo "$resources: no records: was the CUDA module built here?" >&2
    exit 1
fi

records=() status=0
while read -r name; do
    if [[ -s $resources/$name.txt ]]; then
        records+=("$resources/$name.txt")
    else
        echo "$name: no record, was it compiled?"
        status=1
    fi
done < <(sed -n 's/^source //p' "$resources/expected")

# c++filt demangles the names within the records. A line "entry ARCHITECTURE NAME" then begins each kernel; the functions that it
# calls may follow, each with a frame of its own, and a line with the registers ends it.
cat "${records[@]}" </dev/null | c++filt |
    sed -E "s/^ptxas info *: Compiling entry function '(.*)' for '(.*)'/entry \2 \1/; s/\(anonymous namespace\):://g" |
    awk -v architectures="$(sed -n 's/^architecture //p' "$resources/expected" | tr '\n' ' ')" '

function without_arguments(name,    i, depth, letter) {
    for (i = length(name); i > 0; i--) {
        letter = substr(name, i, 1)
        depth += (letter == ")") - (letter == "(")
        if (letter == "(" && depth == 0)
            return substr(name, 1, i - 1)
    }
    return name
}
function keep_greatest(table, at, value) {
    if (value + 0 > table[at] + 0)
        table[at] = value + 0
}

/^entry / {
    architecture = $2
    sub(/^entry [^ ]+ (void )?/, "")
    is_library = /^(cub|thrust|cuda)::/
    kernel = without_arguments($0)
    at = kernel SUBSEP architecture
}
/ bytes stack frame, / {
    keep_greatest(stack, at, $1)
    stores[at] += $5
    loads[at] += $9
}
/: Used [0-9]+ registers/ {
    for (i = 2; i < NF; i++) {
        if ($i ~ /^registers/)
            keep_greatest(registers, at, $(i - 1))
        if ($i == "bytes" && $(i + 1) ~ /^smem/)
            keep_greatest(shared, at, $(i - 1))
        if ($i == "bytes" && $(i + 1) ~ /^(lmem|cumulative)/)
            keep_greatest(stack, at, $(i - 1))
    }
    if (is_library) {
        library_kernels++
        library_faults += stack[at] + stores[at] + loads[at] > 0
    } else {
        kernels[kernel]
        seen[architecture]
    }
}

END {
    count = split(architectures, wanted, " ")
    if (count == 0) # asked for by a name such as native
        for (architecture in seen)
            wanted[++count] = architecture
    printf "%-42s %-8s%9s%8s%8s%8s%8s\n", "kernel", "", "registers", "shared", "stack", "stores", "loads"
    fflush()
    sorted = "LC_ALL=C sort -k1,1 -k2,2V"
    for (kernel in kernels) {
        found++
        for (i = 1; i <= count; i++) {
            at = kernel SUBSEP wanted[i]
            if (!(at in registers)) {
                faults = faults kernel ": not compiled for " wanted[i] "\n"
                continue
            }
            line = sprintf("%-8s%9d%8d%8d%8d%8d", wanted[i], registers[at], shared[at], stack[at], stores[at], loads[at])
            name = kernel
            gsub(/ /, "", name)
            printf "%-42s %s\n", name, line | sorted
            if (stack[at] + stores[at] + loads[at] > 0)
                faults = faults kernel ": a stack frame or spilled registers on " wanted[i] "\n"
        }
    }
    close(sorted)
    printf "Thrust and CUB: %d kernels, %d of them with a stack frame or spills\n", library_kernels, library_faults
    for (i = 1; i <= count; i++)
        if (!(wanted[i] in seen))
            faults = faults "no kernel was compiled for " wanted[i] "\n"
    if (found == 0)
        faults = faults "no kernel of ours was found\n"
    printf "%s", faults
    exit faults != ""
}' || status=1
exit $status

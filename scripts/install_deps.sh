#!/bin/bash
# install_deps.sh build|check|sanitize...
#
# Makes sure that the packages for building, checking and the sanitizer builds are there, on Debian and Ubuntu. Does nothing
# when they are. Installs as root or through sudo; without either, prints the command and fails.
set -euo pipefail

# What counts is that the compiler or program can be run, wherever it came from; a library counts by its package.
declare -A program_of=(
    [build-essential]=cc [cmake]=cmake [clang]=clang [llvm]=llvm-symbolizer [clang-format]=clang-format
    [clang-tidy]=clang-tidy [python3]=python3 [xxhash]=xxhsum [gnuplot-nox]=gnuplot)
declare -A packages_of=(
    [build]="build-essential cmake libxxhash-dev libgmp-dev libgtest-dev"
    [check]="clang-format clang-tidy libomp-dev python3 xxhash gnuplot-nox"
    [emulate]="libfftw3-dev"
    [sanitize]="clang llvm libomp-dev")

if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian or Ubuntu system: expecting the dependencies to be there (see README.md)." >&2
    exit 0
fi

is_there() { # PACKAGE
    local program=${program_of[$1]:-}
    if [[ -n $program ]]; then
        command -v "$program" >/dev/null
    else
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
    fi
}

missing=()
for group in "$@"; do
    for package in ${packages_of[$group]}; do
        is_there "$package" || missing+=("$package")
    done
done
if ((${#missing[@]} == 0)); then
    exit 0
fi

as_root=()
if ((EUID != 0)); then
    as_root=(sudo)
    if ! command -v sudo >/dev/null || { ! sudo -n true 2>/dev/null && [[ ! -t 0 ]]; }; then
        echo "These packages are missing, and installing them needs root. Please run:" >&2
        echo "    apt-get update && apt-get install -y --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"

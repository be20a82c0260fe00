#!/bin/bash
# lint.sh BUILD_DIRECTORY
#
# Checks the format (.clang-format) and runs clang-tidy (.clang-tidy) on our C files, with the compile commands of a configured
# build. Both tools change their mind between versions: findings of the version we keep to (Debian 12's) are errors, of others only
# shown.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
pinned=14
status=0

judge() { # TOOL: a finding of it counts when its version is the pinned one
    local major
    major=$("$1" --version | grep -oE 'version [0-9]+' | grep -oE '[0-9]+')
    if [[ $major == "$pinned" ]]; then
        status=1
    else
        echo "$1 is version $major, not $pinned: its findings above are not counted." >&2
    fi
}

folders=()
for folder in include src tests bench cuda examples; do
    [[ -d $folder ]] && folders+=("$folder")
done
mapfile -t files < <(find "${folders[@]}" -name '*.[ch]' -o -name '*.cpp' | sort)
echo "clang-format: ${#files[@]} files"
clang-format --dry-run -Werror --ferror-limit=3 "${files[@]}" || judge clang-format

# What is compiled with our flags, each file once: kernels.c stands three times in the compile commands.
mapfile -t sources < <(grep -oE '"file": "[^"]+\.c"' "$build/compile_commands.json" | cut -d'"' -f4 | sort -u)
echo "clang-tidy: ${#sources[@]} files"
tidy() { # one process for each file: within one, the analyzer of version 14 carries the state of va_lists from file to file
    printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "$build" --quiet \
        --extra-arg=-Wno-unknown-warning-option 2> >(grep -vE 'warnings? generated|^Suppressed|^Use -header-filter' >&2)
}
tidy || judge clang-tidy
exit $status

#!/bin/bash
# lint.sh BUILD_DIRECTORY
#
# Checks the format (.clang-format) of our sources and runs clang-tidy (.clang-tidy) on those in C, with the compile commands of a
# configured build. Both tools change their mind between versions: findings of the version we keep to (Debian 12's) are errors, of
# others only shown.
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
mapfile -t files < <(find "${folders[@]}" -regex '.*\.\(c\|h\|cpp\|hpp\|cu\|cuh\)' | sort)
echo "clang-format: ${#files[@]} files"
clang-format --dry-run -Werror --ferror-limit=3 "${files[@]}" || judge clang-format

# Each compile command by itself, one process each: the analyzer of version 14 carries the state of va_lists from one to the next.
# Files that are compiled several times (kernels.c, cuda/, what runs on several backends) are so checked in each of their forms.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
python3 - "$build/compile_commands.json" "$commands" >"$commands/list" <<'END'
import json, pathlib, sys
for number, entry in enumerate(json.load(open(sys.argv[1]))):
    if entry["file"].endswith(".c"):
        folder = pathlib.Path(sys.argv[2], str(number))
        folder.mkdir()
        (folder / "compile_commands.json").write_text(json.dumps([entry]))
        print(folder, entry["file"], sep="\0", end="\0")
END
echo "clang-tidy: $(($(tr -cd '\0' <"$commands/list" | wc -c) / 2)) compilations"
tidy() {
    xargs -0 -n 2 -P "$(nproc)" clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p <"$commands/list" \
        2> >(grep -vE 'warnings? generated|^Suppressed|^Use -header-filter' >&2)
}
tidy || judge clang-tidy
exit $status

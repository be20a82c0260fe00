#!/bin/bash
# check_exports.sh LIBRARY HEADER
#
# A shared library must export exactly the functions that the header declares with SG_API. In a static library, whose internal
# functions are visible to the linker too, every global name must at least start with sg_, so that it cannot clash with a user's.
set -euo pipefail
library=$1 header=$2

declared=$(tr '\n' ' ' <"$header" | grep -oE 'SG_API [^;(]*\(' | grep -oE 'sg_[a-z0-9_]+\($' | tr -d '(' | sort -u)
status=0
complain() { # TEXT NAMES
    [[ -z $2 ]] && return
    printf '%s:\n%s\n' "$1" "$2"
    status=1
}

case $library in
*.a)
    defined=$(nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u)
    complain "global names without the prefix sg_" "$(grep -vE '^(sg_|__asan|__odr_asan|__tsan)' <<<"$defined" || true)"
    complain "declared but not defined" "$(comm -23 <(cat <<<"$declared") <(cat <<<"$defined"))"
    ;;
*)
    defined=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort -u)
    complain "exported but not declared in $header" "$(comm -13 <(cat <<<"$declared") <(cat <<<"$defined"))"
    complain "declared but not exported" "$(comm -23 <(cat <<<"$declared") <(cat <<<"$defined"))"
    ;;
esac
if ((status == 0)); then
    echo "$(wc -l <<<"$declared") functions declared, all as they should be"
fi
exit $status

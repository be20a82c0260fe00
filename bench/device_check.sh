#!/bin/bash
# device_check.sh [--prefix DIR] [--out DIR] [--seconds N] [--build DIR] [--emulated]
#
# Everything to be asked of a CUDA device, in one run with a time budget: builds for the device that is found, runs its tests
# (skips are failures), compute-sanitizer at small sizes, and benchmarks from small to large, each with its fingerprint compared
# with known ones and, where that is affordable, with the CPU's.
#
#   --prefix DIR   where the dependencies lie when the system lacks them, such as Debian packages unpacked by dpkg -x:
#                  DIR/usr/include, DIR/usr/lib, and the sources of GoogleTest in DIR/usr/src/googletest, which are built
#   --out DIR      where the results go; default: the folder that the variable OUT names, else results/ in the build
#   --seconds N    the whole script ends within N seconds (default 540): sizes of benchmarks are dropped as needed
#   --build DIR    this build as it is, instead of building in build-device/
#   --emulated     everything at tiny sizes on the emulated device, to see that the script works
#
# Results: results.md, the tables; runs.jsonl, every benchmark run with its report; stages.txt and machine.txt; build.log,
# tests.log, sanitizer.log. A failure stops nothing that can still be done. Exit status: 0 when everything was run and right
# (dropped sizes do not count), 1 otherwise, 2 for bad usage, 130 when interrupted; results so far are kept then.
set -uo pipefail
bench=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$bench")
SECONDS=0 # bash counts them, from whatever the environment says

# How much of the budget a stage may take, in percent. What stages leave over goes to the benchmarks, which come last.
build_share=60 tests_share=40 sanitizer_share=15
closing_seconds=4   # kept for the tables
kill_seconds=3      # between asking a command to end and killing it
sanitize_seconds=40 # for one program under compute-sanitizer

usage() { # MESSAGE
    echo "device_check.sh: $1" >&2
    sed -nE '2s/^# /usage: /p' "$0" >&2
    exit 2
}

prefix='' out=${OUT:-} seconds=540 build='' emulated=''
while (($# > 0)); do
    case $1 in
    --prefix | --out | --seconds | --build)
        [[ -n ${2:-} ]] || usage "$1 needs a value"
        printf -v "${1#--}" %s "$2"
        shift 2
        ;;
    --emulated) emulated=yes && shift ;;
    --help | -h) sed -nE '2,/^set /s/^# ?//p' "$0" && exit 0 ;;
    *) usage "unknown argument '$1'" ;;
    esac
done
[[ $seconds =~ ^[1-9][0-9]{0,5}$ ]] || usage "--seconds '$seconds' is not a number of seconds from 1 to 999999"
for option in prefix build; do
    [[ -z ${!option} || -d ${!option} ]] || usage "--$option '${!option}' is not a folder"
done
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null ||
    usage "python3 is needed, 3.8 or later (nothing beyond its standard library)"

prebuilt=$build
build=$(realpath "${build:-$source/build-device}")
out=$(realpath -m "${out:-$build/results}")
prefix=${prefix:+$(realpath "$prefix")}
mkdir -p "$out" 2>/dev/null
[[ -d $out && -w $out ]] || usage "--out '$out' is not a folder that can be written to"
rm -f "$out"/{results.md,runs.jsonl,stages.txt,machine.txt,build.log,tests.log,sanitizer.log}
scratch=$(mktemp -d)
export SUBGAME_REQUIRE_DEVICE=1 OMP_WAIT_POLICY=passive

command=$build/subgame-gpu
if [[ -n $emulated ]]; then
    command=$build/emu/subgame-gpu
fi

left() { # PERCENT: seconds left of the budget, and no more than this share of all of it
    local rest=$((seconds - SECONDS - closing_seconds - kill_seconds)) share=$((seconds * $1 / 100))
    echo $((rest < share ? rest : share))
}

# Runs a command for some seconds at the most, and returns its exit status; 124 or 137 when it was out of time. It runs in the
# background, so that an interrupt ends it at once, and a process that even a kill does not end (a hung driver) is left behind.
child=
run_for() { # SECONDS LOG COMMAND...
    local deadline=$((SECONDS + $1 + kill_seconds + 1)) limit=$1 log=$2
    shift 2
    if ((limit < 1)); then
        return 124
    fi
    timeout -k $kill_seconds "$limit" "$@" >>"$log" 2>&1 </dev/null &
    child=$!
    while kill -0 "$child" 2>/dev/null && ((SECONDS < deadline)); do
        sleep 0.1
    done
    local status=137
    if ! kill -0 "$child" 2>/dev/null; then
        wait "$child"
        status=$?
    fi
    child=
    return $status
}

one_line() { # TEXT
    tr -s '\t\n ' ' ' <<<"$1" | sed 's/ $//'
}

# One line a stage in stages.txt: its name, ok, failed or skipped, its seconds, and what is to be said about it.
stage=start stage_start=0
begin() { # STAGE
    stage=$1 stage_start=$SECONDS
    echo "== $stage ($((seconds - SECONDS)) s left)"
}
end() { # RESULT NOTE
    printf '%s\t%s\t%d\t%s\n' "$stage" "$1" $((SECONDS - stage_start)) "$(one_line "$2")" >>"$out/stages.txt"
    echo "   $1: $2"
}

out_of_time() { # STATUS
    (($1 == 124 || $1 == 137))
}

# The tables from whatever is there, and the end.
sampler=
finish() { # [STATUS]
    trap '' INT TERM
    [[ -z $sampler ]] || kill "$sampler" 2>/dev/null
    timeout $closing_seconds python3 "$bench/device_check_table.py" "$out"
    local status=$?
    rm -rf "$scratch"
    exit "${1:-$((status != 0))}"
}
# shellcheck disable=SC2317 # called by trap
interrupted() {
    if [[ -n $child ]]; then
        kill "$child" 2>/dev/null
        for ((i = 0; i < 10 * kill_seconds + 10; i++)); do
            kill -0 "$child" 2>/dev/null || break
            sleep 0.1
        done
    fi
    end failed "interrupted"
    finish 130
}
trap interrupted INT TERM

find_tool() { # NAME: where the tool of the CUDA toolkit is, if anywhere
    local place
    PATH=$PATH:/usr/local/cuda/bin:/opt/cuda/bin command -v "$1" && return
    place=$(PATH=$PATH:/usr/local/cuda/bin:/opt/cuda/bin command -v nvcc) || return
    place=$(dirname "$(dirname "$(realpath "$place")")")
    PATH=$place/bin:$place/$1:$place/extras/$1 command -v "$1"
}

fact() { # NAME VALUE
    [[ -z $2 ]] || printf '%s\t%s\n' "$1" "$(one_line "$2")" >>"$out/machine.txt"
}

query_gpu() { # FIELDS: of each GPU a line
    timeout 10 nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null
}

describe_machine() {
    fact commit "$(git -C "$source" describe --always --dirty 2>/dev/null || echo unknown)"
    fact date "$(date -u '+%F %R UTC')"
    fact budget "$seconds s"
    fact CPU "$(sed -nE 's/^model name\s*: //p' /proc/cpuinfo | head -1), $(nproc) threads"
    fact compiler "$("${CC:-cc}" --version 2>/dev/null | head -1)"
    if [[ -z $emulated ]]; then
        fact nvcc "$("$(find_tool nvcc)" --version 2>/dev/null | grep release)"
        fact GPU "$(query_gpu name,memory.total)"
        fact driver "$(query_gpu driver_version)"
        fact "greatest clocks" "$(query_gpu clocks.max.sm,clocks.max.mem)"
    fi
}

# A device that cannot be used ends the script: nothing that follows could be right.
find_device() {
    local list device reason
    begin device
    run_for "$(left 20)" "$scratch/devices" "$command" --devices
    list=$(cat "$scratch/devices" 2>/dev/null)
    device=$(sed -nE 's/^cuda 0 +//p' <<<"$list")
    if [[ -z $device || $device == "not usable"* ]]; then
        reason=$(grep -vE '^cpu ' <<<"$list" | sed -E 's/^no GPU +//')
        end failed "no usable device: ${reason:-$command --devices said nothing}"
        return 1
    fi
    fact device "$device"
    end ok "$device"
}

# The tests in the order of what they tell: operators alone, whole solves, random games in all layouts, slow ones. ctest runs in
# the scratch folder, which names the tests of the build, so that it leaves the build's own records alone.
run_tests() {
    local groups=('-L device -R \.(Nim)?Operator' '-R ^CudaModule' '-L device -R \.Cuda' '-L device -LE slow -E \.((Nim)?Operator|Cuda)'
        '-L device -L slow')
    local group words status limit late='' log=$out/tests.log stage_end=$((SECONDS + $(left $tests_share)))
    begin tests
    [[ -z $emulated ]] || groups=('-L emulation -R ^Emulated\.Operator\.Marks')
    mkdir -p "$scratch/ctest"
    echo "subdirs(\"$build/tests\")" >"$scratch/ctest/CTestTestfile.cmake"
    for group in "${groups[@]}"; do
        limit=$((stage_end - SECONDS))
        read -ra words <<<"$group"
        run_for $limit "$log" ctest --test-dir "$scratch/ctest" "${words[@]}" --output-on-failure --parallel 4 --timeout 60
        status=$?
        if out_of_time $status; then
            late=", out of time"
        fi
    done
    local total passed
    total=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#' "$log")
    passed=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#.* Passed +[0-9.]+ sec' "$log")
    if ((passed > 0 && passed == total)) && [[ -z $late ]]; then
        end ok "$passed passed"
    else
        end failed "$passed passed, $((total - passed)) failed$late, see tests.log"
    fi
}

# One program under one tool. The tool's own summary counts as well: for a program that it could not follow there is none.
sanitized=0 unsanitized=() faulty=()
sanitize() { # NAME TOOL COMMAND...
    local name="$2 of $1" tool=$2 log=$scratch/sanitizer limit=$((stage_end - SECONDS)) status options=()
    shift 2
    if ((limit < 2)); then
        unsanitized+=("$name")
        return
    fi
    # The backend checks every call itself; the tool would also report questions whose answer is "not ready".
    [[ $tool != memcheck ]] || options=(--report-api-errors no)
    echo "== $name: $*" >"$log"
    run_for $((limit < sanitize_seconds ? limit : sanitize_seconds)) "$log" \
        "$sanitizer" --tool "$tool" --error-exitcode 99 --print-limit 20 "${options[@]}" "$@"
    status=$?
    cat "$log" >>"$out/sanitizer.log"
    if out_of_time $status; then
        unsanitized+=("$name")
    elif ((status != 0)) || ! grep -qE 'ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: .*\(0 errors' "$log"; then
        faulty+=("$name")
    elif [[ $* == *--gtest_filter* ]] && ! grep -qE '\[  PASSED  \] [1-9]' "$log"; then
        faulty+=("$name (no test)")
    else
        ((sanitized++))
    fi
}

run_sanitizer() {
    local sanitizer tool stage_end=$((SECONDS + $(left $sanitizer_share)))
    begin compute-sanitizer
    if [[ -n $emulated ]]; then
        end skipped "the emulated device has checks of its own"
        return
    fi
    if ! sanitizer=$(find_tool compute-sanitizer); then
        end failed "not found on PATH or in the CUDA toolkit"
        return
    fi
    export SUBGAME_CUDA_MODULE=$build/libsubgame_cuda.so
    for tool in memcheck racecheck; do
        sanitize "cold by split" $tool "$command" --backend cuda -n 2^16 --engine split
        sanitize "cold by convolution" $tool "$command" --backend cuda -n 2^15 --engine convolution
        sanitize "nim by levels" $tool "$command" --backend cuda -n 2^14 --nim --set primes --engine split
        sanitize "nim by tiles" $tool "$command" --backend cuda -n 2^19 --nim --engine tile # several blocks
    done
    for tool in memcheck racecheck; do
        sanitize operators $tool "$build/tests/test_operators_device" '--gtest_filter=*MarksWhatTheSourceReaches*'
        sanitize "nim operators" $tool "$build/tests/test_nim_operators_device" '--gtest_filter=*BaseCases*:*FinishedValues*'
        sanitize solves $tool "$build/tests/test_cuda_backend_device" \
            '--gtest_filter=*GivesTheBitsOfTheCpu/squares:*/squares_65_rows:*/random_convolved_rows:*/sparse'
    done
    unset SUBGAME_CUDA_MODULE
    local note="$sanitized programs without a fault" IFS=,
    ((${#faulty[@]} == 0)) || note+="; faults: ${faulty[*]}, see sanitizer.log"
    ((${#unsanitized[@]} == 0)) || note+="; out of time: ${unsanitized[*]}"
    if ((${#faulty[@]} + ${#unsanitized[@]} > 0)); then
        end failed "$note"
    else
        end ok "$note"
    fi
}

run_benchmarks() {
    local status limit
    begin benchmarks
    limit=$(left 100)
    if [[ -z $emulated ]]; then
        nvidia-smi --query-gpu=clocks.sm,clocks.mem --format=csv,noheader,nounits -i 0 -l 2 \
            >"$scratch/clocks" 2>/dev/null </dev/null &
        sampler=$!
    fi
    run_for "$limit" "$scratch/benchmarks" \
        python3 "$bench/device_check_runs.py" --seconds $((limit - 2)) ${emulated:+--small} "$command" "$out"
    status=$?
    [[ -z $sampler ]] || kill "$sampler" 2>/dev/null
    sampler=
    if [[ -s $scratch/clocks ]]; then
        fact "clocks during benchmarks" "$(sort -n -t, -k1 "$scratch/clocks" | awk -F, '
            { sm[NR] = $1; memory[$2 + 0] }
            END { printf "SM %d to %d MHz, half of the time at least %d; memory", sm[1], sm[NR], sm[int((NR + 1) / 2)]
                  for (clock in memory) printf " %d", clock
                  print " MHz" }')"
    fi
    local note
    note=$(tail -1 "$scratch/benchmarks" 2>/dev/null)
    if out_of_time $status; then
        end failed "out of time"
    elif ((status != 0)); then
        end failed "${note:-not started}"
    else
        end ok "$note"
    fi
}

# shellcheck source=bench/device_check_build.sh
. "$bench/device_check_build.sh"

describe_machine
build_all
if [[ -n $built ]] && find_device; then
    run_tests
    run_sanitizer
    run_benchmarks
fi
finish

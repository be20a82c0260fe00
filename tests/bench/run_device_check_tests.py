#!/usr/bin/env python3
"""Tests of bench/device_check.sh.

    run_device_check_tests.py BUILD_DIRECTORY [unittest options]

The script runs once for real, on the emulated device of the build. What it does on a device, and when something is wrong, is
tested with stand-ins: a build directory whose command, test programs and ctest entries are small shell scripts, and nvidia-smi
and compute-sanitizer likewise. Needs nothing but the standard library.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = ""
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(SOURCE, "bench", "device_check.sh")
SLACK_SECONDS = 5.0  # for a machine that is busy with other tests
DEVICES = "cpu  Some CPU, 16 hardware threads\\ncuda 0  Stand-in, compute capability 9.0, 132 multiprocessors"

# Answers as the command does, at once, with the known fingerprint or else one made of the size. `behave` may sleep or exit.
COMMAND = r"""#!/bin/bash
set=squares mode=cold engine=auto backend=auto size=0
while (($# > 0)); do
    case $1 in
    --devices) printf '%b\n' "$DEVICES" && exit ;;
    --cold | --nim) mode=${1#--} ;;
    --set | --engine | --backend) printf -v "${1#--}" %s "$2" && shift ;;
    -n) size=${2#2^} && shift ;;
    esac
    shift
done
fingerprint=$(printf %016x "$size") solve=0.01
while read -r known_set known_mode known_n known_fingerprint; do
    if [[ "$known_set $known_mode $known_n" == "$set $mode 2^$size" ]]; then
        fingerprint=$known_fingerprint
    fi
done <"$KNOWN"
behave() { :; }
eval "$BEHAVE"
behave
cat <<END
{"set": "$set", "mode": "$mode", "n": $((1 << size)), "engine": "$engine", "backend": "$backend", "fingerprint": "$fingerprint",
 "option_count": 1000000, "seconds": {"total": $solve, "solve": $solve}, "kernels": [{"operator": "shift_or", "seconds": 0.004,
 "share": 0.25}, {"operator": "unlimited", "seconds": 0.001, "share": null}]}
END
"""

TESTS = """
add_test(Device.Operator.MarksWhatItShould "{right}")
add_test(Device.CudaSolve.GivesTheBits "{solve}")
add_test(Device.Invariance.HoldsForAll "{right}")
add_test(CudaModule.ExportsOneSymbol "{right}")
set_tests_properties(Device.Operator.MarksWhatItShould Device.CudaSolve.GivesTheBits Device.Invariance.HoldsForAll
                     PROPERTIES LABELS device SKIP_REGULAR_EXPRESSION "SKIPPED")
"""

SANITIZER = r"""#!/bin/bash
while [[ $1 == --* ]]; do
    case $1 in --tool) tool=$2 && shift 2 ;; *-limit | *-exitcode | --report*) shift 2 ;; *) exit 77 ;; esac
done
"$@" || exit
case $tool in
memcheck) echo "========= ERROR SUMMARY: ${MEMORY_ERRORS:-0} errors" && exit $((MEMORY_ERRORS ? 99 : 0)) ;;
racecheck) echo "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)" ;;
esac
"""

NVIDIA_SMI = r"""#!/bin/bash
case $* in
*compute_cap*) echo 9.0 ;;
*-l*) echo 345, 3201 && echo 1980, 3201 && exec sleep 600 ;;
*) echo "Stand-in, 139 GiB" ;;
esac
"""


def write_program(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


class DeviceCheckTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = os.path.join(self.folder, "out")
        self.environment = {name: value for name, value in os.environ.items() if name != "OUT"}

    def start(self, *arguments):
        return subprocess.Popen([SCRIPT, *arguments], env=self.environment, stdin=subprocess.DEVNULL, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def check(self, status, *arguments, mentions=()):
        """Runs the script; what it printed."""
        process = self.start(*arguments)
        printed, _ = process.communicate(timeout=600)
        self.assertEqual(process.returncode, status, printed)
        for text in mentions:
            self.assertIn(text, printed)
        return printed

    def results(self):
        with open(os.path.join(self.out, "results.md"), encoding="utf-8") as file:
            return file.read()

    def runs(self):
        with open(os.path.join(self.out, "runs.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]


class Usage(DeviceCheckTest):
    def test_bad_arguments_are_named(self):
        for arguments, named in [(["--frobnicate"], "--frobnicate"), (["stray"], "stray"), (["--seconds", "soon"], "soon"),
                                 (["--seconds", "0"], "'0'"), (["--seconds"], "--seconds"), (["--out", ""], "--out"),
                                 (["--prefix", "/nowhere/at/all"], "/nowhere/at/all"), (["--build", SCRIPT], SCRIPT),
                                 (["--out", SCRIPT], SCRIPT)]:
            with self.subTest(arguments=arguments):
                printed = self.check(2, *arguments, mentions=[named, "usage: device_check.sh"])
                self.assertNotIn("==", printed)

    def test_help_is_the_head_of_the_script(self):
        self.check(0, "--help", mentions=["--prefix DIR", "--seconds N", "--emulated", "Exit status"])

    def test_python_is_asked_for_first(self):
        for name in ["bash", "dirname", "sed"]:
            os.makedirs(os.path.join(self.folder, "bin"), exist_ok=True)
            os.symlink(shutil.which(name), os.path.join(self.folder, "bin", name))
        self.environment["PATH"] = os.path.join(self.folder, "bin")
        self.check(2, "--out", self.out, mentions=["python3 is needed"])


class Emulated(DeviceCheckTest):
    def test_the_whole_script_on_the_emulated_device(self):
        command = os.path.join(BUILD, "emu", "subgame-gpu")
        tiles = subprocess.run([command, "--backend", "cuda", "--nim", "--engine", "tile", "-n", "2^12"], check=False,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
        printed = self.check(0 if tiles else 1, "--emulated", "--build", BUILD, "--out", self.out, "--seconds", "300")
        failed = [line for line in printed.splitlines() if line.startswith("FAILED")]
        self.assertEqual([line for line in failed if tiles or "cannot run engine 'tile'" not in line], [], printed)
        self.assertIn("tests              ok", printed)
        for game in ["squares cold 2^16", "primes nim 2^14", "random{1,1/4} cold 2^16"]:
            done = [run for run in self.runs() if f"{run['set']} {run['mode']} 2^{run['size']}" == game and run["status"] == "ok"]
            self.assertEqual({run["backend"] for run in done}, {"cuda", "cpu"}, printed)
        self.assertIn("known, as on the CPU |", self.results())


class StandIn(DeviceCheckTest):
    def setUp(self):
        super().setUp()
        self.build = os.path.join(self.folder, "build")
        self.bin = os.path.join(self.folder, "bin")
        write_program(os.path.join(self.build, "subgame-gpu"), COMMAND)
        for program in ["test_operators_device", "test_nim_operators_device", "test_cuda_backend_device"]:
            write_program(os.path.join(self.build, "tests", program), "#!/bin/sh\necho '[  PASSED  ] 3 tests.'\n")
        write_program(os.path.join(self.bin, "compute-sanitizer"), SANITIZER)
        write_program(os.path.join(self.bin, "nvidia-smi"), NVIDIA_SMI)
        self.ctest(shutil.which("true"))
        self.environment.update(PATH=self.bin + ":" + self.environment["PATH"], DEVICES=DEVICES, BEHAVE="",
                                KNOWN=os.path.join(SOURCE, "bench", "known_fingerprints.txt"))

    def ctest(self, solve):
        with open(os.path.join(self.build, "tests", "CTestTestfile.cmake"), "w", encoding="utf-8") as file:
            file.write(TESTS.format(right=shutil.which("true"), solve=solve))

    def behave(self, body):
        """What the command does before it answers, in bash."""
        self.environment["BEHAVE"] = "behave() { " + body + "\n}"

    def device_check(self, status, *arguments, mentions=()):
        return self.check(status, "--build", self.build, "--out", self.out, *arguments, mentions=mentions)

    def assert_ended(self, start, seconds):
        self.assertLess(time.monotonic() - start, seconds + SLACK_SECONDS)

    def test_everything_is_right(self):
        printed = self.device_check(0, "--seconds", "200", mentions=["4 passed", "14 programs without a fault", "0 failures"])
        self.assertNotIn("FAILED", printed)
        self.assertEqual(len([run for run in self.runs() if run["backend"] == "cuda" and run["status"] == "ok"]), 16)
        for text in ["| squares | cold | 2^34 |", "| random{1,1/4} | cold | 2^26 | convolution | cuda | 0.01 | 100 M options/s | "
                     "shift_or 0.004 s 25%, unlimited 0.001 s | 0.01 | 1 | known, as on the CPU |",
                     "Stand-in, compute capability 9.0", "SM 345 to 1980 MHz"]:
            self.assertIn(text, self.results())
        expected = {"machine.txt", "results.md", "runs.jsonl", "sanitizer.log", "stages.txt", "tests.log"}
        self.assertEqual(set(os.listdir(self.out)), expected)

    def test_out_is_taken_from_the_environment(self):
        self.environment["OUT"] = self.out
        self.environment["DEVICES"] = "cpu  Some CPU"
        self.check(1, "--build", self.build)
        self.assertIn("no usable device", self.results())

    def test_no_usable_device_ends_the_script_and_says_why(self):
        for answer in ["no GPU  the driver is too old", "cuda 0  not usable: the driver is too old"]:
            self.environment["DEVICES"] = "cpu  Some CPU\\n" + answer
            printed = self.device_check(1, mentions=["no usable device", "the driver is too old"])
            self.assertNotIn("== tests", printed)

    def test_a_wrong_fingerprint_is_a_failure(self):
        self.behave("[[ $set$size$backend != squares28cuda ]] || fingerprint=0123456789abcdef")
        self.device_check(1, "--seconds", "200",
                          mentions=["FAILED  squares cold 2^28 on cuda: fingerprint WRONG: 0123456789abcdef, known"])

    def test_results_that_differ_from_the_cpu_are_a_failure(self):
        self.behave("[[ $set$size$backend != squares34cpu ]] || fingerprint=0123456789abcdef")
        self.device_check(1, "--seconds", "200",
                          mentions=["FAILED  squares cold 2^34 on cuda: fingerprint WRONG", "on the CPU 0123456789abcdef"])

    def test_results_that_differ_from_run_to_run_are_a_failure(self):
        self.behave("[[ $set$size$backend != squares28cuda ]] || fingerprint=$(printf %016x $$)")
        self.device_check(1, "--seconds", "200", mentions=["FAILED  squares cold 2^28 on cuda: fingerprints of two runs differ"])

    def test_a_refused_run_fails_with_its_message_and_the_others_go_on(self):
        self.behave("[[ $engine$backend != tilecuda ]] || { echo \"no 'tile' here\" >&2; exit 2; }")
        self.device_check(1, "--seconds", "200", mentions=["FAILED  squares nim 2^32 on cuda: no 'tile' here (exit status 2)"])
        self.assertEqual(len([run for run in self.runs() if run["status"] == "ok" and run["backend"] == "cuda"]), 10)
        self.assertIn("no 'tile' here (exit status 2) |", self.results())

    def test_a_command_that_crashes_or_says_nonsense_fails(self):
        self.behave('case $size$backend in 26cuda) kill -SEGV $$ ;; 22cuda) echo "{"; exit ;; 24cuda) backend=cpu ;; esac')
        self.device_check(1, "--seconds", "200",
                          mentions=["2^26 on cuda: no message (signal 11)", "2^22 on cuda: no JSON", "ran on cpu"])

    def test_failing_and_skipped_tests_are_failures(self):
        broken = os.path.join(self.folder, "broken")
        write_program(broken, "#!/bin/sh\necho bits.c:7: Failure: 3 is not 4\nexit 1\n")
        self.ctest(broken)
        self.device_check(1, "--seconds", "200",
                          mentions=["3 passed, 1 failed", "bits.c:7: Failure", "Device.CudaSolve.GivesTheBits"])
        self.assertIn("bits.c:7: Failure", self.results())
        write_program(broken, "#!/bin/sh\necho SKIPPED\n")
        self.device_check(1, "--seconds", "200", mentions=["3 passed, 1 failed"])

    def test_faults_that_the_sanitizer_finds_are_failures(self):
        self.environment["MEMORY_ERRORS"] = "2"
        self.device_check(1, "--seconds", "200", mentions=["7 programs without a fault", "memcheck of nim by tiles"])
        with open(os.path.join(self.out, "sanitizer.log"), encoding="utf-8") as file:
            self.assertIn("ERROR SUMMARY: 2 errors", file.read())

    def test_a_sanitizer_that_cannot_follow_the_program_is_a_failure(self):
        write_program(os.path.join(self.bin, "compute-sanitizer"), "#!/bin/sh\necho Device not supported\n")
        self.device_check(1, "--seconds", "200", mentions=["0 programs without a fault", "racecheck of operators"])

    def test_no_sanitizer_is_a_failure(self):
        os.remove(os.path.join(self.bin, "compute-sanitizer"))
        if shutil.which("compute-sanitizer") or os.path.isdir("/usr/local/cuda/compute-sanitizer"):
            self.skipTest("there is one")
        self.device_check(1, "--seconds", "200", mentions=["FAILED  compute-sanitizer: not found"])

    def test_sizes_that_do_not_fit_are_dropped_and_that_is_no_failure(self):
        self.behave("[[ $mode$backend != nimcuda ]] || { ((size < 26)) || exec_seconds=$((1 << (size - 26))); "
                    "sleep ${exec_seconds:-0}; solve=${exec_seconds:-0.01}; }")
        start = time.monotonic()
        printed = self.device_check(0, "--seconds", "60", mentions=["DROPPED  squares nim 2^32 on cuda", "s foreseen"])
        self.assert_ended(start, 60)
        self.assertNotIn("FAILED", printed)

    def test_a_command_that_hangs_does_not_outlast_the_budget(self):
        self.behave("[[ $mode$backend != coldcuda ]] || exec sleep 600")
        start = time.monotonic()
        self.device_check(1, "--seconds", "18", mentions=["on cuda: ended after"])
        self.assert_ended(start, 18)

    def test_tests_and_sanitizer_that_hang_do_not_outlast_their_shares(self):
        slow = os.path.join(self.folder, "slow")
        write_program(slow, "#!/bin/sh\nsleep 600\n")
        self.ctest(slow)
        write_program(os.path.join(self.bin, "compute-sanitizer"), "#!/bin/sh\nsleep 600\n")
        start = time.monotonic()
        self.device_check(1, "--seconds", "40", mentions=["FAILED  tests:", "out of time: memcheck of cold by split"])
        self.assert_ended(start, 40)
        self.assertTrue(any(run["status"] == "ok" for run in self.runs()))

    def test_a_budget_that_is_too_small_says_so(self):
        start = time.monotonic()
        self.device_check(1, "--seconds", "3", mentions=["FAILED"])
        self.assert_ended(start, 3)

    def test_an_interrupt_keeps_the_results_so_far(self):
        self.behave("[[ $size$backend != 30cuda ]] || exec sleep 600")
        for number in [signal.SIGINT, signal.SIGTERM]:
            process = self.start("--build", self.build, "--out", self.out, "--seconds", "300")
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline and not self.reached_size_28():
                time.sleep(0.1)
            os.killpg(process.pid, number)
            printed, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, printed)
            self.assertIn("FAILED  benchmarks: interrupted", printed)
            self.assertIn("| squares | cold | 2^28 |", self.results())
            shutil.rmtree(self.out)

    def reached_size_28(self):
        try:
            return any(run["size"] == 28 for run in self.runs())
        except (OSError, ValueError):
            return False


class Building(DeviceCheckTest):
    """With a cmake that only pretends."""

    def setUp(self):
        super().setUp()
        self.bin = os.path.join(self.folder, "bin")
        self.copy = os.path.join(self.folder, "source")
        shutil.copytree(os.path.join(SOURCE, "bench"), os.path.join(self.copy, "bench"))
        self.environment["PATH"] = self.bin + ":" + self.environment["PATH"]

    def start(self, *arguments):
        global SCRIPT
        there, SCRIPT = SCRIPT, os.path.join(self.copy, "bench", "device_check.sh")
        try:
            return super().start("--out", self.out, *arguments)
        finally:
            SCRIPT = there

    def cmake(self, body):
        write_program(os.path.join(self.bin, "cmake"), f'#!/bin/bash\necho "$*" >>{self.folder}/called\n{body}\n')
        write_program(os.path.join(self.bin, "nvidia-smi"), NVIDIA_SMI)

    def called(self):
        with open(os.path.join(self.folder, "called"), encoding="utf-8") as file:
            return file.read()

    def test_a_failure_is_quoted_and_ends_the_script(self):
        self.cmake('[[ $1 == -S ]] || { echo "bits.cu(7): error: no such thing"; exit 1; }')
        printed = self.check(1, mentions=["FAILED  build: compilation: bits.cu(7): error: no such thing"])
        self.assertNotIn("== device", printed)
        self.assertIn("-DCMAKE_CUDA_ARCHITECTURES=90-real", self.called())

    def test_tests_that_do_not_build_leave_the_rest(self):
        self.cmake('[[ $* != *"--target all"* ]] || { echo "FAILED: test_operators_device"; exit 1; }')
        self.check(1, mentions=["FAILED  build: compilation of the tests: FAILED: test_operators_device", "== device"])

    def test_a_build_that_hangs_is_ended(self):
        self.cmake("sleep 600")
        start = time.monotonic()
        self.check(1, "--seconds", "12", mentions=["FAILED  build: configuration: out of time"])
        self.assertLess(time.monotonic() - start, 12 + SLACK_SECONDS)

    def test_the_prefix_is_handed_to_cmake(self):
        usr = os.path.join(self.folder, "prefix", "usr")
        for folder in ["include", "lib/x86_64-linux-gnu", "src/googletest"]:
            os.makedirs(os.path.join(usr, folder))
        self.cmake("echo $LD_LIBRARY_PATH")
        self.check(1, "--prefix", os.path.join(self.folder, "prefix"), mentions=["== device"])
        for text in [f"-S {usr}/src/googletest ", f"/build-device/googletest;{usr} ", f"-DCMAKE_INCLUDE_PATH={usr}/include",
                     f"-DCMAKE_LIBRARY_PATH={usr}/lib/x86_64-linux-gnu;{usr}/lib"]:
            self.assertIn(text, self.called() + " ")
        with open(os.path.join(self.out, "build.log"), encoding="utf-8") as file:
            self.assertIn(f"{usr}/lib/x86_64-linux-gnu:{usr}/lib", file.read())


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: run_device_check_tests.py BUILD_DIRECTORY [unittest options]")
    BUILD = os.path.abspath(sys.argv.pop(1))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background shell may have us, and so the script, ignore it
    unittest.main()

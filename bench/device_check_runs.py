#!/usr/bin/env python3
"""The benchmark runs of device_check.sh.

    device_check_runs.py --seconds N [--small] COMMAND FOLDER

Runs the command on the device and on the CPU, from small sizes to large ones, and adds each run to FOLDER/runs.jsonl when it is
done. Ends within N seconds: a run whose time, foreseen from the smaller sizes, does not fit in what is left is dropped and recorded
as dropped. --small: sizes for the emulated device. The last line printed says what became of the runs; the exit status is 1 when
one of them failed or gave a wrong fingerprint, or none was done.
"""

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import time

import device_check_table

REPEAT_BELOW_SECONDS = 1.5  # shorter runs are repeated, and the least solve time counts
REPEATS = 3  # on a device; the emulated one is not measured
PATIENCE = 4.0  # a run is ended when it takes so many times what was foreseen,
LEAST_PATIENCE_SECONDS = 20.0  # but not before this time,
FIRST_PATIENCE_SECONDS = 60.0  # nor before this one where there is no smaller size to foresee it from
VERIFY = 128  # sampled heap sizes: of dense sets more would cost as much as the solve, and the fingerprint tells more
CPU_SHARE = 0.1  # a CPU run that takes more than this of the time left waits until the device has had its turn
GROWTH_FROM_SECONDS = 0.5  # times below are those of starting, and say nothing about growth


class Case:
    """One game by one engine at growing sizes. Its time is foreseen to grow with n to the power `growth`, or faster if it has done
    so; `cpu_seconds` is what the smallest size takes on two cores, for want of a smaller one."""

    def __init__(self, set_spec, mode, engine, sizes, growth, cpu_seconds):
        self.set_spec, self.mode, self.engine, self.sizes = set_spec, mode, engine, sizes
        self.growth, self.cpu_seconds = growth, cpu_seconds
        self.seconds = {"cuda": {}, "cpu": {}}  # of the runs done, by the logarithm of n,
        self.start_seconds = {"cuda": math.inf, "cpu": math.inf}  # and the least part of one that does not grow
        self.stopped = {}  # by backend: why larger sizes are not tried

    def foreseen(self, backend, size):
        """Seconds that a size will take; None when there is nothing to tell it from."""
        known = sorted(self.seconds[backend].items())
        if not known:
            return self.cpu_seconds * 2.0 ** (self.growth * (size - self.sizes[0])) if backend == "cpu" else None
        start = self.start_seconds[backend]
        last, seconds = known[-1]
        growth = self.growth
        if len(known) > 1 and known[-2][1] - start >= GROWTH_FROM_SECONDS:
            growth = max(growth, math.log2((seconds - start) / (known[-2][1] - start)) / (last - known[-2][0]))
        return start + (seconds - start) * 2.0 ** (growth * (size - last))

    def done(self, backend, size, seconds, solve_seconds):
        self.seconds[backend][size] = seconds
        self.start_seconds[backend] = min(self.start_seconds[backend], seconds - solve_seconds)

    def arguments(self, backend, size):
        return [f"--{self.mode}", "--set", self.set_spec, "--engine", self.engine, "-n", f"2^{size}", "--backend", backend,
                "--verify", str(VERIFY), "--json"]


def cases(small):
    if small:
        return [
            Case("squares", "cold", "auto", [12, 14, 16], 1.1, 0.1),
            Case("squares", "nim", "tile", [12, 14, 16], 1.5, 0.1),
            Case("primes", "nim", "split", [12, 14], 1.2, 0.1),
            Case("random{1,1/4}", "cold", "convolution", [12, 14, 16], 1.2, 0.1),
        ]
    return [
        Case("squares", "cold", "auto", [26, 28, 30, 32, 34], 1.1, 0.6),
        Case("squares", "nim", "tile", [22, 24, 26, 28, 30, 32], 1.5, 2.5),
        Case("primes", "nim", "split", [24, 26], 1.2, 6.0),
        Case("random{1,1/4}", "cold", "convolution", [22, 24, 26], 1.2, 4.0),
    ]


class Runner:
    def __init__(self, command, folder, seconds, repeats):
        self.command, self.folder, self.repeats = command, folder, repeats
        self.end = time.monotonic() + seconds

    def left(self):
        return self.end - time.monotonic()

    def record(self, case, backend, size, status, **more):
        entry = {"set": case.set_spec, "mode": case.mode, "size": size, "engine": case.engine, "backend": backend, "status": status}
        with open(os.path.join(self.folder, "runs.jsonl"), "a", encoding="utf-8") as out:
            out.write(json.dumps({**entry, **more}) + "\n")
        device_check_table.write_markdown(self.folder)
        print(f"{case.set_spec} {case.mode} 2^{size} on {backend}: {status} {more.get('message', '')}", flush=True)

    def call(self, case, backend, size, patience):
        """One run of the command: its report, or why there is none."""
        try:
            done = subprocess.run([self.command, *case.arguments(backend, size)], stdin=subprocess.DEVNULL, timeout=patience,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        except subprocess.TimeoutExpired:
            case.stopped[backend] = f"2^{size} took more than {patience:.0f} s"
            return None, f"ended after {patience:.0f} s"
        except OSError as error:
            return None, str(error)
        if done.returncode != 0:
            said = done.stderr.strip().splitlines() or ["no message"]
            how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"
            return None, f"{said[0]} ({how})"
        try:
            report = json.loads(done.stdout)
        except ValueError as error:
            return None, f"no JSON: {error}"
        if report.get("backend") != backend:
            return None, f"ran on {report.get('backend')}"
        return report, None

    def run(self, case, backend, size):
        """A run, or several of a short one; or a record that it was dropped. Returns whether there is a result."""
        foreseen = case.foreseen(backend, size)
        if backend in case.stopped:
            self.record(case, backend, size, "dropped", message=case.stopped[backend])
            return False
        if self.left() < 1.0 or (foreseen or 0.0) > self.left():
            expected = "" if foreseen is None else f", about {foreseen:.0f} s foreseen"
            self.record(case, backend, size, "dropped", message=f"{max(self.left(), 0.0):.0f} s left{expected}")
            return False
        patience = FIRST_PATIENCE_SECONDS if foreseen is None else max(LEAST_PATIENCE_SECONDS, PATIENCE * foreseen)
        best, message, runs, seconds = None, None, 0, 0.0
        while runs == 0 or (runs < self.repeats and seconds < REPEAT_BELOW_SECONDS and seconds < self.left()):
            start = time.monotonic()
            report, message = self.call(case, backend, size, max(1.0, min(patience, self.left())))
            seconds = time.monotonic() - start
            runs += 1
            if report is None:
                break
            if best is not None and best["fingerprint"] != report["fingerprint"]:
                message = f"fingerprints of two runs differ: {best['fingerprint']}, {report['fingerprint']}"
                break
            if best is None or report["seconds"]["solve"] < best["seconds"]["solve"]:
                best = report
        if message is not None:
            self.record(case, backend, size, "failed", message=message)
            return False
        case.done(backend, size, seconds, report["seconds"]["solve"])
        self.record(case, backend, size, "ok", runs=runs, wall_seconds=round(seconds, 3), report=best)
        return True


def run_all(runner, all_cases):
    """The smallest size of each case, then the next, on the device. The CPU follows at once where that costs little; else when the
    device is done, the shortest runs first."""
    waiting = []
    for turn in range(max(len(case.sizes) for case in all_cases)):
        for case in (case for case in all_cases if turn < len(case.sizes)):
            size = case.sizes[turn]
            if not runner.run(case, "cuda", size):
                continue
            if case.foreseen("cpu", size) <= CPU_SHARE * runner.left():
                runner.run(case, "cpu", size)
            else:
                waiting.append((case, size))
    while waiting:
        waiting.sort(key=lambda entry: entry[0].foreseen("cpu", entry[1]))
        case, size = waiting.pop(0)
        runner.run(case, "cpu", size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("command")
    parser.add_argument("folder")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exception: what runs is killed
    run_all(Runner(options.command, options.folder, options.seconds, 1 if options.small else REPEATS), cases(options.small))
    results = device_check_table.Results(options.folder)
    print(results.summary_of_runs())
    return 1 if results.run_failures() or not results.done() else 0


if __name__ == "__main__":
    sys.exit(main())

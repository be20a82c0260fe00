#!/usr/bin/env python3
"""The tables of device_check.sh.

    device_check_table.py FOLDER

Reads what the script has left in the folder so far (stages.txt, machine.txt, runs.jsonl, tests.log), writes results.md and prints a
short table and everything that failed. The exit status is 1 when something failed or nothing was done.
"""

import json
import os
import re
import sys

KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known_fingerprints.txt")
EXCERPT_LINES = 20


def read_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def known_fingerprints():
    """By (set, mode, logarithm of n)."""
    known = {}
    for line in read_lines(KNOWN):
        if line and not line.startswith("#"):
            set_spec, mode, n, fingerprint = line.split()
            known[set_spec, mode, int(n.replace("2^", ""))] = fingerprint
    return known


def scaled(number):
    """1234567 becomes 1.23 M."""
    for unit in ["", "k", "M", "G", "T", "P"]:
        if number < 999.5 or unit == "P":
            return f"{number:.3g} {unit}".rstrip()
        number /= 1000.0


def percent(share):
    return f" {100.0 * share:.2g}%" if share else ""


def name_of(run):
    return f"{run['set']} {run['mode']} 2^{run['size']}"


def solve_seconds(run):
    return run["report"]["seconds"]["solve"]


class Results:
    def __init__(self, folder):
        self.folder = folder
        self.facts = [line.split("\t", 1) for line in read_lines(os.path.join(folder, "machine.txt")) if "\t" in line]
        self.stages = [line.split("\t", 3) for line in read_lines(os.path.join(folder, "stages.txt")) if line.count("\t") >= 3]
        self.runs = [json.loads(line) for line in read_lines(os.path.join(folder, "runs.jsonl"))]
        self.known = known_fingerprints()

    def on(self, backend, like):
        """The run of the same game on the other backend, if it was done."""
        for run in self.runs:
            if run["status"] == "ok" and run["backend"] == backend and name_of(run) == name_of(like):
                return run
        return None

    def done(self):
        return [run for run in self.runs if run["status"] == "ok" and run["backend"] == "cuda"]

    def fingerprint_verdict(self, run):
        """What the fingerprint was compared with; it was right unless this says WRONG."""
        mine = run["report"]["fingerprint"]
        known = self.known.get((run["set"], run["mode"], run["size"]))
        cpu = self.on("cpu", run) if run["backend"] == "cuda" else None
        parts = []
        if known:
            parts.append("known" if known == mine else f"WRONG: {mine}, known is {known}")
        if cpu:
            other = cpu["report"]["fingerprint"]
            parts.append("as on the CPU" if other == mine else f"WRONG: {mine}, on the CPU {other}")
        return ", ".join(parts) or "not compared"

    def run_failures(self):
        failures = []
        for run in self.runs:
            where = f"{name_of(run)} on {run['backend']}"
            if run["status"] == "failed":
                failures.append(f"{where}: {run['message']}")
            elif run["status"] == "ok" and "WRONG" in self.fingerprint_verdict(run):
                failures.append(f"{where}: fingerprint {self.fingerprint_verdict(run)}")
        return failures

    def failures(self):
        runs = self.run_failures()
        stages = [f"{name}: {note}" for name, result, _, note in self.stages if result == "failed"]
        return [stage for stage in stages if not (runs and stage.startswith("benchmarks:"))] + runs

    def dropped(self):
        return [f"{name_of(run)} on {run['backend']}: {run['message']}" for run in self.runs if run["status"] == "dropped"]

    def summary_of_runs(self):
        on_cpu = sum(run["status"] == "ok" and run["backend"] == "cpu" for run in self.runs)
        return (f"{len(self.done())} runs on the device and {on_cpu} on the CPU done, {len(self.dropped())} dropped, "
                f"{len(self.run_failures())} failed")

    def first_failing_test(self):
        """The line of ctest and the output below it."""
        excerpt = []
        for line in read_lines(os.path.join(self.folder, "tests.log")):
            is_result = re.match(r" *\d+/\d+ Test +#", line)
            if excerpt and (is_result or len(excerpt) == EXCERPT_LINES):
                break
            if excerpt or (is_result and "***" in line):
                excerpt.append(line)
        return excerpt

    def row(self, run):
        """The cells of the table of benchmarks."""
        if run["status"] != "ok":
            return [run["set"], run["mode"], f"2^{run['size']}", run["engine"], run["backend"], "", "", "", "", "", run["message"]]
        report, cpu, seconds = run["report"], self.on("cpu", run), solve_seconds(run)
        rate = scaled(report["option_count"] / seconds) + " options/s" if seconds > 0 and report["option_count"] else ""
        kernels = [f"{kernel['operator']} {kernel['seconds']:.3g} s" + percent(kernel["share"])
                   for kernel in report["kernels"] if kernel["seconds"]]
        against = [f"{solve_seconds(cpu):.3g}", f"{solve_seconds(cpu) / seconds:.3g}"] if cpu and seconds > 0 else ["", ""]
        return [run["set"], run["mode"], f"2^{run['size']}", report["engine"], report["backend"], f"{seconds:.3g}", rate,
                ", ".join(kernels), *against, self.fingerprint_verdict(run)]


HEADINGS = ["set", "mode", "n", "engine", "backend", "seconds", "rate", "kernels: seconds, share of the limit", "CPU seconds",
            "CPU/GPU", "fingerprint"]


def markdown_table(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def write_markdown(folder):
    results = Results(folder)
    lines = ["# Device check", "", *markdown_table(["", ""], results.facts), ""]
    lines += [*markdown_table(["stage", "result", "seconds", "notes"], results.stages), ""]
    rows = [results.row(run) for run in results.runs if run["status"] != "dropped" and run["backend"] == "cuda"]
    lines += [*markdown_table(HEADINGS, rows), ""]
    for title, items in [("Dropped, for lack of time", results.dropped()), ("Failed", results.failures())]:
        if items:
            lines += [f"{title}:", "", *(f"- {item}" for item in items), ""]
    excerpt = results.first_failing_test()
    if excerpt:
        lines += ["The first failing test:", "", "```", *excerpt, "```", ""]
    path = os.path.join(folder, "results.md")
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write("\n".join(lines))
    os.replace(path + ".new", path)
    return results


def print_short(results):
    print()
    columns = "{:14} {:5} {:>5} {:12} {:>9} {:>9} {:>8}  {}"
    print(columns.format("set", "mode", "n", "engine", "seconds", "CPU", "CPU/GPU", "most time; fingerprint"))
    for run in results.done():
        set_spec, mode, n, engine, _, seconds, _, _, cpu, ratio, verdict = results.row(run)
        timed = [kernel for kernel in run["report"]["kernels"] if kernel["seconds"]]
        most = ""
        if timed:
            kernel = max(timed, key=lambda kernel: kernel["seconds"])
            most = kernel["operator"] + percent(kernel["share"]) + "; "
        print(columns.format(set_spec, mode, n, engine, seconds, cpu, ratio, most + verdict))
    print()
    for name, result, seconds, note in results.stages:
        print(f"{name:18} {result:8} {seconds:>4} s  {note}")
    for title, items in [("DROPPED", results.dropped()), ("FAILED", results.failures())]:
        for item in items:
            print(f"{title}  {item}")
    for line in results.first_failing_test():
        print(line)
    print(f"{os.path.join(results.folder, 'results.md')}: {len(results.failures())} failures")


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit("usage: device_check_table.py FOLDER")
    results = write_markdown(sys.argv[1])
    print_short(results)
    return 1 if results.failures() or not results.done() else 0


if __name__ == "__main__":
    sys.exit(main())

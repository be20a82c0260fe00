#!/usr/bin/env python3
"""Tests of bench_solve, at sizes that take no time.

    run_bench_solve_tests.py PATH_TO_BENCH_SOLVE [unittest options]

That answers agree is checked by the program itself, which ends when one does not; here it is what it prints and refuses. Needs
nothing but the standard library.
"""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = ""
CASES = ["cold-squares", "nim-squares", "cold-primes", "nim-primes", "cold-random", "nim-random", "convolution-squares",
         "convolution-fftw"]
FIELDS = {"case", "set", "mode", "n", "threads", "baseline", "baseline_threads", "baseline_seconds", "baseline_runs", "engine",
          "instruction_set", "seconds", "runs", "ratio", "checked", "peak_bytes", "estimated_bytes"}


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


class BenchSolve(unittest.TestCase):
    def lines(self, *arguments):
        """What --json prints, an object a line; nothing on stderr, which is no terminal."""
        finished = run("--json", "--seconds", "0", *arguments)
        self.assertEqual((finished.returncode, finished.stderr), (0, ""), finished.stdout)
        return [json.loads(line) for line in finished.stdout.splitlines()]

    def test_every_case_is_checked_and_measured(self):
        lines = self.lines("-n", "2^14+3", "--threads", "1,2")
        missing = [line["case"] for line in lines if "missing" in line]
        self.assertLessEqual(set(missing), {"convolution-fftw"})
        self.assertEqual(list(dict.fromkeys(line["case"] for line in lines)), CASES)
        measured = [line for line in lines if "missing" not in line]
        self.assertEqual([line["threads"] for line in measured], [1, 2] * (len(CASES) - len(missing)))
        for line in measured:
            self.assertEqual(set(line), FIELDS)
            self.assertIs(line["checked"], True)
            self.assertEqual(line["n"], 2**14 + 3)
            self.assertGreater(min(line["seconds"], line["baseline_seconds"]), 0)
            self.assertAlmostEqual(line["ratio"] * line["seconds"] / line["baseline_seconds"], 1, delta=0.02)
            self.assertLessEqual(line["peak_bytes"], line["estimated_bytes"])
            self.assertEqual(line["mode"], "nim" if line["case"].startswith("nim") else "cold")
            if line["case"].startswith("convolution"):
                self.assertEqual(line["engine"], "convolution")

    def test_a_baseline_without_threads_is_measured_once(self):
        one, two = self.lines("--case", "cold-squares", "-n", "2^16", "--threads", "1,2")
        self.assertEqual((one["baseline_seconds"], one["baseline_threads"]), (two["baseline_seconds"], two["baseline_threads"]))

    def test_short_cases_are_repeated(self):
        finished = run("--json", "--seconds", "0.2", "--case", "nim-squares", "-n", "1e3", "--threads", "1")
        line = json.loads(finished.stdout)
        self.assertGreater(min(line["runs"], line["baseline_runs"]), 1)

    def test_growth_fits_six_octaves(self):
        lines = self.lines("--growth", "--case", "cold-squares,nim-squares", "--case=cold-primes", "-n", "2^15", "--threads", "1")
        sizes = [line["n"] for line in lines if line["case"] == "nim-squares" and "growth" not in line]
        self.assertEqual(sizes, [2**i for i in range(10, 16)])
        growth = {line["case"]: line for line in lines if "growth" in line}
        self.assertEqual(set(growth), {"cold-squares", "nim-squares", "cold-primes"})
        self.assertEqual((growth["nim-squares"]["n_from"], growth["nim-squares"]["n_to"]), (2**10, 2**15))
        self.assertGreater(growth["nim-squares"]["baseline_exponent"], 1.0)  # n^1.5 options

    def test_the_table_has_a_line_for_each(self):
        finished = run("--seconds", "0", "--case", "cold-squares,nim-primes", "-n", "1000", "--threads", "1")
        self.assertEqual(finished.returncode, 0, finished.stderr)
        self.assertEqual([line.split()[0] for line in finished.stdout.splitlines()], ["case", "cold-squares", "nim-primes"])

    def test_bad_arguments_are_named(self):
        for arguments, token in [(["--case", "cold-cubes"], "'cold-cubes'"), (["--case", "cold-squares,"], "''"),
                                 (["-n", "2^x"], "x"), (["-n", "0"], "'0'"), (["-n", "2^64"], "2^64"),
                                 (["--threads", "1,0"], "'0'"), (["--threads", "two"], "two"), (["--seconds", "-1"], "'-1'"),
                                 (["--speed"], "--speed"), (["fast"], "'fast'"), (["-n"], "'n'"),
                                 (["--growth", "--case", "nim-squares", "-n", "16"], "n = 16")]:
            with self.subTest(arguments=arguments):
                finished = run(*arguments)
                self.assertEqual(finished.returncode, 2, finished.stderr)
                self.assertIn(token, finished.stderr)

    def test_a_missing_case_fails_when_it_was_asked_for(self):
        finished = run("--json", "--case", "convolution-fftw", "-n", "1000", "--seconds", "0")
        line = json.loads(finished.stdout.splitlines()[0])
        self.assertEqual(finished.returncode, 1 if "missing" in line else 0)

    def test_help_names_every_case_and_field(self):
        finished = run("--help")
        self.assertEqual(finished.returncode, 0)
        for name in CASES + sorted(FIELDS):
            self.assertIn(name, finished.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: run_bench_solve_tests.py PATH_TO_BENCH_SOLVE [unittest options]")
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()

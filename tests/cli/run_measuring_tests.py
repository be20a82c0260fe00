#!/usr/bin/env python3
"""Tests of the command's modes that measure: --calibrate and --crossover, and of the cost profile that runs go by.

    run_measuring_tests.py PATH_TO_COMMAND [unittest options]
    run_measuring_tests.py --emulated PATH_TO_COMMAND [unittest options]

The second form tests a command whose CUDA backend runs on the emulated device, and of that only what has to do with the device.

Budgets are as small as they can be: what is measured is not judged here, only what is done with it.
"""

import json
import math
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import run_cli_tests
from run_cli_tests import SECONDS, CommandTest

COST_KEYS = {"name", "default_ns", "ns", "meaning"}


def environment(**changes):
    """The tests' environment with changes; None takes a variable away."""
    changed = {**os.environ, **changes}
    return {name: value for name, value in changed.items() if value is not None}


class Calibrate(CommandTest):
    """One calibration serves all tests that only need a profile."""

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="subgame-home-")
        cls.addClassCleanup(shutil.rmtree, cls.home)
        cls.made = os.path.join(cls.home, ".config", "subgame", "profile")
        done = subprocess.run([run_cli_tests.COMMAND, "--calibrate", "--seconds", "1", "--json"], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=5 * SECONDS,
                              env=environment(SUBGAME_PROFILE=None, XDG_CONFIG_HOME=None, HOME=cls.home))
        cls.status, cls.stderr = done.returncode, done.stderr
        cls.report = json.loads(done.stdout)

    def test_the_report_has_every_cost(self):
        report = self.report
        self.assertEqual((self.status, self.stderr), (0, b""))
        self.assertEqual(set(report), {"schema", "version", "mode", "processor", "instruction_set", "profile", "solves", "seconds",
                                       "error_before", "error_after", "costs"})
        self.assertEqual((report["schema"], report["mode"]), ("subgame/1", "calibrate"))
        self.assertGreater(len(report["costs"]), 5)
        for cost in report["costs"]:
            self.assertEqual(set(cost), COST_KEYS)
            self.assertTrue(cost["ns"] > 0 and cost["default_ns"] > 0 and cost["meaning"], cost)
        self.assertGreater(report["solves"], 10)

    def test_the_profile_is_kept_in_the_home_folder(self):
        self.assertEqual(self.report["profile"], self.made)
        with open(self.made, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "subgame cost profile 1")
        self.assertEqual(lines[1], "instruction_set " + self.report["instruction_set"])
        self.assertEqual(lines[2], "processor " + self.report["processor"])
        self.assertEqual([line.split()[0] for line in lines[3:]], [cost["name"] for cost in self.report["costs"]])
        for line, cost in zip(lines[3:], self.report["costs"]):
            self.assertAlmostEqual(float(line.split()[1]), cost["ns"], delta=1e-6 + 1e-8 * cost["ns"])
        self.assertEqual(os.listdir(os.path.dirname(self.made)), ["profile"])  # and nothing temporary
        self.assertTrue(os.stat(self.made).st_mode & stat.S_IRUSR)

    def solved(self, *arguments, **variables):
        return json.loads(self.output("-n", "2^19", "--json", *arguments, env=environment(**variables)))

    def test_later_runs_use_it_and_say_so(self):
        built_in = self.solved(SUBGAME_PROFILE="")
        self.assertEqual((built_in["profile"], built_in["profile_unused"]), (None, None))
        folder = self.path("xdg")
        shutil.copytree(os.path.join(self.home, ".config"), folder)
        for path, variables in ((self.made, {"SUBGAME_PROFILE": self.made}),
                                (self.made, {"SUBGAME_PROFILE": None, "XDG_CONFIG_HOME": None, "HOME": self.home}),
                                (folder + "/subgame/profile", {"SUBGAME_PROFILE": None, "XDG_CONFIG_HOME": folder})):  # fmt: skip
            report = self.solved(**variables)
            self.assertEqual((report["profile"], report["profile_unused"]), (path, None))
            self.assertEqual(report["fingerprint"], built_in["fingerprint"])
        text = self.output("-n", "2^19", env=environment(SUBGAME_PROFILE=self.made)).decode()
        self.assertIn(f"\ncosts           {self.made}\n", text)
        self.assertNotIn("\ncosts ", self.output("-n", "2^19").decode())

    def test_a_profile_that_does_not_fit_is_not_used_and_the_reason_is_given(self):
        with open(self.made, encoding="utf-8") as file:
            text = file.read()
        wrong = self.path("wrong")
        for old, new, reason in (("profile 1", "profile 9", "profile 1"), ("processor ", "processor other ", "'other "),
                                 ("_ns ", "_ns x", "x")):  # fmt: skip
            with open(wrong, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new, 1))
            report = self.solved(SUBGAME_PROFILE=wrong)
            self.assertIsNone(report["profile"])
            self.assertIn(reason, report["profile_unused"])
            self.assertEqual(report["fingerprint"], self.solved(SUBGAME_PROFILE="")["fingerprint"])
        shown = self.output("-n", "2^19", env=environment(SUBGAME_PROFILE=wrong)).decode()
        self.assertRegex(shown, r"(?m)^costs +built in, since cost profile ")

    def test_a_profile_that_was_named_and_is_not_there_is_told(self):
        missing = self.path("missing")
        self.assertIn(missing, self.solved(SUBGAME_PROFILE=missing)["profile_unused"])
        unnamed = self.solved(SUBGAME_PROFILE=None, XDG_CONFIG_HOME=self.directory)
        self.assertEqual((unnamed["profile"], unnamed["profile_unused"]), (None, None))

    def test_an_interrupt_leaves_the_old_profile(self):
        with open(self.path("profile"), "w", encoding="utf-8") as file:
            file.write("old\n")
        child = subprocess.Popen([run_cli_tests.COMMAND, "--calibrate", "--output", self.path("profile")],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=SECONDS), (b"", b"subgame-gpu: interrupted\n"))
        self.assertEqual(child.returncode, 130)
        self.assertEqual(os.listdir(self.directory), ["profile"])
        with open(self.path("profile"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "old\n")

    def test_bad_usage(self):
        self.refused(2, "--calibrate", mentions="--output FILE", env=environment(SUBGAME_PROFILE=""))
        self.refused(2, "--calibrate", "--output", "-", mentions="--output -")
        self.refused(2, "--calibrate", "--seconds", "0", mentions="'0'")
        for arguments in (("-n", "10"), ("--set", "primes"), ("--threads", "2"), ("--format", "csv"), ("--plot", "a.svg")):
            self.refused(2, "--calibrate", *arguments, mentions=("no meaning", "--calibrate"))
        self.refused(2, "--calibrate", "--nim", mentions=("--calibrate", "--nim"))
        self.refused(2, "-n", "10", "--seconds", "3", mentions=("--seconds", "no meaning"))


class Crossover(CommandTest):
    KEYS = {"schema", "version", "mode", "compared", "set", "threads", "budget_seconds", "seconds", "series", "crossings", "theory"}

    def swept(self, *arguments):
        return self.json("--crossover", "--seconds", "2", *arguments)

    def test_every_way_of_the_mode_is_timed_and_gives_the_same(self):
        for mode, some in (("cold", {"dp", "sieve", "split"}), ("nim", {"dp", "tile", "split"})):
            report = self.swept("--" + mode, "-n", "2^13", "--threads", "2", "--backend", "cpu")
            self.assertEqual(set(report), self.KEYS)
            self.assertEqual((report["mode"], report["compared"], report["set"]), ("crossover", mode, "squares"))
            self.assertLessEqual(some, {series["engine"] for series in report["series"]})
            for series in report["series"]:
                self.assertEqual(set(series), {"engine", "backend", "stopped", "points", "fit"})
                self.assertEqual([point["n"] for point in series["points"]], [2**10, 2**11, 2**12, 2**13])
                self.assertEqual((series["backend"], series["stopped"]), ("cpu", "limit"))
                self.assertTrue(all(point["seconds"] > 0 and point["runs"] > 0 for point in series["points"]))
            expected = self.json("--" + mode, "-n", "2^13")["fingerprint"]
            self.assertEqual({series["points"][-1]["fingerprint"] for series in report["series"]}, {expected})

    def test_every_pair_of_ways_is_compared(self):
        report = self.swept("-n", "2^17", "--backend", "cpu", "--threads", "1")
        pairs = set()
        for crossing in report["crossings"]:
            self.assertEqual(set(crossing), {"kind", "winner", "loser", "log2_n"} |
                             ({"log2_low", "log2_high"} if crossing["kind"] != "none" else set()))  # fmt: skip
            pairs.add(frozenset((crossing["winner"]["engine"], crossing["loser"]["engine"])))
            if crossing["kind"] == "measured":
                self.assertTrue(10 <= crossing["log2_low"] <= crossing["log2_n"] <= crossing["log2_high"] <= 17, crossing)
            elif crossing["kind"] == "extrapolated":
                self.assertTrue(crossing["log2_low"] <= crossing["log2_n"] <= (crossing["log2_high"] or 1e9), crossing)
        count = len(report["series"])
        self.assertEqual(len(pairs), count * (count - 1) // 2)

    def test_the_paper_s_comparison_comes_out_as_in_the_paper(self):
        """About 2^59 for outcomes and 2^86 for nim-values, where larger games have exponents 0.70 and 0.35."""
        cold = self.swept("-n", "2^22", "--engine", "split")["theory"]
        self.assertAlmostEqual(cold["member_exponent"], 0.5, delta=0.01)
        self.assertTrue(0.68 < cold["cold_exponent"] < 0.72, cold)
        self.assertTrue(50 < cold["log2_n"] < 70, cold)
        nim = self.swept("--nim", "-n", "2^19", "--engine", "tile")["theory"]
        self.assertTrue(0.32 < nim["value_exponent"] < 0.40, nim)
        self.assertTrue(70 < nim["log2_n"] < 180, nim)
        for theory in (cold, nim):  # the equation that it claims to solve
            x = theory["log2_n"]
            self.assertAlmostEqual(theory["gain"] * x, 2 * math.log2(x), places=4)

    def test_the_budget_is_kept(self):
        begin = time.monotonic()
        report = self.json("--crossover", "--seconds", "1", "--set", "primes")
        self.assertLess(time.monotonic() - begin, 4.0)
        self.assertEqual({series["stopped"] for series in report["series"]}, {"time"})

    def test_lists_choose_the_ways(self):
        report = self.swept("-n", "2^11", "--engine", "split,dp,auto", "--backend", "cpu")
        self.assertEqual([series["engine"] for series in report["series"]], ["auto", "dp", "split"])
        report = self.swept("-n", "2^10", "--engine", "dp", "--backend=cpu")
        self.assertEqual((len(report["series"]), report["crossings"], report["series"][0]["fit"]), (1, [], None))
        self.assertIsNone(report["theory"])

    def test_nothing_measured_is_no_failure(self):
        report = self.swept("-n", "1000", "--engine", "dp")
        self.assertEqual((report["series"][0]["points"], report["theory"]), ([], None))
        self.assertIn(b"nothing measured: limit", self.output("--crossover", "-n", "1000", "--engine", "dp"))

    def test_memory_ends_a_way(self):
        report = self.swept("--engine", "dp", "--memory", "8K", "--backend", "cpu")
        self.assertEqual(report["series"][0]["stopped"], "memory")

    def test_as_text(self):
        text = self.output("--crossover", "--seconds", "2", "-n", "2^14", "--backend", "cpu").decode()
        self.assertIn("game            subtract squares, cold heap sizes\n", text)
        for part in ("dp (cpu)", "sieve (cpu)", "split (cpu)", "2^14", "Ways", "Crossings", "By theory", "log2(n)^2"):
            self.assertIn(part, text)
        self.assertEqual(self.output("--crossover", "--seconds", "1", "-n", "2^10", "--quiet"), b"")

    def test_as_csv(self):
        path = self.path("sweep.csv")
        arguments = ("--crossover", "-n", "2^11", "--engine", "dp,split", "--backend", "cpu", "--format", "csv")
        report = json.loads(self.output(*arguments, "--output", path, "--json"))
        with open(path, encoding="utf-8") as file:
            head, *rows = file.read().splitlines()
        self.assertEqual(head, "n,engine,backend,seconds,heap_sizes_per_second,runs,fingerprint")
        self.assertEqual([row.split(",")[:3] for row in rows], [[str(2**i), engine, "cpu"] for engine in ("dp", "split") for i in (10, 11)])
        self.assertEqual([row.split(",")[6] for row in rows],
                         [point["fingerprint"] for series in report["series"] for point in series["points"]])  # fmt: skip
        self.assertTrue(self.output(*arguments).startswith(head.encode() + b"\n1024,dp,cpu,"))

    def test_plots(self):
        if shutil.which("gnuplot") is None:
            self.skipTest("gnuplot is not installed (Debian: gnuplot-nox)")
        svg, png = self.path("it's a plot.svg"), self.path("plot.png")
        for path in (svg, png):
            self.output("--crossover", "--seconds", "2", "-n", "2^16", "--set", "{1,2,7}", "--backend", "cpu", "--plot", path)
        root = xml.etree.ElementTree.parse(svg).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        text = "".join(root.itertext())
        for name in ("dp (cpu)", "split (cpu)", "log2 n", "{1,2,7}"):
            self.assertIn(name, text)
        with open(png, "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.refused_after_output("--crossover", "-n", "2^12", "--engine", "dp", "--plot", self.path("none/plot.svg"))

    def refused_after_output(self, *arguments):
        done = run_cli_tests.run(*arguments)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"subgame-gpu: gnuplot could not draw", done.stderr)

    def test_a_plot_without_gnuplot_is_refused_before_anything_is_measured(self):
        begin = time.monotonic()
        self.refused(1, "--crossover", "--plot", self.path("a.svg"), mentions=("gnuplot", "gnuplot-nox"),
                     env=environment(PATH=self.directory))  # fmt: skip
        self.assertLess(time.monotonic() - begin, 5.0)

    def test_bad_usage(self):
        self.refused(2, "--crossover", "--engine", "tile", mentions=("tile", "cold"))
        self.refused(2, "--crossover", "--nim", "--engine", "dp,sieve", mentions=("sieve", "nim"))
        self.refused(2, "--crossover", "--engine", "dp,fast", mentions="'fast'")
        self.refused(2, "--crossover", "--engine", "dp,", mentions="''")
        self.refused(2, "--crossover", "--set", "powers:0", mentions=("--set", "powers:0"))
        self.refused(2, "--crossover", "--remoteness", mentions=("--crossover", "--remoteness"))
        self.refused(2, "--devices", "--crossover", mentions=("--crossover", "--devices"))
        self.refused(2, "--crossover", "--plot", "a.gif", mentions=("'a.gif'", ".svg", ".png"))
        self.refused(2, "--crossover", "--format", "list", mentions=("list", "csv"))
        self.refused(2, "--crossover", "--json", "--format", "csv", mentions="--output FILE")
        for arguments in (("--misere",), ("--hotspots", "{1}"), ("--verify", "3"), ("--rows", "5"), ("--from", "2")):
            self.refused(2, "--crossover", *arguments, mentions=(arguments[0], "no meaning"))
        self.refused(2, "-n", "10", "--engine", "dp,split", mentions=("--engine", "--crossover"))
        self.refused(2, "-n", "10", "--backend", "cpu,cuda", mentions=("--backend", "--crossover"))
        self.refused(2, "-n", "10", "--plot", "a.svg", mentions=("--plot", "no meaning"))

    def test_a_device_that_is_not_there_fails_who_names_it(self):
        if json.loads(self.output("--devices", "--json"))["cuda_unusable"] is None:
            self.skipTest("a CUDA device is usable")
        self.refused(1, "--crossover", "--backend", "cpu,cuda", mentions="--backend cuda")

    def test_an_interrupt_ends_it(self):
        child = subprocess.Popen([run_cli_tests.COMMAND, "--crossover"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.8)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=SECONDS), (b"", b"subgame-gpu: interrupted\n"))
        self.assertEqual(child.returncode, 130)


class EmulatedCrossover(CommandTest):
    def test_cpu_and_device_stand_in_one_table(self):
        for mode, engines in (("cold", {"split", "convolution"}), ("nim", {"tile", "split", "convolution"})):
            report = self.json("--crossover", "--seconds", "4", "--" + mode, "-n", "2^11")
            served = {(series["engine"], series["backend"]) for series in report["series"]}
            for engine in engines:
                self.assertLessEqual({(engine, "cpu"), (engine, "cuda")}, served)
            self.assertIn(("dp", "cpu"), served)
            self.assertNotIn(("dp", "cuda"), served)
            expected = self.json("--" + mode, "-n", "2^10", "--backend", "cpu")["fingerprint"]
            self.assertEqual({series["points"][0]["fingerprint"] for series in report["series"]}, {expected})


def load_tests(loader, _tests, _pattern):
    """Those of this file, and not those that its imports bring."""
    classes = (EmulatedCrossover,) if run_cli_tests.EMULATED else (Calibrate, Crossover)
    return loader.suiteClass(loader.loadTestsFromTestCase(c) for c in classes)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--emulated"]:
        run_cli_tests.EMULATED = bool(sys.argv.pop(1))
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: run_measuring_tests.py [--emulated] PATH_TO_COMMAND [unittest options]")
    run_cli_tests.COMMAND = os.path.abspath(sys.argv.pop(1))
    for number in (signal.SIGINT, signal.SIGTERM):  # see run_cli_tests.py
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    unittest.main()

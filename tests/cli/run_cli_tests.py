#!/usr/bin/env python3
"""Tests of the command as a program: what it prints, how it exits, what it refuses.

    run_cli_tests.py PATH_TO_COMMAND [unittest options]
    run_cli_tests.py --emulated PATH_TO_COMMAND [unittest options]

The second form tests a command whose CUDA backend runs on the emulated device (1 GiB of memory), and of that only what has to
do with the device.

Needs nothing but the standard library. Expected values come from the naive solver below, which knows only the definition of the
game, and from fingerprints that independent programs have computed.
"""

import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

COMMAND = ""
EMULATED = False
SECONDS = 60  # for one run of the command; far more than any of them needs
os.environ["SUBGAME_PROFILE"] = ""  # whatever costs the user of this machine may have measured
SLACK_SECONDS = 1.0  # for a machine that is busy with other tests


def run(*arguments, **keywords):
    """Runs the command; stdout and stderr are bytes."""
    keywords.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([COMMAND, *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=SECONDS, **keywords)


def naive(members, n, mode, misere=False, hotspots=()):
    """Cold flags and values of heap sizes 0 .. n-1, by the definition of the game."""
    members = sorted(set(members))
    hot = set(hotspots)
    cold, values = [], []
    for p in range(n):
        options = [p - s for s in members if s <= p]
        winning = [q for q in options if cold[q]]
        is_cold = (not winning and (bool(options) or not misere)) and p not in hot
        cold.append(is_cold)
        if mode == "nim":
            seen = {values[q] for q in options}
            values.append(next(v for v in range(len(options) + 1) if v not in seen))
        elif not options:
            values.append(0)
        elif is_cold:
            values.append(1 + max(values[q] for q in options))
        else:
            values.append(1 + min(values[q] for q in winning) if winning else 0)
    return cold, values


def squares(n):
    return [k * k for k in range(1, int(n**0.5) + 2)]


def cold_heaps(cold):
    return [p for p, is_cold in enumerate(cold) if is_cold]


def bit_vector(cold):
    data = bytearray((len(cold) + 7) // 8)
    for p in cold_heaps(cold):
        data[p // 8] |= 1 << p % 8
    return bytes(data)


def lines_of(items):
    return "".join(f"{item}\n" for item in items).encode()


def parse_npy(data):
    """Header dictionary and numbers of a .npy file of version 1.0, taken apart by hand."""
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    header = data[10 : 10 + length].decode("ascii")
    assert (10 + length) % 64 == 0 and header.endswith("\n"), header
    fields = re.fullmatch(r"\{'descr': '(<u[248])', 'fortran_order': False, 'shape': \((\d+),\), \} *\n", header)
    assert fields, header
    kind, count = fields.group(1), int(fields.group(2))
    code = {"<u2": "H", "<u4": "I", "<u8": "Q"}[kind]
    payload = data[10 + length :]
    assert len(payload) == count * struct.calcsize(code), (len(payload), count)
    return kind, list(struct.unpack(f"<{count}{code}", payload))


class CommandTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="subgame-cli-")
        self.addCleanup(shutil.rmtree, self.directory)

    def path(self, name):
        return os.path.join(self.directory, name)

    def output(self, *arguments, status=0, **keywords):
        """Standard output of a run that must end with `status` and say nothing on stderr."""
        done = run(*arguments, **keywords)
        self.assertEqual((done.returncode, done.stderr), (status, b""), arguments)
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.output(*arguments, "--json"))

    def refused(self, status, *arguments, mentions=(), **keywords):
        """Text on stderr of a run that must fail with `status` and print nothing on stdout."""
        done = run(*arguments, **keywords)
        text = done.stderr.decode("utf-8", "replace")
        self.assertEqual(done.returncode, status, (arguments, text))
        self.assertTrue(text.startswith("subgame-gpu: "), text)
        self.assertFalse(done.stdout, arguments)
        for mention in (mentions,) if isinstance(mentions, str) else mentions:
            self.assertIn(mention, text, arguments)
        self.assertEqual("try 'subgame-gpu --help'" in text, status == 2, text)
        return text


class Formats(CommandTest):
    N = 1500
    COLD, NIM = naive(squares(N), N, "nim")
    _, REMOTENESS = naive(squares(N), N, "remoteness")

    def data(self, *arguments):
        return self.output(*arguments, "-n", str(self.N))

    def test_list(self):
        self.assertEqual(self.data("-f", "list"), lines_of(cold_heaps(self.COLD)))
        self.assertEqual(self.data("--nim", "--format", "list"), lines_of(self.NIM))
        self.assertEqual(self.data("--remoteness", "--format=list"), lines_of(self.REMOTENESS))

    def test_list_from_a_heap_on(self):
        for start in (0, 1, 2, 3, 34, 777, self.N - 1, self.N, self.N + 5, 2**64 - 1):
            cold = [p for p in cold_heaps(self.COLD) if p >= start]
            self.assertEqual(self.data("-f", "list", "--from", str(start)), lines_of(cold))
            self.assertEqual(self.data("--nim", "-f", "list", "--from", str(start)), lines_of(self.NIM[start:]))

    def test_bfile(self):
        cold = cold_heaps(self.COLD)
        self.assertEqual(self.data("-f", "bfile"), lines_of(f"{i} {p}" for i, p in enumerate(cold)))
        self.assertEqual(self.data("-f", "bfile", "--offset", "1"), lines_of(f"{i} {p}" for i, p in enumerate(cold, 1)))
        self.assertEqual(self.data("--nim", "-f", "bfile"), lines_of(f"{p} {v}" for p, v in enumerate(self.NIM)))
        self.assertEqual(
            self.data("--nim", "-f", "bfile", "--offset", "10"), lines_of(f"{p} {v}" for p, v in enumerate(self.NIM, 10))
        )

    def test_a_part_of_a_bfile_is_a_part_of_the_whole(self):
        cold = cold_heaps(self.COLD)
        expected = lines_of(f"{i} {p}" for i, p in enumerate(cold, 7) if p >= 1000)
        self.assertEqual(self.data("-f", "bfile", "--offset", "7", "--from", "1000"), expected)

    def test_firsts(self):
        for mode, values in (("--nim", self.NIM), ("--remoteness", self.REMOTENESS)):
            expected = [f"{v} {values.index(v)}" for v in sorted(set(values))]
            self.assertEqual(self.data(mode, "-f", "firsts"), lines_of(expected))

    def test_csv(self):
        cold = cold_heaps(self.COLD)
        self.assertEqual(self.data("-f", "csv"), b"index,heap\n" + lines_of(f"{i},{p}" for i, p in enumerate(cold)))
        self.assertEqual(self.data("--nim", "-f", "csv"), b"heap,nim\n" + lines_of(f"{p},{v}" for p, v in enumerate(self.NIM)))
        self.assertEqual(
            self.data("--remoteness", "-f", "csv", "--from", "1400"),
            b"heap,remoteness\n" + lines_of(f"{p},{v}" for p, v in enumerate(self.REMOTENESS) if p >= 1400),
        )

    def test_npy(self):
        self.assertEqual(parse_npy(self.data("-f", "npy")), ("<u8", cold_heaps(self.COLD)))
        self.assertEqual(parse_npy(self.data("--nim", "-f", "npy")), ("<u2", self.NIM))
        self.assertEqual(parse_npy(self.data("--nim", "-f", "npy", "--from", "1001")), ("<u2", self.NIM[1001:]))
        late = [p for p in cold_heaps(self.COLD) if p >= 1001]
        self.assertEqual(parse_npy(self.data("-f", "npy", "--from", "1001")), ("<u8", late))

    def test_values_past_16_bits_widen_the_whole_array(self):
        # Subtracting one token only, a heap of p lasts p moves.
        n = 65540
        self.assertEqual(
            parse_npy(self.output("--remoteness", "--set", "{1}", "-n", str(n), "-f", "npy")), ("<u4", list(range(n)))
        )
        raw = self.output("--remoteness", "--set", "{1}", "-n", str(n), "-f", "raw")
        self.assertEqual(raw, struct.pack(f"<{n}I", *range(n)))

    def test_raw(self):
        for n in (1, 7, 8, 9, 63, 64, 65, 511, 512, 513, 1000):
            self.assertEqual(self.output("-n", str(n), "-f", "raw"), bit_vector(self.COLD[:n]), n)
            expected = struct.pack(f"<{n}H", *self.NIM[:n])
            self.assertEqual(self.output("--nim", "-n", str(n), "-f", "raw"), expected, n)

    def test_outcomes(self):
        expected = "".join("L" if is_cold else "W" for is_cold in self.COLD).encode() + b"\n"
        for mode in ("--cold", "--nim", "--remoteness"):
            self.assertEqual(self.data(mode, "-f", "outcomes"), expected)
        self.assertEqual(self.data("-f", "outcomes", "--from", "1490"), expected[1490:])

    def test_chunks_join(self):
        # Longer than any buffer on the way.
        whole = self.output("--nim", "-n", "200000", "-f", "list").split()
        self.assertEqual(len(whole), 200000)
        self.assertEqual(self.output("--nim", "-n", "200000", "-f", "list", "--from", "99999").split(), whole[99999:])
        raw = self.output("--nim", "-n", "200000", "-f", "raw")
        self.assertEqual(struct.unpack("<200000H", raw), tuple(int(v) for v in whole))
        outcomes = self.output("-n", "200000", "-f", "outcomes").strip().decode()
        self.assertEqual(outcomes, "".join("L" if v == b"0" else "W" for v in whole))

    def test_nothing_to_list(self):
        for mode in ("--cold", "--nim", "--remoteness"):
            for name in ("list", "bfile", "raw", "outcomes"):
                self.assertEqual(self.output(mode, "-n", "0", "-f", name), b"", (mode, name))
            kind, numbers = parse_npy(self.output(mode, "-n", "0", "-f", "npy"))
            self.assertEqual((kind, numbers), ("<u8" if mode == "--cold" else "<u2", []))
            self.assertEqual(self.output(mode, "-n", "0", "-f", "csv").count(b"\n"), 1)
            self.assertIn(b"n = 0", self.output(mode, "-n", "0"))
        self.assertEqual(self.output("--nim", "-n", "0", "-f", "firsts"), b"")

    def test_one_heap(self):
        self.assertEqual(self.output("-n", "1", "-f", "list"), b"0\n")
        self.assertEqual(self.output("-n", "1", "--misere", "-f", "list"), b"")
        self.assertEqual(self.output("-n", "1", "-f", "outcomes"), b"L\n")
        self.assertEqual(self.output("--nim", "-n", "1", "-f", "firsts"), b"0 0\n")


class Games(CommandTest):
    def check(self, members, n, *arguments, misere=False, hotspots=()):
        cold, _ = naive(members, n, "cold", misere, hotspots)
        self.assertEqual(self.output("-n", str(n), "-f", "list", *arguments), lines_of(cold_heaps(cold)), arguments)

    def test_sets(self):
        self.check([2, 4, 7], 100, "--set", "{2,4,7}")
        self.check([k**3 for k in range(1, 10)], 500, "--set", "cubes")
        primes = [p for p in range(2, 500) if all(p % d for d in range(2, int(p**0.5) + 1))]
        self.check(primes, 500, "--set=primes")
        self.check([2, 4, 7], 100, "--set", "{7, 2,4,2,7}")
        self.check([16, 3], 100, "--set", "{2^4,3}")

    def test_misere(self):
        self.check([2, 4, 7], 100, "--set", "{2,4,7}", "--misere", misere=True)
        self.check(squares(300), 300, "--misere", misere=True)

    def test_hotspots(self):
        self.check(squares(300), 300, "--hotspots", "{0,7,200}", hotspots=[0, 7, 200])
        self.check([2, 4, 7], 100, "--hotspots", "squares", "--set", "{2,4,7}", hotspots=squares(100))

    def test_remoteness(self):
        for misere in (False, True):
            cold, values = naive([2, 4, 7], 200, "remoteness", misere)
            arguments = ["--remoteness", "--set", "{2,4,7}", "-n", "200"] + ["--misere"] * misere
            self.assertEqual(self.output(*arguments, "-f", "list"), lines_of(values))
            self.assertEqual(self.json(*arguments)["cold_count"], sum(cold))

    def test_set_from_a_file(self):
        with open(self.path("set"), "w") as file:
            file.write("# a comment\n7, 2\n4 2\n")
        self.check([2, 4, 7], 100, "--set", "file:" + self.path("set"))

    def test_engines_agree(self):
        for mode, engines in (
            ("--cold", ("dp", "sieve", "split", "convolution")),
            ("--nim", ("dp", "tile", "split", "convolution")),
            ("--remoteness", ("dp",)),
        ):
            expected = self.json(mode, "-n", "5000")["fingerprint"]
            for engine in engines:
                if engine == "convolution" and run("-n", "1", "--engine", engine).returncode == 2:
                    continue  # a build without a Fourier transform
                report = self.json(mode, "-n", "5000", "--engine", engine)
                self.assertEqual((report["engine"], report["fingerprint"]), (engine, expected), (mode, engine))

    def test_tuning_changes_nothing(self):
        expected = self.json("-n", "5000")["fingerprint"]
        for arguments in (
            ("--rows", "1"), ("--rows", "5"), ("--rows", "auto"), ("--rows", "4096"),
            ("--base-threshold", "1"), ("--base-threshold", "2^10"),
            ("--threads", "1"), ("--threads", "2"), ("--threads=auto",), ("--backend", "cpu"), ("--memory", "1G"),
        ):  # fmt: skip
            report = self.json("-n", "5000", "--engine", "split", *arguments)
            self.assertEqual(report["fingerprint"], expected, arguments)

    def test_batches_of_levels_change_nothing(self):
        arguments = ("--nim", "-n", "5000", "--set", "primes", "--engine")
        expected = self.json(*arguments, "dp")
        self.assertEqual((expected["levels"], expected["level_batch"]), (0, 0))
        for batch in ("1", "2", "3", "50", "auto"):
            report = self.json(*arguments, "split", "--level-batch", batch, "--base-threshold", "64")
            self.assertEqual(report["fingerprint"], expected["fingerprint"], batch)
            self.assertGreater(report["levels"], expected["max_nim"], batch)
            if batch != "auto":
                self.assertEqual(report["level_batch"], int(batch))


class Json(CommandTest):
    KEYS = {
        "schema", "version", "mode", "set", "hotspots", "play", "n", "engine", "backend", "device", "instruction_set",
        "threads", "rows", "base_threshold", "cold_count", "max_nim", "max_nim_at", "fingerprint", "seconds", "peak_bytes",
        "estimated_bytes", "value_bytes", "member_count", "option_count", "levels", "operators", "verified", "fallback",
        "level_batch", "inner", "near", "profile", "profile_unused", "device_peak_bytes", "device_estimated_bytes", "bytes_to_device", "bytes_from_device", "kernels",
    }  # fmt: skip

    def test_cold(self):
        report = self.json("-n", "20000")
        self.assertEqual(set(report), self.KEYS)
        self.assertEqual(
            [report[key] for key in ("schema", "mode", "set", "play", "n", "hotspots", "backend")],
            ["subgame/1", "cold", "squares", "normal", 20000, None, "cpu"],
        )
        self.assertEqual([report[key] for key in ("cold_count", "max_nim", "max_nim_at")], [911, None, None])
        self.assertRegex(report["fingerprint"], r"^[0-9a-f]{16}$")
        self.assertEqual(set(report["seconds"]), {"total", "plan", "set", "solve", "summary", "verify", "output"})
        self.assertEqual(
            set(report["operators"]), {"shift_or", "scatter", "convolve", "convolve_float", "convolve_redone"}
        )
        self.assertEqual(report["verified"], {"samples": 1024, "failures": 0, "first_failure": None})
        self.assertNotEqual(report["engine"], "auto")

    def test_the_cpu_needs_no_device(self):
        report = self.json("-n", "20000", "--backend", "cpu")
        self.assertEqual((report["backend"], report["fallback"], report["kernels"]), ("cpu", None, []))
        for key in ("device_peak_bytes", "device_estimated_bytes", "bytes_to_device", "bytes_from_device"):
            self.assertEqual(report[key], 0, key)

    def test_nim(self):
        report = self.json("--nim", "-n", "2^16")
        self.assertEqual(set(report), self.KEYS)
        self.assertEqual((report["max_nim"], report["max_nim_at"], report["n"]), (63, 63323, 65536))
        self.assertEqual(report["option_count"], sum(int(p**0.5) for p in range(65536)))
        self.assertEqual(report["member_count"], 255)

    def test_remoteness(self):
        report = self.json("--remoteness", "-n", "1500")
        self.assertEqual(set(report), self.KEYS | {"max_remoteness", "max_remoteness_at"})
        values = naive(squares(1500), 1500, "remoteness")[1]
        self.assertEqual(report["max_remoteness"], max(values))
        self.assertEqual(report["max_remoteness_at"], values.index(max(values)))
        self.assertIsNone(report["max_nim"])

    def test_empty_result(self):
        for mode in ("--cold", "--nim", "--remoteness"):
            report = self.json(mode, "-n", "0")
            self.assertEqual((report["n"], report["cold_count"], report["max_nim"]), (0, 0, None))
            self.assertEqual(report["verified"]["samples"], 0)
            self.assertEqual(report["fingerprint"], "2d06800538d394c2")  # XXH3-64 of nothing

    def test_play_and_hotspots(self):
        self.assertEqual(self.json("-n", "9", "--misere")["play"], "misere")
        self.assertEqual(self.json("-n", "9", "--hotspots", "{0,3}")["hotspots"], "{0,3}")

    def test_verified(self):
        self.assertEqual(self.json("-n", "5000", "--verify", "full")["verified"]["samples"], 5000)
        self.assertEqual(self.json("-n", "5000", "--verify", "10")["verified"]["samples"], 10)
        self.assertEqual(self.json("-n", "5000", "--verify=0")["verified"]["samples"], 0)
        self.assertEqual(self.json("-n", "50")["verified"]["samples"], 50)

    def test_quiet_keeps_json(self):
        self.assertEqual(self.json("-n", "50", "--quiet")["n"], 50)

    def test_names_are_escaped(self):
        # A path may hold any byte; JSON may not.
        for name in (b'quote" back\\slash', b"line\nfeed\ttab\x01", "\u00fcml\u00e4ut \u2713".encode(), b"bad \xff\xc0\xaf\xed\xa0\x80"):
            path = os.path.join(os.fsencode(self.directory), name)
            with open(path, "w") as file:
                file.write("2 4 7\n")
            text = self.output("--set", b"file:" + path, "-n", "10", "--json").decode("utf-8", "strict")
            report = json.loads(text)
            self.assertEqual(report["cold_count"], 5 - 1)
            if b"\xff" not in name:
                self.assertTrue(report["set"].endswith(name.decode()), report["set"])

    def test_data_in_a_file_beside_json(self):
        target = self.path("values")
        report = self.json("--nim", "-n", "1000", "-f", "raw", "--output", target)
        self.assertEqual(os.path.getsize(target), 2000)
        self.assertEqual(report["n"], 1000)


class Fingerprints(CommandTest):
    def test_known(self):
        for arguments, count, expected in (
            (("--cold", "-n", "2^24"), 100145, "3071898cf2ff61e6"),
            (("--cold", "-n", "2^26"), 262950, "435c266c75957074"),
            (("--nim", "-n", "2^20"), 14421, "025de8da7eae3fa4"),
        ):
            report = self.json(*arguments)
            self.assertEqual((report["cold_count"], report["fingerprint"]), (count, expected), arguments)

    @unittest.skipUnless(shutil.which("xxhsum"), "xxhsum is not installed")
    def test_fingerprint_is_the_hash_of_raw(self):
        for mode in ("--cold", "--nim", "--remoteness"):
            target = self.path("raw")
            report = self.json(mode, "-n", "12345", "-f", "raw", "-o", target)
            hashed = subprocess.run(["xxhsum", "-H3", target], capture_output=True, check=True).stdout.decode()
            self.assertIn(report["fingerprint"], hashed)


class Summary(CommandTest):
    def test_says_what_was_done_and_found(self):
        text = self.output("--nim", "-n", "2^16").decode()
        self.assertTrue(text.isascii())
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        for part in ("squares", "nim-values", "65,535", "63 at heap size 63,323", "0: 2,053", "options/s", "1,024 sampled"):
            self.assertIn(part, text)
        self.assertRegex(text, r"(?m)^fingerprint +[0-9a-f]{16}$")

    def test_cold(self):
        text = self.output("-n", "20000").decode()
        self.assertRegex(text, r"(?m)^cold +911 heap sizes, 4\.55")
        self.assertRegex(text, r"(?m)^first cold +0  2  5  7  10  12 ")

    def test_remoteness(self):
        self.assertRegex(self.output("--remoteness", "-n", "1000").decode(), r"(?m)^max remoteness +\d+ at heap size \d+$")

    def test_quiet_prints_nothing(self):
        self.assertEqual(self.output("-n", "1000", "--quiet"), b"")
        self.assertEqual(self.output("-n", "10", "-q", "-f", "list"), b"0\n2\n5\n7\n")

    def test_data_print_no_summary(self):
        self.assertEqual(self.output("-n", "10", "-f", "list"), b"0\n2\n5\n7\n")

    def test_goes_to_stdout_beside_data_in_a_file(self):
        self.assertIn(b"fingerprint", self.output("-n", "10", "-f", "list", "-o", self.path("data")))
        self.assertEqual(self.output("-n", "10", "-f", "list", "-o", self.path("data"), "-q"), b"")
        with open(self.path("data"), "rb") as file:
            self.assertEqual(file.read(), b"0\n2\n5\n7\n")

    def test_goes_to_a_file(self):
        self.assertEqual(self.output("-n", "10", "-o", self.path("summary")), b"")
        with open(self.path("summary"), "rb") as file:
            self.assertIn(b"fingerprint", file.read())


class BadUsage(CommandTest):
    def test_no_limit(self):
        self.refused(2, mentions="-n N")
        self.refused(2, "--nim", mentions="-n N")

    def test_unknown_options_name_the_nearest(self):
        for typed, meant in (("--limt", "--limit"), ("--enginee", "--engine"), ("--remotness", "--remoteness"), ("-nim", "--nim"),
                             ("--basethreshold", "--base-threshold"), ("--jsno", "--json"), ("--verif", "--verify")):  # fmt: skip
            self.refused(2, typed, "-n", "10", mentions=(f"'{typed}'", f"'{meant}'"))
        self.refused(2, "--limt=10", mentions=("'--limt'", "'--limit'"))
        for typed in ("--frobnicate", "-x", "-", "--", "stray", "2^20", "-qn", "-V1"):
            text = self.refused(2, typed, "-n", "10", mentions=typed)
            self.assertNotIn("did you mean", text)

    def test_values(self):
        for option in ("--set", "--limit", "-n", "--engine", "--output", "-o", "--format", "--memory", "--verify"):
            self.refused(2, option, mentions=(option, "needs a value"))
        self.refused(2, "--set", "--nim", "-n", "10", mentions=("--set", "needs a value"))
        self.refused(2, "-n", "10", "--json=yes", mentions=("--json", "yes"))
        self.refused(2, "-n", "10", "--nim=1", mentions="--nim")

    def test_two_modes(self):
        self.refused(2, "--nim", "--remoteness", "-n", "10", mentions=("--nim", "--remoteness"))
        self.refused(2, "--cold", "--nim", "-n", "10", mentions=("--cold", "--nim"))
        self.refused(2, "--devices", "--nim", "-n", "10", mentions=("--devices", "--nim"))
        self.refused(2, "--cold", "--devices", mentions=("--devices", "--cold"))
        self.assertEqual(self.output("--nim", "--nim", "-n", "2", "-f", "list"), b"0\n1\n")

    def test_the_last_of_a_repeated_option_wins(self):
        self.assertEqual(self.output("-n", "100", "-f", "csv", "--limit=3", "--format", "list"), b"0\n2\n")

    def test_spellings(self):
        for limit in (("-n", "10"), ("-n10",), ("-n=10",), ("--limit", "10"), ("--limit=10",)):
            self.assertEqual(self.output(*limit, "-flist"), b"0\n2\n5\n7\n")

    def test_numbers(self):
        for text, value in (("2^10", 1024), ("1e3", 1000), ("1_000", 1000), ("3*2^8", 768), ("2^10-1", 1023), ("2.5e3", 2500)):
            self.assertEqual(self.json("-n", text)["n"], value)
        for text in ("", " ", "abc", "-5", "1.5", "2^64", "18446744073709551616", "1e400", "1e-3", "10x", "0x10", "1__0", "2^", "1,000"):
            self.refused(2, "-n", text, mentions=text.strip())
            self.refused(2, f"--limit={text}", mentions=("--limit", text.strip()))
        self.refused(2, "-n", "10", "--verify", "some", mentions=("--verify", "some"))
        self.refused(2, "-n", "10", "--from", "1e400", "-f", "list", mentions=("--from", "1e400"))

    def test_ranges(self):
        for arguments in (("--threads", "0"), ("--threads", "1025"), ("--rows", "65537"), ("--base-threshold", "0"),
                          ("--memory", "0"), ("--device", "2^32"), ("--level-batch", "0"), ("--level-batch", "65537")):  # fmt: skip
            self.refused(2, "-n", "10", *arguments, mentions=(*arguments, "accepted"))

    def test_names(self):
        self.refused(2, "-n", "10", "--engine", "fft", mentions=("--engine", "fft", "auto", "dp", "convolution"))
        self.refused(2, "-n", "10", "--backend", "gpu", mentions=("--backend", "gpu", "cpu", "cuda"))
        self.refused(2, "--nim", "-n", "10", "--near", "gpu", mentions=("--near", "gpu", "auto", "cpu", "cuda"))
        self.refused(2, "-n", "10", "--format", "xml", mentions=("--format", "xml", "bfile", "npy"))
        self.refused(2, "-n", "10", "-f", "", mentions=("-f", "bfile"))

    def test_sizes(self):
        for text in ("16G", "512M", "1.5GiB", "64MB", "2^30", "1e9", "100000K", "1g", "1T", "auto", "1073741824B"):
            self.assertEqual(self.json("-n", "10", "--memory", text)["n"], 10)
        for text in ("", "G", "1.G", "1.5.5G", "-1G", "16X", "1e400", "2^64", "99999999999G", "1.5", "GiB", "B", "1iB", "autoG"):
            self.refused(2, "-n", "10", "--memory", text, mentions="--memory")

    def test_sets(self):
        for spec in ("", "nothing", "{}", "{", "}", "{1", "1,2}", "{,}", "{1,,2}", "{1,2,}", "{0}", "{1,0,2}", "{-1}", "{1,-2}", "{a}",
                     "{1;2}", "{1 2}", "{2^64}", "{1e400}", "{1.5}", "powers:0", "powers:", "powers", "powers:x", "powers-of:1",
                     "powers-of:0", "allbut{", "allbut{0}", "additive{1}", "additive{0,1}", "additive{1,2,3}", "poly:", "poly:k^", "poly:0",
                     "poly:-k", "beatty:", "beatty:0.5", "beatty:x", "random{1}", "random{1,2}", "random{1,3/2}", "random{1,1/0}",
                     "file:", "squares2", "Squares"):  # fmt: skip
            with self.subTest(spec):
                self.refused(2, "--set", spec, "-n", "100", mentions="--set")
        self.refused(2, "--set", "{1,0,2}", "-n", "10", mentions="0")
        self.refused(2, "--set", "{5,-3}", "-n", "10", mentions="-3")
        self.refused(2, "--set", "powers:0", "-n", "10", mentions="powers:0")
        self.refused(2, "-n", "10", "--hotspots", "{1,x}", mentions=("--hotspots", "x"))

    def test_set_files(self):
        self.refused(2, "--set", "file:" + self.path("missing"), "-n", "10", mentions=(self.path("missing"), "No such file"))
        self.refused(2, "--set", "file:" + self.directory, "-n", "10", mentions=self.directory)
        for name, content in (("empty", ""), ("comment", "# nothing\n"), ("zero", "1\n0\n"), ("word", "1\ntwo\n"), ("minus", "5 -4\n"),
                              ("large", "18446744073709551616\n"), ("binary", "\0\1\2")):  # fmt: skip
            with open(self.path(name), "w") as file:
                file.write(content)
            with self.subTest(name):
                self.refused(2, "--set", "file:" + self.path(name), "-n", "10", mentions="--set")

    def test_combinations(self):
        self.refused(2, "--nim", "--hotspots", "{3}", "-n", "10", mentions=("--nim", "--hotspots"))
        self.refused(2, "--nim", "--misere", "-n", "10", mentions=("--nim", "--misere"))
        self.refused(2, "--misere", "--hotspots", "{3}", "-n", "10", mentions=("--misere", "--hotspots"))
        self.refused(2, "-n", "10", "-f", "firsts", mentions=("firsts", "--nim"))
        self.refused(2, "-n", "10", "-f", "list", "--json", mentions=("--json", "--output"))
        self.refused(2, "-n", "10", "-f", "list", "--json", "-o", "-", mentions=("--json", "--output"))
        self.refused(2, "-n", "10", "--from", "3", mentions="--from")
        self.refused(2, "-n", "10", "--from", "3", "-f", "raw", mentions="--from")
        self.refused(2, "-n", "10", "--offset", "3", "-f", "list", mentions="--offset")
        self.refused(2, "-n", "10", "--offset", "2^64-1", "-f", "bfile", mentions="--offset")
        self.refused(2, "-n", "10", "--device", "0", "--backend", "cpu", mentions=("--device", "--backend cpu"))
        self.refused(2, "-n", "10", "--level-batch", "3", mentions=("--level-batch", "--nim"))
        self.refused(2, "-n", "10", "--near", "cuda", mentions=("--near", "--nim"))
        self.refused(2, "--nim", "-n", "10", "--backend", "cpu", "--near", "cuda", mentions=("--near", "device"))
        self.refused(2, "--nim", "-n", "10", "--engine", "split", "--near", "cpu", mentions=("--near", "tiles"))

    def test_engines_that_cannot_serve_the_mode(self):
        for mode, engine in (("--nim", "sieve"), ("--cold", "tile"), ("--remoteness", "tile"), ("--remoteness", "sieve"),
                             ("--remoteness", "split"), ("--remoteness", "convolution"), ("--remoteness", "structure")):  # fmt: skip
            self.refused(2, mode, "--engine", engine, "-n", "100", mentions=engine)


class Failures(CommandTest):
    def test_memory_refusal_has_the_numbers(self):
        text = self.refused(1, "--nim", "-n", "2^30", "--memory", "64M", mentions="67108864")
        numbers = [int(number) for number in re.findall(r"\d+", text)]
        self.assertGreaterEqual(len(numbers), 3, text)
        self.assertGreaterEqual(numbers[1], 2**30, "a byte a heap size is the least")

    def test_the_largest_n_that_is_named_does_fit(self):
        text = self.refused(1, "--set", "{1,2}", "-n", "2^40", "--memory", "1M", "--engine", "dp", mentions="largest n")
        largest = re.search(r"largest n[^0-9]*(\d+)", text)
        self.assertIsNotNone(largest, text)
        n = int(largest.group(1))
        self.output("--set", "{1,2}", "-n", str(n), "--memory", "1M", "--engine", "dp")
        self.refused(1, "--set", "{1,2}", "-n", str(2 * n + 2**16), "--memory", "1M", "--engine", "dp")

    def test_more_than_any_machine_has(self):
        for mode in ("--cold", "--nim", "--remoteness"):
            for n in ("2^64-1", "2^64-2^33", "2^63", "2^62", "2^50"):
                self.refused(1, mode, "-n", n, mentions="largest n")

    def test_unwritable_output(self):
        before = time.monotonic()
        self.refused(1, "--nim", "-n", "2^26", "-o", self.path("no/such/folder"), "-f", "raw", mentions="No such file")
        self.refused(1, "--nim", "-n", "2^26", "-o", self.directory, "-f", "raw", mentions="directory")
        self.refused(1, "-n", "10", "-o", "", "-f", "raw", mentions="No such file")
        self.assertLess(time.monotonic() - before, 5)  # found out before the solve

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        for arguments in (("-f", "list"), ("-f", "raw"), ("-f", "npy"), ()):
            self.refused(1, "-n", "10", "-o", "/dev/full", *arguments, mentions=("/dev/full", "No space left"))
            with open("/dev/full", "wb") as full:
                self.refused(1, "-n", "10", *arguments, stdout=full, mentions="No space left")
        for arguments in (("-n", "10", "--json"), ("--help",), ("--version",)):
            with open("/dev/full", "wb") as full:
                self.refused(1, *arguments, stdout=full, mentions="No space left")

    def test_file_size_limit(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        target = self.path("large")
        self.refused(1, "--nim", "-n", "100000", "-f", "raw", "-o", target, mentions="File too large", preexec_fn=limit)
        self.assertFalse(os.path.exists(target))  # ours, and incomplete

    def test_closed_stdout(self):
        script = 'exec "$0" -n 10 >&-'
        done = subprocess.run(["/bin/sh", "-c", script, COMMAND], stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)

    def test_closed_stdout_does_not_mix_into_the_file(self):
        script = 'exec "$0" -n 10 -f list -o "$1" >&-'
        done = subprocess.run(["/bin/sh", "-c", script, COMMAND, self.path("data")], stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertEqual(done.returncode, 1)
        with open(self.path("data"), "rb") as file:
            self.assertEqual(file.read(), b"0\n2\n5\n7\n")

    def test_a_failed_run_leaves_the_old_file(self):
        target = self.path("precious")
        with open(target, "w") as file:
            file.write("precious")
        self.refused(1, "-n", "2^50", "--memory", "1M", "-f", "raw", "-o", target)
        self.refused(2, "--nim", "--engine", "sieve", "-n", "10", "-f", "raw", "-o", target)
        with open(target) as file:
            self.assertEqual(file.read(), "precious")
        self.refused(1, "-n", "2^50", "--memory", "1M", "-f", "raw", "-o", self.path("new"))
        self.assertFalse(os.path.exists(self.path("new")))

    def test_a_shorter_file_replaces_a_longer_one(self):
        target = self.path("data")
        with open(target, "w") as file:
            file.write("x" * 1000)
        self.output("-n", "3", "-f", "list", "-q", "-o", target)
        with open(target) as file:
            self.assertEqual(file.read(), "0\n2\n")
        self.output("-n", "0", "-f", "list", "-q", "-o", target)
        self.assertEqual(os.path.getsize(target), 0)

    def test_dash_is_standard_output(self):
        self.assertEqual(self.output("-n", "3", "-f", "list", "-o", "-"), b"0\n2\n")

    def test_closed_pipe_is_no_error(self):
        for arguments in (("-f", "list"), ("-f", "raw"), ("-f", "csv")):
            child = subprocess.Popen(
                [COMMAND, "--nim", "-n", "500000", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            self.assertTrue(child.stdout.read(10))
            child.stdout.close()
            errors = child.stderr.read()
            child.stderr.close()
            self.assertEqual((child.wait(timeout=SECONDS), errors), (0, b""), arguments)


class Devices(CommandTest):
    """--devices, and runs with --backend cuda or auto where no device can be used; none is needed."""

    CPU_KEYS = {"backend", "index", "name", "processors", "memory_bytes", "free_bytes"}
    CUDA_KEYS = CPU_KEYS | {"compute_capability"}

    def listed(self, **keywords):
        return json.loads(self.output("--devices", "--json", **keywords))

    def without_a_device(self):
        report = self.listed()
        if report["cuda_unusable"] is None:
            self.skipTest("a CUDA device is usable")
        return report["cuda_unusable"]

    def no_module(self):
        """A file that is there and no CUDA module, and an environment that names it as one."""
        name = self.path("libno.so")
        with open(name, "w") as file:
            file.write("not a shared library\n")
        return name, self.with_module(name)

    def with_module(self, name):
        return {**os.environ, "SUBGAME_CUDA_MODULE": name}

    def test_as_json(self):
        report = self.listed()
        self.assertEqual(set(report), {"schema", "version", "mode", "devices", "cuda_unusable"})
        self.assertEqual((report["schema"], report["mode"]), ("subgame/1", "devices"))
        cpu, *others = report["devices"]
        self.assertEqual(set(cpu), self.CPU_KEYS)
        self.assertEqual((cpu["backend"], cpu["index"], cpu["processors"] > 0), ("cpu", 0, True))
        self.assertTrue(0 < cpu["free_bytes"] <= cpu["memory_bytes"], cpu)
        self.assertTrue(cpu["name"])
        self.assertEqual([(d["backend"], d["index"]) for d in others], [("cuda", i) for i in range(len(others))])
        for device in others:
            if "unusable" not in device:
                self.assertEqual(set(device), self.CUDA_KEYS)
                self.assertRegex(device["compute_capability"], r"^\d+\.\d$")
                self.assertTrue(0 < device["free_bytes"] <= device["memory_bytes"], device)
        if others:
            self.assertIsNone(report["cuda_unusable"])
        else:
            self.assertTrue(report["cuda_unusable"].strip())

    def test_as_text(self):
        report = self.listed()
        text = self.output("--devices").decode()
        self.assertEqual(text.count("\n"), len(report["devices"]) + (report["cuda_unusable"] is not None))
        self.assertRegex(text, r"(?m)^cpu +\S.*, \d+ hardware threads?, [0-9.]+ [KMGT]iB of memory, [0-9.]+ [KMGT]iB free$")
        self.assertEqual("no GPU" in text, report["cuda_unusable"] is not None)
        if report["cuda_unusable"]:
            self.assertIn("\nno GPU          " + report["cuda_unusable"] + "\n", text)
        for device in report["devices"][1:]:
            self.assertRegex(text, rf"(?m)^cuda {device['index']} +\S")

    def test_quiet(self):
        self.assertEqual(self.output("--devices", "--quiet"), b"")
        self.assertIn(b"devices", self.output("--devices", "--quiet", "--json", "--no-progress"))

    def test_takes_no_game_and_no_output(self):
        for arguments in (("--limit", "10"), ("--set", "primes"), ("--misere",), ("--backend", "cuda"), ("--device", "0"),
                          ("--output", "x"), ("--format", "list"), ("--verify", "3"), ("--level-batch", "2")):  # fmt: skip
            self.refused(2, "--devices", *arguments, mentions=("--devices", arguments[0], "no meaning"))
        self.refused(2, "-n", "10", "--devices", mentions=("--devices", "--limit"))

    def test_no_device_is_a_failure_of_who_asks_for_one(self):
        reason = self.without_a_device()
        for mode in ("--cold", "--nim"):
            self.refused(1, mode, "-n", "1000", "--backend", "cuda", mentions=reason)
        self.refused(1, "-n", "1000", "--backend", "cuda", "--json", mentions=reason)

    def test_auto_does_without(self):
        self.without_a_device()
        report = self.json("-n", "2^26")
        self.assertEqual((report["backend"], report["kernels"]), ("cpu", []))
        self.assertEqual(report["fingerprint"], "435c266c75957074")

    def check_unusable(self, environment):
        """The reason, which must be the same for a run and in the list."""
        text = self.refused(1, "-n", "1000", "--backend", "cuda", env=environment)
        report = self.listed(env=environment)
        self.assertEqual([device["backend"] for device in report["devices"]], ["cpu"])
        self.assertEqual(text, f"subgame-gpu: {report['cuda_unusable']}\n")
        return report["cuda_unusable"]

    def test_a_module_that_is_not_there_is_named(self):
        reason = self.check_unusable(self.with_module("/nonexistent"))
        self.assertIn("/nonexistent", reason)
        self.assertIn("SUBGAME_CUDA_MODULE", reason)

    def test_a_file_that_is_no_module_gives_a_reason(self):
        name, environment = self.no_module()
        reason = self.check_unusable(environment)
        self.assertTrue(name in reason or "driver" in reason, reason)  # without a driver no module is looked at
        reason = self.check_unusable(self.with_module(self.directory))
        self.assertTrue(self.directory in reason or "driver" in reason, reason)

    def test_auto_says_why_it_did_without(self):
        _, environment = self.no_module()
        report = json.loads(self.output("-n", "2^26", "--json", env=environment))
        self.assertEqual((report["backend"], report["fingerprint"]), ("cpu", "435c266c75957074"))
        self.assertTrue(report["fallback"])
        text = self.output("-n", "2^26", env=environment).decode()
        self.assertIn("\nno GPU          " + report["fallback"] + "\nmemory ", text)

    def test_who_asks_for_the_cpu_is_told_nothing(self):
        _, environment = self.no_module()
        for arguments in (("-n", "1000"), ("-n", "2^26"), ("--nim", "-n", "1000")):
            report = json.loads(self.output(*arguments, "--backend", "cpu", "--json", env=environment))
            self.assertEqual((report["backend"], report["fallback"]), ("cpu", None))
            self.assertNotIn(b"no GPU", self.output(*arguments, "--backend", "cpu", env=environment))


class EmulatedDevice(CommandTest):
    """Solves with --backend cuda; run with --emulated only."""

    SIZES = ("2^14", "1001", "16383", "99991", "300007")
    GAMES = (
        ("--cold",),
        ("--cold", "--hotspots", "{0,7,1000,16000}"),
        ("--cold", "--hotspots", "primes"),
        ("--cold", "--misere", "--engine", "split", "--rows", "13"),
        ("--cold", "--set", "primes"),
        ("--cold", "--set", "random{7,1/4}", "--engine", "convolution"),
        ("--nim", "--set", "primes", "--engine", "split"),
        ("--nim", "--set", "primes", "--engine", "convolution"),
        ("--nim", "--engine", "tile"),
    )

    def on_device(self, *arguments):
        report = self.json(*arguments, "--backend", "cuda")
        self.assertEqual((report["backend"], report["fallback"]), ("cuda", None), arguments)
        self.assertIn("EMU", report["device"])
        return report

    def test_gives_the_fingerprint_of_the_cpu(self):
        for game in self.GAMES:
            for n in self.SIZES:
                with self.subTest(game=game, n=n):
                    expected = self.json(*game, "-n", n, "--backend", "cpu")
                    report = self.on_device(*game, "-n", n)
                    for key in ("fingerprint", "cold_count", "max_nim", "max_nim_at"):
                        self.assertEqual(report[key], expected[key], key)
                    if "--engine" in game:
                        self.assertEqual(report["engine"], game[game.index("--engine") + 1])

    def test_every_heap_size_follows_the_definition(self):
        for game in (("--cold",), ("--nim", "--set", "primes")):
            report = self.on_device(*game, "-n", "40001", "--verify", "full")
            self.assertEqual(report["verified"], {"samples": 40001, "failures": 0, "first_failure": None})

    def test_batches_of_levels_change_nothing(self):
        arguments = ("--nim", "--set", "primes", "-n", "99991", "--engine", "split")
        expected = self.json(*arguments, "--backend", "cpu")["fingerprint"]
        for batch in ("1", "3", "auto"):
            report = self.on_device(*arguments, "--level-batch", batch)
            self.assertEqual(report["fingerprint"], expected, batch)
            if batch == "auto":
                self.assertGreater(report["level_batch"], 1)  # batches are what a device is given
            else:
                self.assertEqual(report["level_batch"], int(batch))

    def test_tiles_are_the_same_whoever_decides_base_cases(self):
        expected = self.json("--nim", "-n", "30011", "--backend", "cpu")
        self.assertIsNone(expected["near"])
        for near in ("cpu", "cuda", "auto"):
            for threshold in ("auto", "7", "1000"):
                report = self.on_device(
                    "--nim", "-n", "30011", "--engine", "tile", "--near", near, "--base-threshold", threshold
                )
                self.assertEqual(report["fingerprint"], expected["fingerprint"], (near, threshold))
                self.assertEqual(report["near"] if near != "auto" else near, near)

    def test_values_leave_the_device_by_range(self):
        arguments = ("--nim", "-n", "20011", "--engine", "tile")
        for data in (("-f", "raw"), ("-f", "list"), ("-f", "bfile"), ("-f", "npy"), ("--from", "19000", "-f", "list")):
            expected = self.output("--nim", "-n", "20011", *data)
            self.assertEqual(self.output(*arguments, "--backend", "cuda", *data), expected, data)
        report = self.on_device(*arguments, "--verify", "200")
        self.assertEqual(report["verified"], {"samples": 200, "failures": 0, "first_failure": None})

    def test_tuning_changes_nothing(self):
        expected = self.json("-n", "99991", "--backend", "cpu")["fingerprint"]
        for arguments in (("--rows", "1"), ("--rows", "65"), ("--base-threshold", "1000"), ("--base-threshold", "2^15"),
                          ("--threads", "1"), ("--memory", "256M"), ("--device", "0")):  # fmt: skip
            self.assertEqual(self.on_device("-n", "99991", *arguments)["fingerprint"], expected, arguments)

    def test_says_what_the_device_did(self):
        for game in self.GAMES:
            report = self.on_device(*game, "-n", "99991")
            self.assertTrue(report["kernels"], game)
            self.assertTrue(any(kernel["work"] for kernel in report["kernels"]), game)
            self.assertEqual(len({kernel["operator"] for kernel in report["kernels"]}), len(report["kernels"]))
            for kernel in report["kernels"]:
                self.check_kernel(kernel)
            self.assertTrue(0 < report["device_peak_bytes"] <= report["device_estimated_bytes"] <= 2**30, game)
            self.assertGreater(report["bytes_to_device"], 0)
            self.assertGreater(report["bytes_from_device"], 0)

    def check_kernel(self, kernel):
        self.assertEqual(
            set(kernel), {"operator", "calls", "seconds", "work", "unit", "per_second", "limit_per_second", "share"}
        )
        self.assertTrue(kernel["operator"] and kernel["unit"], kernel)
        self.assertGreater(kernel["calls"], 0, kernel)
        self.assertTrue(0 <= kernel["seconds"] < SECONDS, kernel)
        if kernel["per_second"] and kernel["seconds"] > 0.001:
            self.assertAlmostEqual(kernel["per_second"] * kernel["seconds"] / kernel["work"], 1, places=2)
        self.assertEqual(kernel["share"] is None, None in (kernel["per_second"], kernel["limit_per_second"]), kernel)
        if kernel["share"]:
            self.assertAlmostEqual(kernel["share"] * kernel["limit_per_second"] / kernel["per_second"], 1, places=2)

    def test_the_summary_tells_it_too(self):
        text = self.output("-n", "99991", "--backend", "cuda").decode()
        self.assertTrue(text.isascii())
        self.assertLessEqual(max(map(len, text.splitlines())), 120)
        self.assertRegex(text, r"(?m)^backend +cuda, .*EMU")
        self.assertRegex(text, r"(?m)^memory .* foreseen; on the device [0-9.]+ [KM]iB, [0-9.]+ [KM]iB foreseen$")
        self.assertRegex(text, r"(?m)^kernels +[a-z_]+ +([0-9.]+ m?s|not timed) +[0-9,]+ call")
        self.assertRegex(text, r"(?m)^bus +\S+ \S+ to the device, \S+ \S+ back$")

    def test_is_listed(self):
        report = self.json("--devices")
        self.assertIsNone(report["cuda_unusable"])
        device = report["devices"][1]
        self.assertEqual(set(device), Devices.CUDA_KEYS)
        self.assertEqual((device["backend"], device["index"], device["memory_bytes"]), ("cuda", 0, 2**30))
        self.assertIn("EMU", device["name"])
        text = self.output("--devices").decode()
        self.assertRegex(text, r"(?m)^cuda 0 +.*EMU.*, compute capability \d+\.\d, \d+ multiprocessors?, 1\.0 GiB of memory, ")
        self.assertNotIn("no GPU", text)

    def refused_for_memory(self, *arguments):
        """What is short, need, what there is, and the largest n, from the refusal."""
        text = self.refused(1, *arguments, "--backend", "cuda")
        found = re.search(r"needs (?:at least )?(\d+) bytes of (device )?memory, (\d+) are available; .*largest n[^0-9]*(\d+)", text)
        self.assertIsNotNone(found, text)
        need, available, largest = (int(found.group(i)) for i in (1, 3, 4))
        self.assertGreater(need, available)
        return "device" if found.group(2) else "host", available, largest

    def test_the_largest_n_that_is_named_fits_the_device(self):
        for game, limit in (
            (("--cold", "--hotspots", "primes", "--engine", "split"), 2**22),
            (("--cold", "--set", "random{7,1/4}", "--engine", "convolution"), 2**22),
            (("--nim", "--set", "primes", "--engine", "split"), 2**20),
        ):
            arguments = (*game, "--memory", str(limit), "-n")
            with self.subTest(game=game):
                _, available, largest = self.refused_for_memory(*arguments, "2^26")
                self.assertEqual(available, limit)
                report = self.on_device(*arguments, str(largest))
                self.assertLessEqual(report["device_peak_bytes"], report["device_estimated_bytes"])
                self.assertLessEqual(max(report["estimated_bytes"], report["device_estimated_bytes"]), limit)
                short, available, again = self.refused_for_memory(*arguments, str(largest + largest // 8 + 2**16))
                self.assertEqual((available, again), (limit, largest))
                if "--cold" in game:
                    self.assertEqual(short, "device")  # the host keeps a bit a heap size, the device three or transforms

    def test_device_memory_is_what_is_short(self):
        short, available, largest = self.refused_for_memory("-n", "2^33")
        self.assertEqual(short, "device")
        self.assertLessEqual(available, 2**30)
        self.assertGreater(largest, 2**31)

    def test_what_a_device_cannot_do_is_refused(self):
        for mode, engine in (("--nim", "dp"), ("--cold", "sieve"), ("--cold", "dp")):
            self.refused(2, mode, "--engine", engine, "--backend", "cuda", "-n", "1000", mentions=("cuda", engine, "split"))
        self.refused(2, "--remoteness", "--backend", "cuda", "-n", "1000", mentions=("cuda", "remoteness"))

    def test_a_device_that_is_not_there(self):
        self.refused(1, "-n", "1000", "--backend", "cuda", "--device", "3", mentions="3")

    def test_an_interrupt_ends_cleanly(self):
        arguments = ("-n", "2^28", "--base-threshold", "4096", "--backend", "cuda", "-f", "raw", "-o", self.path("data"))
        child = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=SECONDS), (b"", b"subgame-gpu: interrupted\n"))
        self.assertEqual(child.returncode, 130)
        self.assertFalse(os.path.exists(self.path("data")))

    def test_data(self):
        for arguments in (("-f", "raw"), ("--set", "primes", "--nim", "-f", "list"), ("-f", "list", "--from", "777")):
            expected = self.output("-n", "20011", *arguments, "--backend", "cpu")
            self.assertEqual(self.output("-n", "20011", *arguments, "--backend", "cuda"), expected, arguments)


class Interrupts(CommandTest):
    # The plain recurrence: many minutes of work, and little memory.
    LONG = ("--nim", "--engine", "dp", "-n", "2^25")

    def start(self, *arguments, **keywords):
        child = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **keywords)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def interrupted(self, child, signal_number, status):
        time.sleep(0.5)
        self.assertIsNone(child.poll(), "ended by itself: not long enough for this test")
        begin = time.monotonic()
        child.send_signal(signal_number)
        self.assertEqual(child.wait(timeout=SECONDS), status)
        self.assertLess(time.monotonic() - begin, 1.0 + SLACK_SECONDS)

    def test_interrupt_and_terminate_end_cleanly(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            child = self.start(*self.LONG, "-f", "raw", "-o", self.path("data"))
            self.interrupted(child, number, 130)
            self.assertIn(b"interrupted", child.stderr.read())
            self.assertEqual(child.stdout.read(), b"")
            self.assertFalse(os.path.exists(self.path("data")))

    def test_an_ignored_interrupt_stays_ignored(self):
        child = self.start("--nim", "-n", "2^19", "-q", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(timeout=SECONDS), 0)

    def test_interrupt_of_an_output_that_nobody_reads(self):
        # The pipe is full and the command waits in write.
        child = self.start("--nim", "-n", "500000", "-f", "list")
        ready, _, _ = select.select([child.stdout], [], [], SECONDS)
        self.assertTrue(ready)
        self.interrupted(child, signal.SIGINT, 130)


class Terminal(CommandTest):
    def on_terminal(self, *arguments, columns=80, stdout=subprocess.PIPE, seconds=1.2):
        """Output and what a terminal on stderr shows of a run that is interrupted after a while, unless it ends before."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        child = subprocess.Popen([COMMAND, *arguments], stdout=slave if stdout == "terminal" else stdout, stderr=slave)
        os.close(slave)
        shown, begin, sent = b"", time.monotonic(), False
        while True:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    part = os.read(master, 65536)
                except OSError:
                    break
                if not part:
                    break
                shown += part
            if not sent and time.monotonic() - begin > seconds:
                child.send_signal(signal.SIGINT)
                sent = True
        os.close(master)
        if child.stdout:
            child.stdout.close()
        self.seconds_run = time.monotonic() - begin
        return child.wait(timeout=SECONDS), shown.decode()

    def test_progress_is_drawn_and_cleared(self):
        for columns in (80, 40, 20, 200):
            status, shown = self.on_terminal(*Interrupts.LONG, columns=columns)
            self.assertEqual(status, 130)
            drawn = re.findall(r"\r([^\r\n]+?)\x1b\[K", shown)
            self.assertTrue(drawn, shown)
            self.assertLessEqual(len(drawn), 10 * self.seconds_run + 1)
            self.assertLess(max(map(len, drawn)), columns)
            self.assertRegex(drawn[-1], "^solve")
            if columns >= 80:
                self.assertRegex(drawn[-1], r"^solve  \[[#.]+\] +\d+\.\d%  [0-9.]+ [GMk]?heaps/s  ETA [0-9:-]+$")
            self.assertRegex(shown, r"\r\x1b\[Ksubgame-gpu: interrupted\r\n$")

    def test_no_progress_when_not_wanted(self):
        for option in ("--no-progress", "--quiet"):
            status, shown = self.on_terminal(*Interrupts.LONG, option, seconds=0.8)
            self.assertEqual((status, shown), (130, "subgame-gpu: interrupted\r\n"))

    def test_no_progress_without_a_terminal(self):
        child = subprocess.Popen([COMMAND, *Interrupts.LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.8)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=SECONDS), (b"", b"subgame-gpu: interrupted\n"))

    def test_binary_data_are_not_for_a_terminal(self):
        for name in ("raw", "npy"):
            status, shown = self.on_terminal("-n", "10", "-f", name, stdout="terminal")
            self.assertEqual(status, 2)
            self.assertIn(name, shown)
            self.assertIn("--output", shown)
        self.assertEqual(self.on_terminal("-n", "10", "-f", "list", stdout="terminal"), (0, "0\r\n2\r\n5\r\n7\r\n"))


class Help(CommandTest):
    OPTIONS = (
        "cold nim remoteness devices calibrate crossover set hotspots misere limit from engine backend device threads memory "
        "base-threshold rows level-batch seconds near output format offset plot json quiet no-progress verify help version"
    ).split()  # fmt: skip

    def test_help(self):
        text = self.output("--help").decode()
        self.assertEqual(text, self.output("-h").decode())
        self.assertTrue(text.isascii())
        self.assertLess(max(map(len, text.splitlines())), 80)
        self.assertEqual(re.findall(r"(?m)^  (?:-.,|   ) --([a-z-]+)", text), self.OPTIONS)
        for title in ("Mode", "Game", "Range", "Engine", "Output", "Safety", "Other", "Sets", "Formats", "Examples", "Exit status"):
            self.assertRegex(text, rf"(?m)^{title}$")
        for word in ("allbut{2,5}", "beatty:phi", "random{SEED,P/Q}", "file:PATH", "convolution", "bfile", "130", "default 1024"):
            self.assertIn(word, text)

    def test_every_option_exists(self):
        text = self.output("--help").decode()
        for name, value in re.findall(r"(?m)^  (?:-.,|   ) --([a-z-]+)(?: ([A-Z]+))?(?:  |$)", text):
            if value:
                self.refused(2, f"--{name}", mentions=("needs a value", value))
            elif name not in ("help", "version"):
                self.refused(2, f"--{name}=x", mentions="takes no value")

    def test_sets_and_examples_of_the_help_work(self):
        text = self.output("--help").decode()
        sets = re.search(r"(?s)\nSets\n(.*?)\n\n", text).group(1)
        specs = [line[2:24].strip() for line in sets.splitlines()]
        values = {"powers:K": "powers:5", "powers-of:B": "powers-of:3", "random{SEED,P/Q}": "random{1,1/4}"}
        for spec in ", ".join(specs).replace("squares, cubes", "squares|cubes").replace(", ", "|").split("|"):
            if spec != "file:PATH":
                self.assertEqual(self.json("--set", values.get(spec, spec), "-n", "1000", "--verify", "full")["n"], 1000)

    def test_help_needs_nothing_else(self):
        self.assertIn(b"usage:", self.output("--nim", "--help"))
        self.refused(2, "--bogus", "--help", mentions="--bogus")

    def test_version(self):
        text = self.output("--version").decode()
        self.assertEqual(text, self.output("-V").decode())
        self.assertRegex(text, r"^subgame-gpu \d+\.\d+\.\d+ ")
        self.assertIn(self.json("-n", "1")["version"], text)


def load_tests(loader, _tests, _pattern):
    """The tests of the emulated device, or all others."""
    classes = [c for c in globals().values() if isinstance(c, type) and issubclass(c, CommandTest)]
    return loader.suiteClass(loader.loadTestsFromTestCase(c) for c in classes if (c is EmulatedDevice) == EMULATED)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--emulated"]:
        EMULATED = bool(sys.argv.pop(1))
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: run_cli_tests.py [--emulated] PATH_TO_COMMAND [unittest options]")
    COMMAND = os.path.abspath(sys.argv.pop(1))
    for number in (signal.SIGINT, signal.SIGTERM):  # a background shell may have us ignore them, and the command inherits that
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    unittest.main()

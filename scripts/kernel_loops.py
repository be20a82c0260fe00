#!/usr/bin/env python3
"""kernel_loops.py NVCC SOURCE_DIRECTORY

Counts the instructions of the inner loops of kernels on nim-values, from the PTX that nvcc makes for compute capability 9.0, and
compares them with the bounds below: a change that makes a loop longer shows without a GPU. PTX is what there is everywhere; the
machine's own instructions are somewhat fewer (a product and a sum are one there, a shift and a sum too).
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# Source, kernel, what only the loop in question has, options (or heap sizes) an iteration, most instructions an option.
LOOPS = (
    ("nim_far.cu", r"far_kernel<unsigned short, true>", "ld.global.nc.v4.u32", 16, 15.0),
    ("nim_far.cu", r"far_kernel<unsigned short, false>", "ld.global.nc.v4.u32", 16, 17.0),
    ("nim_far.cu", r"far_kernel<unsigned int, true>", "ld.global.nc.v4.u32", 16, 14.0),
    ("nim_cross.cu", r"cross_kernel<unsigned short>", "ld.global.u16", 16, 40.0),
)


def instructions(entry):
    """The lines of a function that are instructions or labels."""
    for line in entry.splitlines():
        line = line.split("//")[0].strip()
        if re.match(r"\$?\w+:$", line) or (line.endswith(";") and not line.startswith(".")):
            yield line


def inner_loops(lines):
    """The instructions between a label and a branch back to it, for loops without loops inside."""
    labels = {line[:-1]: at for at, line in enumerate(lines) if line.endswith(":")}
    spans = []
    for at, line in enumerate(lines):
        target = re.search(r"\bbra(?:\.uni)?\s+(\S+);", line)
        if target and labels.get(target[1], at) < at:
            spans.append((labels[target[1]], at))
    for first, last in spans:
        if not any((a, b) != (first, last) and first <= a and b <= last for a, b in spans):
            yield [line for line in lines[first : last + 1] if not line.endswith(":")]


def entries(ptx):
    """Kernels by their names as in C++."""
    found = re.findall(r"\.entry (\w+)\(.*?\)[^{]*\{(.*?)^\}", ptx, re.S | re.M)
    names = subprocess.run(["c++filt"], input="\n".join(name for name, _ in found), text=True, capture_output=True, check=True)
    return dict(zip(names.stdout.splitlines(), (body for _, body in found)))


def compile_ptx(nvcc, source, root):
    with tempfile.NamedTemporaryFile(suffix=".ptx") as ptx:
        includes = [f"-I{root / folder}" for folder in ("include", "src", "cuda")]
        subprocess.run([nvcc, "-std=c++17", "-O3", "-arch=compute_90", *includes, "-ptx", "-o", ptx.name, root / "cuda" / source], check=True)
        return pathlib.Path(ptx.name).read_text()


def main():
    nvcc, root = sys.argv[1], pathlib.Path(sys.argv[2])
    compiled, faults = {}, []
    print(f"{'inner loop of':<42} {'instructions':>12} {'an option':>10} {'at most':>8}")
    for source, kernel, mark, options, most in LOOPS:
        if source not in compiled:
            compiled[source] = entries(compile_ptx(nvcc, source, root))
        body = next((text for name, text in compiled[source].items() if kernel in name), None)
        loops = [loop for loop in inner_loops(list(instructions(body or ""))) if any(mark in line for line in loop)]
        if not loops:
            faults.append(f"{kernel}: no inner loop with {mark} was found")
            continue
        count = max(len(loop) for loop in loops)
        print(f"{kernel:<42} {count:>12} {count / options:>10.1f} {most:>8.1f}")
        if count / options > most:
            faults.append(f"{kernel}: {count / options:.1f} instructions an option, at most {most} are expected")
    print("\n".join(faults), end="\n" if faults else "")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())

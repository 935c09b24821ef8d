"""The small things that are called in loops, held to their bounds: micro.py [--count 3].

Runs the benchmarks called BenchmarkMicro, whose names say the most that a call may take
(…/bound=2us), and writes bench/micro.md: the median of the runs, their least and greatest, and
what a call allocates. The exit code is 1 where a bound is missed. Nothing else should run meanwhile.
"""

import argparse
import datetime
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
PACKAGES = ["./shuffle", "./reverse", "./metric"]
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
LINE = re.compile(r"BenchmarkMicro/(\S+?)-?\d*\s+\d+\s+([\d.]+) ns/op.*?(\d+) B/op\s+(\d+) allocs/op")
SLACK = 2  # n log n is a count of operations; memory that no longer fits a cache is slower


def machine():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return f"{os.cpu_count()} cores of {line.split(':', 1)[1].strip()}"
    return platform.processor()


def time(ns):
    for unit in ("s", "ms", "us"):
        if ns >= UNITS[unit]:
            return f"{ns / UNITS[unit]:.3g} {unit.replace('u', 'µ')}"
    return f"{ns:.3g} ns"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=3, help="runs of each benchmark")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/micro.md")
    args = parser.parse_args()

    go = [os.environ.get("GO", "go"), "test", "-run", "^$", "-bench", "^BenchmarkMicro$", "-count", str(args.count), *PACKAGES]
    run = subprocess.run(go, cwd=ROOT, capture_output=True, text=True, env={"GOTOOLCHAIN": "go1.27.3", "GOEXPERIMENT": "simd", **os.environ})
    if run.returncode:
        sys.exit(run.stdout + run.stderr)
    found = {}
    for name, ns, size, allocations in LINE.findall(run.stdout):
        found.setdefault(name, []).append((float(ns), int(size), int(allocations)))
    if not found:
        sys.exit("micro.py: go test printed no benchmark:\n" + run.stdout)

    lines, missed, before = [], [], None
    for name, runs in found.items():
        what, bound = name.rsplit("/bound=", 1)
        what = re.sub(r"/(\w)=", r", \1 = ", what).replace("_", " ")
        ns = statistics.median(r[0] for r in runs)
        n = int(re.search(r"n = (\d+)", what).group(1))
        if bound == "n_log_n":
            factor = n * math.log(n) / (before[0] * math.log(before[0]))
            held, wanted = ns <= SLACK * factor * before[1], f"O(n log n): {factor:.1f} times the row above, is {ns / before[1]:.1f}"
        elif bound == "none":
            held, wanted = True, "–"
        else:
            number, unit = re.fullmatch(r"(\d+)(\w+)", bound).groups()
            most = int(number) * UNITS[unit]
            held, wanted = ns <= most, f"≤ {time(most)}"
        before = n, ns
        if not held:
            missed.append(what)
        low, high = min(r[0] for r in runs), max(r[0] for r in runs)
        lines.append(f"| {what} | {wanted} | {'' if held else '**missed** '}{time(ns)} ({time(low)} to {time(high)}) | {runs[-1][2]}, {runs[-1][1]:,} bytes |")

    go_version = subprocess.run([go[0], "version"], capture_output=True, text=True, cwd=ROOT).stdout.split()[2]
    args.out.write_text(
        "# What is called in loops\n\n"
        f"Written by `make bench-micro` on {datetime.date.today()}: {machine()}, {go_version}, median of {args.count} runs (least to greatest).\n\n"
        "| a call | bound | measured | allocations |\n|---|---|---|---|\n" + "\n".join(lines) + "\n\n"
        "- t riffles are one shuffle with 2^t piles, O(n) for any t: each card draws t bits, several cards from one random word, and a\n"
        "  counting sort puts them in the order of their piles; bits beyond log₂ n + 2 are left to an insertion sort within them.\n"
        "- On all cores: time of a riffle over all cores together; 500 ns are two million a second.\n"
        "- A call that is given its order to fill allocates nothing. Kendall's tau and the distance allocate their work space.\n"
    )
    print(args.out.read_text())
    if missed:
        sys.exit("micro.py: missed: " + "; ".join(missed))


main()

"""Time and memory against the size of things: growth.py [--only REGEX] [--engine auto] [--quick].

Runs `riffle bench`, a process a point so that the peak of memory is the system's own, along the
number of objects, the batch, the beam and the layers. To each line of points it fits
y = base + c·x^p by the least sum of squared relative errors, and writes bench/growth.md (a table)
and bench/growth.png (points and fits on logarithmic axes). Ends in less than 12 minutes on 2 cores;
nothing else should run meanwhile. Needs numpy and matplotlib.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = pathlib.Path(__file__).parents[1]
SMALL = ["model.dim=32", "model.layers=2", "model.heads=4", "model.feed_forward=64", "model.dropout=0", "process.schedule=[0,10]"]
PAPER = ["model.dim=128", "model.layers=7", "model.heads=8", "model.feed_forward=512", "process.schedule=[0,10]"]
# What grows: name, axis, key of the configuration ("": a flag), values, the rest, arguments, why.
LINES = [
    ("GPL, small network", "n", "task.n", [3, 9, 20, 52, 100, 200], [*SMALL, "train.batch=8"], [],
     "n objects and n dummies are 2n tokens: attention and the scores are n², all else is n"),
    ("GPL, paper's width", "n", "task.n", [9, 20, 52, 100], [*PAPER, "train.batch=4"], [],
     "a wider network spends more on matrix products of single tokens, which are linear in n"),
    ("PL, small network", "n", "task.n", [3, 9, 20, 52, 100, 200, 500, 1000], [*SMALL, "train.batch=8", "process.reverse=pl"], [],
     "n tokens: half of GPL's, so that attention is a quarter; the law's suffixes are n² in the graph"),
    ("GPL, n = 20", "batch", "train.batch", [4, 8, 16, 32, 64, 128, 256], [*SMALL, "task.n=20"], [],
     "sets of a batch have nothing in common: linear, once the work is more than a step's fixed cost"),
    ("GPL, n = 20, batch 8", "layers", "model.layers", [1, 2, 4, 8, 16], [*SMALL, "task.n=20", "train.batch=8"], [],
     "layers are alike and follow one another: linear; each keeps what its gradient needs"),
    ("GPL, n = 20, inner beam 200, batch 8", "beam", "", [1, 2, 5, 10, 20, 40, 80], [*SMALL, "task.n=20", "eval.batch=8", "process.schedule=[0,3,6,10]"],
     ["--decode", "beam", "--inner", "200", "--beam"],
     "after the first step every order of the beam goes through the network and has an inner beam of its own: linear"),
]
MARKS = ["o", "s", "^", "D", "v", "x"]


def machine():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return f"{os.cpu_count()} cores of {line.split(':', 1)[1].strip()}"
    return platform.processor()


def measure(riffle, engine, quick, key, value, rest, extra):
    args = [riffle, "bench", "delta-20", "--engine", engine, "--json", "--warm", "1", "--rounds", "1" if quick else "3", "--size", "1" if quick else "3"]
    for change in [*rest, *([f"{key}={value}"] if key else [])]:
        args += ["--set", change]
    run = subprocess.run([*args, *extra, *([] if key else [str(value)])], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"growth.py: {key or 'beam'} {value}: {run.stderr.strip()}")
    r = json.loads(run.stdout)
    return r["engine"], r["median"], r["peak_mb"]


def fit(x, y):
    """base, c and p of y = base + c·x^p, base and c not negative, by relative errors."""
    x, y = np.array(x, float), np.array(y, float)
    best = None
    for p in np.arange(0.05, 3.001, 0.01):
        columns = [np.ones_like(x) / y, x**p / y]
        for used in ([0, 1], [0], [1]):
            a = np.stack([columns[k] for k in used], 1)
            c = np.linalg.lstsq(a, np.ones_like(x), rcond=None)[0]
            error = ((a @ c - 1) ** 2).sum()
            if (c >= 0).all() and (best is None or error < best[0] * (1 - 1e-9)):
                full = np.zeros(2)
                full[used] = c
                best = error, full[0], full[1], p
    return best[1], best[2], best[3], float(np.sqrt(best[0] / len(x)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--only", default="", help="lines whose axis or name this expression finds")
    parser.add_argument("--quick", action="store_true", help="one step a point, and every other point")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench/growth.md")
    args = parser.parse_args()
    riffle, start, measured = os.environ.get("RIFFLE", str(ROOT / "bin/riffle")), time.time(), []
    for name, axis, key, values, rest, extra, why in LINES:
        if not re.search(args.only, f"{axis} {name}"):
            continue
        points = []
        for value in values[::2] if args.quick else values:
            engine, seconds, megabytes = measure(riffle, args.engine, args.quick, key, value, rest, extra)
            points.append((value, seconds, megabytes))
            print(f"{time.time() - start:5.0f} s  {name}: {axis} {value}: {seconds:.4g} s, {megabytes} MB", file=sys.stderr, flush=True)
        measured.append((name, axis, why, points))
    if not measured:
        sys.exit(f"growth.py: no line matches {args.only!r}")

    axes = list(dict.fromkeys(axis for _, axis, _, _ in measured))
    figure, grid = plt.subplots(2, len(axes), figsize=(3.6 * len(axes), 6.4), squeeze=False, layout="constrained")
    table, whys = [], []
    for row, (what, unit) in enumerate([("time", "s"), ("memory", "MB")]):
        for column, axis in enumerate(axes):
            panel = grid[row][column]
            for k, (name, own, why, points) in enumerate(measured):
                if own != axis:
                    continue
                x, y = [p[0] for p in points], [p[1 + row] for p in points]
                base, c, p, off = fit(x, y)
                shade = f"{0.15 * (k % 4):.2f}"
                panel.loglog(x, y, MARKS[k % len(MARKS)], color=shade, mfc="none", label=f"{name}: $x^{{{p:.2f}}}$" if c else f"{name}: constant")
                smooth = np.geomspace(min(x), max(x), 200)
                panel.loglog(smooth, base + c * smooth**p, "-", color=shade, lw=1)
                law = f"{base:.3g} + {c:.3g}·{axis}^{p:.2f}" if c else f"{base:.3g}"
                table.append((k, row, f"| {axis} | {name} | {what}, {unit} | " + ", ".join(f"{a}: {b:.3g}" for a, b in zip(x, y)) + f" | {law} | {100 * off:.0f} % |"))
                if row == 0:
                    whys.append(f"- **{axis}**, {name}: {why}.")
            panel.set_xlabel({"n": "objects n", "batch": "batch, sets", "layers": "layers", "beam": "beam, orders"}[axis])
            panel.set_ylabel("a decode, s" if row == 0 and axis == "beam" else "a step, s" if row == 0 else "peak memory, MB")
            panel.grid(True, which="major", color="0.85", lw=0.6)
            panel.legend(fontsize=7, frameon=False)
    figure.savefig(args.out.with_suffix(".png"), dpi=110, metadata={"Software": None})

    table.sort()
    args.out.write_text(
        "# Growth\n\n"
        f"Written by bench/growth.py on {datetime.date.today()} in {(time.time() - start) / 60:.0f} minutes: {machine()}, {engine} engine"
        f"{', one step a point (--quick)' if args.quick else ', median of 3 rounds of 3 steps'}, a process a point. Task delta; the small network has width 32 and 2 layers,\n"
        "the paper's width is 128 with 7 layers. Time is that of a training step, of a decode along the beam; memory is the largest\n"
        "resident set of the process, its program and compiler included. The law is y = base + c·x^p fitted by relative errors; the\n"
        "last column is their root mean square.\n\n"
        "![Time and memory on logarithmic axes, points measured and laws fitted](growth.png)\n\n"
        "| along | what | of | measured | law | off by |\n|---|---|---|---|---|--:|\n" + "\n".join(t[2] for t in table) + "\n\n"
        "Why these powers:\n\n" + "\n".join(whys) + "\n\n"
        "The base of memory is the program with XLA's compiler, or the go engine's pools; with it subtracted memory grows as time does,\n"
        "for a step keeps for its gradient what it computed on the way forward.\n"
    )
    print(args.out)


main()

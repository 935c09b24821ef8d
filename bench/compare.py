"""Riffle beside PyTorch, in turn: compare.py [--rounds 3] [--compile] [--rows REGEX] [--out bench/results.md].

Each row runs `riffle bench` and bench/torch/bench.py alternately, each in a process of its own
that makes STEPS steps or decodes, and reports their medians, their spread, the ratio, the most
memory that the system saw, and the share of the processor's matrix-product peak, measured in the
same run. With --compile one process more of a row runs torch.compile. Nothing else should run
meanwhile. Needs a Python with torch 2.15 and safetensors: RIFFLE_PYTHON or this one.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
PYTHON = os.environ.get("RIFFLE_PYTHON", sys.executable)
BIG = ["train.batch=16", "eval.batch=16"]
STEPS = 2  # or decodes that each process times
# The engines of a row and what each is run with.
ENGINES = {"xla": ("xla", []), "xla, bfloat16": ("xla", ["model.precision=bfloat16"]), "go": ("go", [])}
# name, preset, changes, extra arguments, asked-for ratio by engine
ROWS = [
    ("step, sort 9, batch 64", "paper/sort-mnist-9", [], [], {"xla": 0.75, "go": 2.0}),
    ("step, sort 52, batch 16", "paper/sort-mnist-52", BIG, [], {"xla": 0.5, "xla, bfloat16": 0.5, "go": 1.5}),
    ("step, sort 100, PL, random step, batch 8", "paper/sort-mnist-100", ["train.batch=8", "process.reverse=pl", "train.objective=random-step"], [], {"xla": 0.5, "go": 1.5}),
    ("step, jigsaw 3x3, batch 64", "paper/jigsaw-mnist-3x3", ["train.objective=bound"], [], {"xla": 0.6, "xla, bfloat16": 0.6, "go": 1.5}),
    ("step, TSP-20, batch 32", "paper/tsp-20", ["train.batch=32"], [], {"xla": 0.5, "xla, bfloat16": 0.5, "go": 1.5}),
    ("greedy, sort 52, batch 64", "paper/sort-mnist-52", ["eval.batch=64"], ["--decode", "greedy"], {"xla": 0.4}),
    ("beam 20/200, sort 52, batch 16", "paper/sort-mnist-52", BIG, ["--decode", "beam"], {"xla": 0.1, "xla, bfloat16": 0.1}),
]


def machine():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return f"{os.cpu_count()} cores of {line.split(':', 1)[1].strip()}"
    return platform.processor()


def warm(extra):
    """Steps before the clock starts: by the third an engine has its memory; one decode will do."""
    return ["--rounds", str(STEPS), "--warm", "1" if extra else "2"]


def ours(preset, changes, extra, engine):
    args = [ROOT / "bin/riffle", "bench", preset, "--engine", engine, "--json", *warm(extra), "--size", "1"]
    for c in changes:
        args += ["--set", c]
    run = subprocess.run([*map(str, args), *extra], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr.strip().splitlines()[-1])
    return json.loads(run.stdout)


def theirs(network, extra, compiled):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(network, f)
        f.flush()
        args = [PYTHON, str(ROOT / "bench/torch/bench.py"), f.name, *warm(extra), "--size", "1", *extra]
        run = subprocess.run(args + ["--compile"] * compiled, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr.strip().splitlines()[-1])
    return json.loads(run.stdout)


def show(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--rows", default="", help="only the rows that match")
    p.add_argument("--compile", action="store_true", help="torch.compile too")
    p.add_argument("--out", default=str(ROOT / "bench/results.md"))
    a = p.parse_args()
    if subprocess.run([PYTHON, "-c", "import torch, safetensors"], capture_output=True).returncode:
        sys.exit(f"{PYTHON} cannot import torch and safetensors\nhint: pip install torch==2.15.0 safetensors, or name a Python that has them: RIFFLE_PYTHON")
    lines = [
        "# Riffle beside PyTorch",
        "",
        f"Made by `bench/compare.py --rounds {a.rounds}{' --compile' * a.compile}`, {datetime.date.today()}, on {machine()}. Seconds a step or decode: median (least to greatest) of",
        f"{STEPS} in each of {a.rounds} processes of each kind (torch.compile: of one), in turn; memory: the largest resident set of a process. Ratios below 1 are ours faster.",
        "",
        "| what | engine | ours, s | PyTorch, s | ratio | asked | ours, MB | PyTorch, MB | peak share, ours | peak share, PyTorch |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name, preset, changes, extra, engines in ROWS:
        if not re.search(a.rows, name):
            continue
        mine, torch_ = {e: [] for e in engines}, []
        try:
            for _ in range(a.rounds):
                for e in engines:
                    kind, more = ENGINES[e]
                    mine[e].append(ours(preset, changes + more, extra, kind))
                network = mine[next(iter(engines))][0]["network"]
                torch_.append(theirs(network, extra, False))
        except RuntimeError as err:
            print(f"{name}: {err}", file=sys.stderr)
            lines.append(f"| {name} | | | | | | | | | {err} |")
            continue
        first = len(lines)
        base = [t for r in torch_ for t in r["seconds"]]
        peak, flops = max(r["matmul_flops"] for r in torch_), torch_[0]["flops"]
        share = lambda s: f"{100 * flops / s / peak:.0f} %" if flops else ""
        for e, asked in engines.items():
            s = [t for r in mine[e] for t in r["seconds"]]
            ratio = statistics.median(s) / statistics.median(base)
            lines.append(
                f"| {name} | {e} | {show(s)} | {show(base)} | {ratio:.2f} | {asked} | {max(r['peak_mb'] for r in mine[e])} | {max(r['peak_mb'] for r in torch_)} |"
                f" {share(statistics.median(s))} | {share(statistics.median(base))} |"
            )
        if a.compile:
            e = next(iter(engines))
            s = [t for r in mine[e] for t in r["seconds"]]
            try:
                r = theirs(network, extra, True)
                t = r["seconds"]
                lines.append(f"| {name} | {e}, theirs torch.compile | {show(s)} | {show(t)} | {statistics.median(s) / statistics.median(t):.2f} | | | {r['peak_mb']} | | {share(statistics.median(t))} |")
            except RuntimeError as err:
                lines.append(f"| {name} | {e}, theirs torch.compile | {show(s)} | {err} | | | | | | |")
        print(*lines[first:], sep="\n", flush=True)
    lines += ["", "Peak share: the floating-point operations that PyTorch's profiler counts in its own step, a second, over those of a 2048 x 2048 matrix product, whoever made the step: Winograd's convolutions of ours need fewer."]
    pathlib.Path(a.out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

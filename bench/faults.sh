#!/usr/bin/env bash
# Kills a training (SIGKILL) at random moments, goes on from what it left, and holds the end
# against a training that was never killed: the same steps in the log, the same weights and
# moments, byte for byte. After every kill the run directory must be one that can be read.
#
#   bench/faults.sh [KILLS] [SEED] [OUT]      default: 100 1 runs/faults
#
# RIFFLE is the command, ENGINE the engine. A moment is drawn between the start of the process
# and twice the time that a training takes from there to its tenth checkpoint.
set -euo pipefail
cd "$(dirname "$0")/.."
kills=${1:-100} seed=${2:-1} out=${3:-runs/faults} riffle=${RIFFLE:-bin/riffle} engine=${ENGINE:-go}
exec python3 - "$riffle" "$engine" "$kills" "$seed" "$out" <<'PYTHON'
import hashlib, os, random, shutil, signal, subprocess, sys, time

riffle, engine, kills, seed, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
rng = random.Random(seed)
STEPS = 40 * kills + 200  # more than the kills leave time for
CONFIG = f"""
title = "to be killed"
[task]
name = "delta"
n = 8
target = "random"
[model]
encoder = "table"
dim = 16
layers = 1
heads = 2
feed_forward = 32
dropout = 0.1
[train]
steps = {STEPS}
batch = 16
checkpoint = "20ms"
validate = 0
[eval]
examples = 10
"""
shutil.rmtree(out, ignore_errors=True)
os.makedirs(out)
config = os.path.join(out, "faults.toml")
with open(config, "w") as f:
    f.write(CONFIG)


def train(folder):
    """The arguments that begin a training or go on with it."""
    if os.path.exists(os.path.join(folder, "config.toml")):
        return [riffle, "train", "--out", folder, "--resume", "--quiet"]
    return [riffle, "train", config, "--out", folder, "--engine", engine, "--quiet"]


def end(folder):
    """What must be equal: hashes of the steps in the log and of the tensors."""
    h = {}
    with open(os.path.join(folder, "metrics.jsonl"), "rb") as f:
        h["metrics.jsonl"] = hashlib.sha256(b"".join(x for x in f if x.startswith(b'{"step"'))).hexdigest()
    for name in ("model", "adam_m", "adam_v"):
        with open(os.path.join(folder, f"{name}.safetensors"), "rb") as f:
            h[name] = hashlib.sha256(f.read()).hexdigest()
    return h


def checked(args):
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(args)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr


whole, broken = os.path.join(out, "whole"), os.path.join(out, "killed")
began = time.monotonic()
checked(train(whole))
took = time.monotonic() - began
print(f"unbroken: {STEPS} steps in {took:.1f} s", flush=True)

# From the start of a process to the first steps, and a share of the steps.
slice_s = max(0.3, 2 * took / kills)
early = warned = finished = 0
for kill in range(1, kills + 1):
    child = subprocess.Popen(train(broken), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(rng.random() * slice_s)
    ended = child.poll()
    child.send_signal(signal.SIGKILL)
    child.wait()
    if ended is not None:
        if ended:
            raise SystemExit(f"before kill {kill} the training ended with {ended}")
        finished += 1
        shutil.rmtree(broken)  # and once more from the start, as kills are left
        continue
    if not os.path.exists(os.path.join(broken, "state.json")):
        early += 1  # before the first checkpoint there is nothing to read, but it must go on
        continue
    said = checked([riffle, "export", broken, os.path.join(out, "exported.safetensors")])
    warned += "warning" in said
said = checked(train(broken))
same = end(whole) == end(broken)
print(f"{kills} kills: {early} before the first checkpoint, {finished} after the end (begun again); "
      f"{warned} left a checkpoint that was not whole; the end is {'the same' if same else 'ANOTHER'}")
sys.exit(not same)
PYTHON

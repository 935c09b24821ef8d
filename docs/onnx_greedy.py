"""Orders sets with a model that `riffle export DIR --format onnx FOLDER` wrote.

    pip install numpy onnxruntime
    python docs/onnx_greedy.py FOLDER OBJECTS.npy

OBJECTS.npy holds sets of n objects each: images [sets, n, height, width], uint8 from 0 to 255 or
float32 from 0 to 1; identities [sets, n] for a model of one permutation; features [sets, n, f], of
which (v - mean) / deviation of items.json, cut off at 10, is what the model takes, or with knots in
items.json numpy.interp(v, knots[j], scores[j]) of feature j; points [sets, n, 2], in the unit
square where the model was trained on them so. Prints a line a set, its
order: the index of the object at each position. Each reverse step is the one that looks best,
place by place (laws gpl, path, cgpl and pl); to that end the order in which the objects come counts as shuffled.
"""

import json
import sys

import numpy as np
import onnxruntime


def best_step(law, scores):
    """The step σ' [n]: each place takes the best of the objects left by its row of scores, which
    is its own [n, n], for path that of the place before [n + 1, n], and for cgpl what follows
    from the vectors of all places before [n + 1, 3w + 1]."""
    count = len(scores) - (law in ("path", "cgpl"))
    step, taken = [], np.zeros(count, bool)
    for place in range(count):
        last = 1 + step[-1] if step else 0
        if law == "cgpl":
            key, after, mean = (np.clip(v, -100, 100) for v in np.split(scores[:, :-1], 3, axis=1))
            placed = mean[1:][step].mean(axis=0) if step else 0
            row = scores[1:, -1] + key[1:] @ np.tanh(after[last] + placed)
        else:
            row = scores[last if law == "path" else place]
        step.append(int(np.argmax(np.where(taken, -np.inf, row))))  # of equals the first
        taken[step[-1]] = True
    return step


def spread(points):
    """Points of each set around (0.5, 0.5), with a mean squared distance of 1/12 along an axis."""
    arms = points - points.mean(axis=1, keepdims=True)
    size = np.sqrt((arms**2).mean(axis=(1, 2), keepdims=True))
    return 0.5 + arms / np.where(size > 0, size, 1) / np.sqrt(12)


def greedy(folder, objects):
    """The orders [sets, n] of objects [sets, n, ...]."""
    encoder, denoiser = (
        onnxruntime.InferenceSession(f"{folder}/{name}.onnx", providers=["CPUExecutionProvider"]) for name in ("encoder", "denoiser")
    )
    about = denoiser.get_modelmeta().custom_metadata_map
    if about["law"] not in ("gpl", "path", "cgpl", "pl"):
        raise SystemExit(f"law {about['law']}: wanted gpl, path, cgpl or pl, whose best step is found place by place")
    if about["encoder"] == "table":
        objects = objects.astype(np.int64)
    elif objects.dtype == np.uint8:
        objects = objects.astype(np.float32) / 255
    elif about.get("points") == "spread":
        objects = spread(objects).astype(np.float32)
    (embeddings,) = encoder.run(None, {"objects": objects})

    sets, n = objects.shape[:2]
    first = int(about["fix_first"] == "true")  # positions that keep their object
    order = np.tile(np.arange(n), (sets, 1))
    schedule = json.loads(about.get("schedules", "{}")).get(str(n)) or json.loads(about["schedule"])
    for time in schedule[:0:-1]:  # from noise to time 0, which needs no step
        inputs = {"embeddings": embeddings, "arrangement": order, "time": np.full(sets, time)}
        (scores,) = denoiser.run(None, inputs)
        if about["law"] == "pl":  # one row of scores for all positions
            scores = np.repeat(scores[:, None, :], n, axis=1)
        for s in range(sets):
            own = scores[s, first:] if about["law"] == "cgpl" else scores[s, first:, first:]
            step = best_step(about["law"], own)
            order[s, first:] = order[s, first:][step]
    return order


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    for order in greedy(sys.argv[1], np.load(sys.argv[2])):
        print(json.dumps(order.tolist()))

"""Orders sets with a model that `riffle export DIR --format onnx FOLDER` wrote.

    pip install numpy onnxruntime
    python docs/onnx_greedy.py FOLDER OBJECTS.npy

OBJECTS.npy holds sets of n objects each: images [sets, n, height, width], uint8 from 0 to 255 or
float32 from 0 to 1; identities [sets, n] for a model of one permutation; features [sets, n, f], of
which (v - mean) / deviation of items.json is what the model takes. Prints a line a set, its
order: the index of the object at each position. Each reverse step is the one that looks best,
place by place (laws gpl and pl); to that end the order in which the objects come counts as shuffled.
"""

import json
import sys

import numpy as np
import onnxruntime


def best_step(scores):
    """The step σ' [n] of scores [n, n]: each row takes its best column of those left."""
    scores, step = scores.copy(), []
    for row in scores:
        step.append(int(np.argmax(row)))  # of equals the first
        scores[:, step[-1]] = -np.inf
    return step


def greedy(folder, objects):
    """The orders [sets, n] of objects [sets, n, ...]."""
    encoder, denoiser = (
        onnxruntime.InferenceSession(f"{folder}/{name}.onnx", providers=["CPUExecutionProvider"]) for name in ("encoder", "denoiser")
    )
    about = denoiser.get_modelmeta().custom_metadata_map
    if about["law"] not in ("gpl", "pl"):
        raise SystemExit(f"law {about['law']}: wanted gpl or pl, whose best step is found place by place")
    if about["encoder"] == "table":
        objects = objects.astype(np.int64)
    elif objects.dtype == np.uint8:
        objects = objects.astype(np.float32) / 255
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
            step = best_step(scores[s, first:, first:])
            order[s, first:] = order[s, first:][step]
    return order


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    for order in greedy(sys.argv[1], np.load(sys.argv[2])):
        print(json.dumps(order.tolist()))

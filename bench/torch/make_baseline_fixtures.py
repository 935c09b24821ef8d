"""Writes the fixtures of the baselines: relaxed sorting networks by PyTorch's autograd, wire
by wire in float64, and linear assignments by SciPy.

    python bench/torch/make_baseline_fixtures.py      # needs torch, numpy, scipy

Same versions, same bytes.
"""

import json
import math
import pathlib

import numpy as np
import scipy
import torch
from scipy.optimize import linear_sum_assignment

HERE = pathlib.Path(__file__).resolve().parents[2] / "baseline"


def odd_even(n):
    return [(i, i + 1) for t in range(n) for i in range(t % 2, n - 1, 2)]


def bitonic(n):
    """Pairs (low, high), by recursion over 2^k wires whose first are missing.

    The part with the border between missing and real wires rises, its sibling falls.
    """
    size = 1
    while size < n:
        size *= 2
    missing, pairs = size - n, []

    def merge(start, length, up):
        if length < 2:
            return
        half = length // 2
        for a in range(start, start + half):
            if a >= missing:
                low, high = (a, a + half) if up else (a + half, a)
                pairs.append((low - missing, high - missing))
        merge(start, half, up)
        merge(start + half, half, up)

    def sort(start, length, up):
        if length < 2:
            return
        half = length // 2
        first_up = (missing // half) % 2 == 0
        sort(start, half, first_up)
        sort(start + half, half, not first_up)
        merge(start, length, up)

    sort(0, size, True)
    return pairs


def weight(swap, d, beta):
    v = beta * d
    if swap == "logistic":
        return torch.sigmoid(v)
    if swap == "logistic-art":
        return torch.sigmoid(v / (d.abs() + 1e-10) ** 0.25)
    if swap == "reciprocal":
        return 0.5 * (1 + v / (2 + v.abs()))
    if swap == "cauchy":
        return 0.5 + torch.atan(v) / math.pi
    if v.item() > 0.25:
        return 1 - 1 / (16 * v)
    if v.item() < -0.25:
        return -1 / (16 * v)
    return 0.5 + v


def straight_through(hard, soft):
    return soft + (hard - soft).detach()


def relaxed_sort(pairs, scores, swap, beta, error_free):
    wires = list(scores)
    rows = list(torch.eye(len(scores), dtype=torch.float64))
    for low, high in pairs:
        a, b, ra, rb = wires[low], wires[high], rows[low], rows[high]
        w = weight(swap, b - a, beta)
        small, great = w * a + (1 - w) * b, (1 - w) * a + w * b
        first, second = w * ra + (1 - w) * rb, (1 - w) * ra + w * rb
        if error_free:
            keep = a.item() <= b.item()
            small, great = straight_through(torch.minimum(a, b), small), straight_through(torch.maximum(a, b), great)
            first = straight_through(ra if keep else rb, first)
            second = straight_through(rb if keep else ra, second)
        wires[low], wires[high], rows[low], rows[high] = small, great, first, second
    return torch.stack(wires), torch.stack(rows)


def diffsort():
    generator = np.random.default_rng(1)
    cases = []
    swaps = ["logistic", "logistic-art", "reciprocal", "cauchy", "optimal"]
    for i, (network, n) in enumerate([("odd-even", 5), ("bitonic", 8), ("bitonic", 6), ("odd-even", 4), ("bitonic", 11)]):
        pairs = odd_even(n) if network == "odd-even" else bitonic(n)
        for swap in swaps if n < 8 else [swaps[i], swaps[3]]:
            for error_free in [False, True]:
                # Soft ones not so steep that float32 has no digits left for the logarithms.
                beta = ([0.7, 3.0, 12.0] if error_free else [0.4, 0.8, 1.6])[len(cases) % 3]
                scores = torch.tensor(generator.normal(size=n).round(6), requires_grad=True)
                rank = generator.permutation(n)
                values, p = relaxed_sort(pairs, scores, swap, beta, error_free)
                # A loss with a slope in every entry, of values and of P.
                probe_values = torch.tensor(generator.normal(size=n).round(3))
                probe_p = torch.tensor(generator.normal(size=(n, n)).round(3))
                probe = (probe_values * values).sum() + (probe_p * p).sum()
                slope = torch.autograd.grad(probe, scores, retain_graph=True)[0]
                case = {
                    "network": network, "n": n, "swap": swap, "steepness": beta, "error_free": error_free,
                    "scores": scores.tolist(), "rank": rank.tolist(), "sorted": values.tolist(), "p": p.flatten().tolist(),
                    "probe_sorted": probe_values.tolist(), "probe_p": probe_p.flatten().tolist(), "probe_slope": slope.tolist(),
                }
                target = torch.zeros(n, n, dtype=torch.float64)
                target[torch.tensor(rank), torch.arange(n)] = 1
                if error_free:
                    objects = torch.tensor(generator.normal(size=(n, 3)).round(3))
                    loss = torch.nn.MSELoss()(p @ objects, target @ objects)
                    case["objects"] = objects.flatten().tolist()
                else:
                    loss = torch.nn.BCELoss()(p.clamp(0, 1), target)
                case["loss"] = loss.item()
                case["loss_slope"] = torch.autograd.grad(loss, scores)[0].tolist()
                cases.append(case)
    return {"made_by": f"bench/torch/make_baseline_fixtures.py, PyTorch {torch.__version__}", "cases": cases}


def matching():
    generator = np.random.default_rng(2)
    cases = []
    for n, scale in [(1, 1), (2, 1), (5, 1), (8, 1e4), (13, 1e-3), (25, 1)]:
        scores = (generator.normal(size=(n, n)) * scale).round(7)
        cases.append({"n": n, "scores": scores.flatten().tolist(), "order": linear_sum_assignment(-scores)[1].tolist()})
    return {"made_by": f"bench/torch/make_baseline_fixtures.py, SciPy {scipy.__version__}", "cases": cases}


def write(path, fixture):
    path.parent.mkdir(parents=True, exist_ok=True)
    cases = ",\n".join(json.dumps(c) for c in fixture["cases"])
    path.write_text(f'{{"made_by": {json.dumps(fixture["made_by"])}, "cases": [\n{cases}\n]}}\n')


if __name__ == "__main__":
    write(HERE / "diffsort" / "testdata" / "torch.json", diffsort())
    write(HERE / "gumbelsinkhorn" / "testdata" / "scipy.json", matching())

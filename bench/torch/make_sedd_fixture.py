"""Makes baseline/sedd/testdata/loss.json: score entropies and their gradients.

Written from the definition in the SEDD paper alone: Q as a dense matrix, its exponential by
scipy, the sum over all neighbours y of x with K(a) = a (log a - 1), and autograd, in float64.
"""

import json
import pathlib

import numpy as np
import scipy
import scipy.linalg
import torch

OUT = pathlib.Path(__file__).parents[2] / "baseline" / "sedd" / "testdata" / "loss.json"
ROWS, N, V = 3, 4, 4


def rate_matrix(process):
    """Q[to, from]; the last state of absorb is the mask."""
    if process == "uniform":
        return np.ones((V, V)) / V - np.eye(V)
    q = -np.eye(V + 1)
    q[V, :] += 1
    return q


def row_loss(q, log_scores, x, x0, sigma, dsigma):
    p = scipy.linalg.expm(sigma * q)
    total = torch.zeros((), dtype=torch.float64)
    for i in range(N):
        for y in range(V):
            if y == x[i] or q[x[i], y] == 0:
                continue
            ratio = p[y, x0[i]] / p[x[i], x0[i]]
            constant = ratio * (np.log(ratio) - 1) if ratio > 0 else 0.0
            log_s = log_scores[i, y]
            total = total + q[x[i], y] * (log_s.exp() - ratio * log_s + constant)
    return dsigma * total


def make_case(process, rng):
    q = rate_matrix(process)
    x0 = rng.integers(0, V, (ROWS, N))
    sigma = np.array([0.05, 0.7, 3.0], dtype=np.float32)
    dsigma = np.array([1.5, 0.25, 4.0], dtype=np.float32)
    x = np.zeros_like(x0)
    for r in range(ROWS):
        for i in range(N):
            if i == 0:  # whatever is drawn beside it, one token is noise in each row
                x[r, i] = V if process == "absorb" else (x0[r, i] + 1) % V
            else:
                column = scipy.linalg.expm(float(sigma[r]) * q)[:, x0[r, i]].clip(0)
                x[r, i] = rng.choice(len(q), p=column / column.sum())
    values = rng.normal(scale=1.5, size=(ROWS, N, V)).astype(np.float32)
    log_scores = torch.tensor(values.astype(np.float64), requires_grad=True)
    losses = torch.stack(
        [row_loss(q, log_scores[r], x[r], x0[r], float(sigma[r]), float(dsigma[r])) for r in range(ROWS)]
    )
    losses.sum().backward()
    return dict(
        process=process,
        n=N,
        objects=V,
        sigma=sigma.tolist(),
        dsigma=dsigma.tolist(),
        x0=x0.ravel().tolist(),
        xt=x.ravel().tolist(),
        log_scores=values.ravel().tolist(),
        loss=losses.tolist(),
        gradient=log_scores.grad.ravel().tolist(),
    )


def main():
    rng = np.random.default_rng(1)
    made = f"bench/torch/make_sedd_fixture.py, torch {torch.__version__}, scipy {scipy.__version__}"
    cases = [make_case(process, rng) for process in ("uniform", "absorb")]
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(dict(made=made, cases=cases), indent=1) + "\n")


main()

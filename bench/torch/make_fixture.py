"""Makes denoiser/testdata/fixture: small networks, inputs, and what PyTorch makes of them.

Each file is one case: `weight/NAME` are the arrays of a network; objects, arrangements, times
and ranks what it reads; scores and logp what comes out. A train-mode case has the loss, the
norm of its gradient, the gradient after clipping (`grad/NAME`) and the arrays after one step
of AdamW (`after/NAME`) as well. The metadata holds the configuration and the versions.
"""

import itertools
import json
import math
import pathlib
import platform

import torch
from safetensors.torch import save_file

import riffle_torch

OUT = pathlib.Path(__file__).parents[2] / "denoiser" / "testdata" / "fixture"
N, BATCH, STATES = 5, 2, 3
BASE = dict(n=N, dim=12, layers=2, heads=3, feed_forward=20, dropout=0.0, positions="sinusoid", gpl_rows="dummies")
IMAGES = dict(height=8, width=16)
CASES = {
    "gpl-dummies-table": dict(law="gpl", encoder="table"),
    "gpl-items-features": dict(law="gpl", gpl_rows="items", encoder="features", features=4, hidden=[7, 6]),
    "gpl-dummies-learned": dict(law="gpl", encoder="points", positions="learned"),
    "gpl-items-none": dict(law="gpl", gpl_rows="items", encoder="table", positions="none"),
    "gpl-cnn": dict(law="gpl", encoder="cnn", channels=[4, 6], kernel=5, **IMAGES),
    "gpl-cnn-train": dict(law="gpl", encoder="cnn", channels=[3], kernel=3, hidden=[9], train=True, **IMAGES),
    "pl-window": dict(law="pl", encoder="window", channels=[3, 4], hidden=[6], window=8, **IMAGES),
    "pl-pixels": dict(law="pl", encoder="window", hidden=[6, 5], window=4, positions="none", **IMAGES),
    "irs-features": dict(law="irs", encoder="features", features=3, hidden=[5], positions="learned"),
    "ii-points": dict(law="ii", encoder="points"),
    "it-table": dict(law="it", encoder="table"),
    "it-learned": dict(law="it", encoder="table", positions="learned"),
    "it-none": dict(law="it", encoder="table", positions="none"),
    "gpl-tour": dict(law="gpl", encoder="points", edges=True, layers=4),
    "gpl-items-tour": dict(law="gpl", gpl_rows="items", encoder="points", edges=True),
    "it-tour": dict(law="it", encoder="points", edges=True, layers=4),
    "pl-tour-learned": dict(law="pl", encoder="points", edges=True, positions="learned"),
    "gpl-tour-train": dict(law="gpl", encoder="points", edges=True, layers=4, train=True),
    "pl-direct": dict(law="pl", encoder="features", features=3, hidden=[5], score="direct"),
    "pl-sum": dict(law="pl", encoder="features", features=3, hidden=[5], score="sum", train=True),
}


def randomize(network, gen):
    """Weights of about unit gain and nothing left at 0 or 1."""
    for name, p in network.named_arrays().items():
        noise = torch.randn(p.shape, generator=gen)
        if name.endswith("running_var"):
            p.copy_(0.5 + noise.abs())
        elif p.dim() > 1:
            p.copy_(noise * 1.2 / math.sqrt(p[0].numel()))
        else:
            p.copy_(0.2 * noise + name.endswith("weight"))  # of a norm: around 1
    # The scale of an embedding is not that of a product.
    for name in ("encoder.weight", "positions.weight"):
        if name in network.state_dict():
            network.state_dict()[name].mul_(2)


def make_objects(c, gen):
    kind = c["encoder"]
    if kind == "table":
        return torch.stack([torch.randperm(N, generator=gen) for _ in range(BATCH)]).int()
    if kind == "points":
        return torch.rand(BATCH, N, 2, generator=gen)
    if kind == "features":
        return torch.randn(BATCH, N, c["features"], generator=gen)
    image = torch.rand(BATCH, N, c["height"], c["width"], generator=gen)
    return (image * 256).to(torch.uint8) if kind == "cnn" else image


def make_ranks(law, gen):
    """Possible orders, the last of which is impossible with the laws that have such."""
    if law in ("gpl", "pl"):
        return torch.stack([torch.randperm(N, generator=gen) for _ in range(BATCH * STATES)])
    zero = torch.zeros(N + (law == "it"))
    possible = {True: [], False: []}
    for order in itertools.permutations(range(N)):
        possible[bool(riffle_torch.LOG_PROBS[law](zero, list(order)).isfinite())].append(list(order))
    picks = [list(range(N))]
    for _ in range(BATCH * STATES - 2):
        picks.append(possible[True][torch.randint(len(possible[True]), (), generator=gen)])
    picks.append(possible[False][torch.randint(len(possible[False]), (), generator=gen)])
    return torch.tensor(picks).argsort(-1)


def make(seed, name, case):
    gen = torch.Generator().manual_seed(seed)
    config = BASE | case
    train = config.pop("train", False)
    network = riffle_torch.Denoiser(config)
    with torch.no_grad():
        randomize(network, gen)
    network.train(train)
    inputs = dict(
        objects=make_objects(config, gen),
        arrangements=torch.stack([torch.randperm(N, generator=gen) for _ in range(BATCH * STATES)]).int().view(BATCH, STATES, N),
        times=torch.randint(1, 30, (BATCH, STATES), generator=gen).int(),
        ranks=make_ranks(config["law"], gen).int().view(BATCH, STATES, N),
    )
    arrays = dict(inputs)
    arrays |= {f"weight/{k}": v.clone() for k, v in network.named_arrays().items()}
    with torch.no_grad():
        scores = network(inputs["objects"], inputs["arrangements"], inputs["times"])
        arrays |= dict(scores=scores, logp=riffle_torch.log_prob(config["law"], scores, inputs["ranks"].flatten(0, 1)))
    if train:
        with torch.no_grad():  # that forward pass has moved the running statistics
            for k, v in network.named_arrays().items():
                v.copy_(arrays[f"weight/{k}"])
        loss, norm = riffle_torch.train_step(network, riffle_torch.adamw(network, 1e-3), **inputs)
        arrays |= dict(loss=loss.view(1), grad_norm=norm.view(1))
        arrays |= {f"grad/{k}": p.grad for k, p in network.named_parameters()}
        arrays |= {f"after/{k}": v for k, v in network.named_arrays().items()}
    about = dict(config=config, train=train, seed=seed, torch=torch.__version__, python=platform.python_version())
    # One key of metadata only: the library writes several in no fixed order.
    save_file({k: v.contiguous() for k, v in arrays.items()}, OUT / f"{name}.safetensors", {"riffle": json.dumps(about, sort_keys=True)})


if __name__ == "__main__":
    torch.set_num_threads(1)
    OUT.mkdir(parents=True, exist_ok=True)
    for seed, (name, case) in enumerate(CASES.items()):
        make(seed, name, case)

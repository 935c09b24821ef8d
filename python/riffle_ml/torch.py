"""The network of a trained model as a PyTorch module, to fine-tune it and to write it back.

>>> import riffle_ml.torch as rt
>>> network = rt.load("models/rankings")
>>> objects = rt.objects("models/rankings", [X1, X2])            # sets of one size, as the network sees them
>>> arrangements, times, ranks = rt.trajectories(network, orders)
>>> optimizer = torch.optim.AdamW(network.parameters(), lr=1e-5)
>>> loss, norm = rt.train_step(network, optimizer, objects, arrangements, times, ranks)
>>> rt.save(network, "runs/tuned")                               # a run that riffle loads

Shapes and indices are those of the command: ``arrangements[b, s, i]`` is the object at position i of state s of
set b, and ``ranks[b, s, i]`` is the position that this object has in the state before.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import os
import pathlib
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from safetensors.torch import save as _save_tensors

from . import _command, _sets
from ._reference import Denoiser, load_weights, log_prob, run_config, train_step

__all__ = ["Denoiser", "load", "log_prob", "objects", "save", "schedule", "trajectories", "train_step"]


def load(path: str | os.PathLike[str]) -> Denoiser:
    """Load the trained network of a run.

    Parameters
    ----------
    path : path
        A run's directory.

    Returns
    -------
    Denoiser
        A `torch.nn.Module` in evaluation mode, whose ``forward(objects, arrangements, times)`` takes float32
        ``objects [batch, n, …]`` (see `objects`), ``arrangements [batch, states, n]`` and ``times [batch, states]``,
        and returns the scores of the reverse law: ``[batch·states, n, n]`` for gpl, ``[batch·states, n]`` for pl,
        ``[batch·states, n + 1, n]`` for path.
        Its times 0 = t_0 < … < t_k are what `schedule` gives.

    Raises
    ------
    ValueError
        Where the run's network has parts that are not written in PyTorch: pictures in colour, features of pairs.
    """
    path = pathlib.Path(path)
    network = Denoiser(run_config(path))
    network.load_state_dict(load_weights(path), strict=True)
    network.run = {p.name: p.read_bytes() for p in path.iterdir() if p.name in ("config.toml", "items.json", "state.json")}
    config = _toml(network.run["config.toml"])
    network.schedule = config["process"].get("schedule", [])
    network.forward_law, network.first_stays = config["process"]["forward"], config["task"]["name"] == "tsp"
    return network.eval()


def _toml(data: bytes) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(data.decode())


def schedule(network: Denoiser, n: int) -> list[int]:
    """Times of the states of sets of n items, 0 = t_0 < … < t_k.

    Parameters
    ----------
    network : Denoiser
        Its list `schedule` holds for every n. That of a ranking is empty where the training was given none:
        then each size has its own times, by the rule of the command.
    n : int
        Items of a set.

    Returns
    -------
    list of int
    """
    return list(network.schedule or _by_rule(network.forward_law, network.config["law"], network.score, max(2, n)))


@functools.cache
def _by_rule(forward: str, law: str, score: str, n: int) -> list[int]:
    """What config.defaultSchedule has in Go."""
    if forward != "riffle":
        cut_off = {"insertion": n, "transposition": n / 2}[forward] * math.log(n)
        return list(range(max(1, int(cut_off + 0.5)) + 1))
    of = json.loads(_command.run("schedule", "--n", str(n), "--json"))
    if law in ("path", "cgpl") or score == "direct":
        return [0, max(1, of["T"])]
    return of["steps"] if law in ("gpl", "pl") else list(range(of["T"] + 1))


# What the items are, by the encoder that reads them.
KINDS = {"features": "features", "points": "point", "cnn": "image", "window": "image", "table": "bare"}


def objects(path: str | os.PathLike[str], sets: Sequence[Any]) -> torch.Tensor | list[torch.Tensor]:
    """Sets as the network of a run sees them: features on their scale, pictures in its size, points in their place.

    Parameters
    ----------
    path : path
        The run's directory.
    sets : list of sets
        As `riffle_ml.Model.order` takes them, a DataFrame being one set of the list.

    Returns
    -------
    Tensor of shape (sets, n, …), or list of Tensors of shape (1, n, …)
        One tensor where all sets have n items, else a list with one of each set.
    """
    kind = KINDS[run_config(pathlib.Path(path))["encoder"]]
    known = pathlib.Path(path, "items.json")
    made = _sets.make(sets, kind, json.loads(known.read_bytes()).get("features") or [] if known.exists() else [])
    with tempfile.TemporaryDirectory() as folder:
        values = made.values
        if kind == "image":
            values = [{"items": [_file(it, pathlib.Path(folder, f"{i}-{k}.png")) for k, it in enumerate(v["items"])]} for i, v in enumerate(values)]
        lines = pathlib.Path(folder, "sets.jsonl")
        lines.write_text("".join(json.dumps(v) + "\n" for v in values), encoding="utf-8")
        out = pathlib.Path(folder, "objects.safetensors")
        _command.run("objects", str(path), str(lines), str(out))
        arrays = load_file(out)
    tensors = [arrays[str(i)] for i in range(len(values))]
    if kind == "bare":
        tensors = [t.long() for t in tensors]
    return torch.cat(tensors) if len({t.shape for t in tensors}) == 1 else tensors


def _file(item: dict[str, Any], to: pathlib.Path) -> dict[str, Any]:
    import base64

    to.write_bytes(base64.b64decode(item["image"]))
    return {**item, "image": str(to)}


def trajectories(network: Denoiser, orders: Any, generator: np.random.Generator | None = None) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Draw the shuffles that a training step undoes: one trajectory of riffles for each right order.

    Parameters
    ----------
    network : Denoiser
        Its `schedule` for n items says when states are taken.
    orders : array-like of shape (batch, n)
        The right orders: ``orders[b, i]`` is the object at position i.
    generator : numpy Generator, optional
        Where the draws come from.

    Returns
    -------
    arrangements : Tensor of shape (batch, steps, n)
        The states at the times t_1, …, t_k of the schedule.
    times : Tensor of shape (batch, steps)
        These times.
    ranks : Tensor of shape (batch, steps, n)
        ``ranks[b, s, i]``: where the object at position i goes in the state before.
    """
    if network.first_stays:
        raise ValueError("orders of this model begin at the first item, as tours do: it is trained by riffle train alone")
    if network.forward_law != "riffle":
        raise ValueError(f"the forward law is {network.forward_law}, wanted riffle")
    rng = generator or np.random.default_rng()
    state = np.asarray(orders, dtype=np.int64)
    times = schedule(network, state.shape[-1])
    arrangements, ranks = [], []
    for before, time in zip(times, times[1:]):
        # Sorting by digits undoes a 2^t-shuffle (Bayer & Diaconis 1992); its inverse makes one.
        digits = rng.integers(1 << (time - before), size=state.shape)
        shuffle = digits.argsort(-1, kind="stable").argsort(-1, kind="stable")
        state = np.take_along_axis(state, shuffle, -1)
        arrangements.append(state)
        ranks.append(shuffle)
    at = torch.tensor(times[1:], dtype=torch.float32).expand(len(state), -1)
    return torch.tensor(np.stack(arrangements, 1)), at, torch.tensor(np.stack(ranks, 1))


def save(network: Denoiser, path: str | os.PathLike[str]) -> None:
    """Write a network that `load` gave as a run: the command and `riffle_ml.load` then take it.

    Parameters
    ----------
    network : Denoiser
        With whatever weights it has now.
    path : path
        Folder of the new run, made where it is missing; a run that is there is an error.
    """
    to = pathlib.Path(path)
    if (to / "config.toml").exists():
        raise FileExistsError(f"{to}: holds a run already")
    weights = _save_tensors({k: v.detach().cpu().contiguous() for k, v in network.named_arrays().items()})
    state = json.loads(network.run["state.json"])
    kept = {k: v for k, v in state["sha256"].items() if k in network.run and k != "state.json"}
    state["sha256"] = {**kept, "model.safetensors": hashlib.sha256(weights).hexdigest(), "state.json": "0" * 64}
    text = json.dumps(state, indent=2)  # its own hash is taken with zeros in the hash's place
    text = text.replace("0" * 64, hashlib.sha256(text.encode()).hexdigest(), 1)
    to.mkdir(parents=True, exist_ok=True)
    for name, data in {**network.run, "model.safetensors": weights, "state.json": text.encode()}.items():
        (to / name).write_bytes(data)

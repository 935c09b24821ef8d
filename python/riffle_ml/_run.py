"""A run: what a training keeps in its folder."""

from __future__ import annotations

import json
import os
import pathlib
import tomllib
from typing import Any

import numpy as np

from . import _command, _show
from ._command import RiffleError
from ._model import Model


class Run:
    """A run's folder, made by `train` or by ``riffle train``.

    Attributes
    ----------
    path : pathlib.Path
        The folder.
    config : dict
        The configuration, by its tables: ``config["model"]["dim"]``.
    evaluation : dict
        What ``riffle eval`` or the end of the training found, {} where neither did.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = pathlib.Path(path)
        try:
            with open(self.path / "config.toml", "rb") as f:
                self.config: dict[str, Any] = tomllib.load(f)
        except FileNotFoundError:
            raise RiffleError(f"{self.path}: is no run: has no config.toml") from None
        found = self.path / "eval.json"
        self.evaluation: dict[str, Any] = json.loads(found.read_text(encoding="utf-8")) if found.is_file() else {}

    def model(self, **how: Any) -> Model:
        """Its trained model, as `load` gives it."""
        return Model(self.path, **how)

    def metrics(self) -> list[dict[str, Any]]:
        """What the evaluation measured: dicts with "name", "mean" and the ends of its interval, "low" and "high"."""
        found = {**self.evaluation, **self.evaluation.get("ranking", {})}
        return [{"name": k.replace("_", " "), **v} for k, v in found.items() if isinstance(v, dict) and {"mean", "low", "high"} <= v.keys()]

    def log(self) -> dict[str, np.ndarray]:
        """The training's log: arrays of shape (lines,) by name, such as "step", "loss" and "lr"."""
        lines = [json.loads(x) for x in (self.path / "metrics.jsonl").read_text(encoding="utf-8").splitlines() if x.strip()]
        lines = [x for x in lines if "loss" in x]
        names = dict.fromkeys(k for x in lines for k, v in x.items() if isinstance(v, (int, float)))
        return {k: np.array([x.get(k, np.nan) for x in lines], dtype=float) for k in names}

    def __repr__(self) -> str:
        return f"<riffle_ml.Run {str(self.path)!r}: {self.config.get('title', '')}>"

    def _repr_html_(self) -> str:
        return _show.run(self)


def train(
    preset: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    settings: dict[str, Any] | None = None,
    steps: int | None = None,
    time: str | None = None,
    engine: str = "auto",
    threads: int | None = None,
) -> Run:
    """Train a model by the command, and wait for its end.

    Parameters
    ----------
    preset : str or path
        A preset's name, as ``riffle presets`` lists them, or a configuration file.
    out : path
        Folder of the run, which must not hold one yet.
    settings : dict, optional
        Keys of the configuration to change, such as ``{"task.data": "lists.csv", "train.batch": 32}``.
    steps : int, optional
        Training steps.
    time : str, optional
        How long to train instead, such as "30m".
    engine, threads
        As in `load`.

    Returns
    -------
    Run

    Raises
    ------
    RiffleError
        What the command says where it cannot train.
    """
    args = ["train", str(preset), "--out", str(out), "--quiet", "--engine", engine]
    for key, value in (settings or {}).items():
        args += ["--set", f"{key}={setting(value)}"]
    args += [] if steps is None else ["--steps", str(steps)]
    args += [] if time is None else ["--time", time]
    _command.run(*args, threads=threads)
    return Run(out)


def setting(value: Any) -> str:
    """A value as ``--set`` takes it."""
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ",".join(json.dumps(v, ensure_ascii=False) if isinstance(v, str) else setting(v) for v in value) + "]"
    return str(value)

"""How models, runs and answers show themselves in a notebook: HTML around the pictures that the command draws."""

from __future__ import annotations

import base64
import html
import json
import pathlib
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _command, _sets

if TYPE_CHECKING:
    from ._model import Answers, Model, Ordered, Sampled, Scored
    from ._run import Run

MOST_SHOWN = 5  # answers of a list, and of items 50


def picture(data: bytes, kind: str = "image/png", height: int | None = None) -> str:
    style = f' style="height:{height}px;margin:2px;image-rendering:pixelated"' if height else ' style="max-width:100%"'
    return f'<img src="data:{kind};base64,{base64.b64encode(data).decode()}"{style}>'


def table(rows: Iterable[Sequence[Any]], head: Sequence[Any] = ()) -> str:
    def line(cells: Sequence[Any], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{html.escape(str(c))}</{tag}>' for c in cells) + "</tr>"

    return "<table>" + (line(head, "th") if head else "") + "".join(line(r, "td") for r in rows) + "</table>"


def drawn(name: str, text: str) -> list[str]:
    """Pictures that ``riffle plot`` draws of a file of results; none where it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.write_text(text, encoding="utf-8")
        try:
            _command.run("plot", str(path), "--format", "svg")
        except _command.RiffleError:
            return []
        return [picture(p.read_bytes(), "image/svg+xml") for p in sorted(path.parent.glob("*.svg"))]


def model(m: Model) -> str:
    i = m.info
    rows = [("task", i["task"]), ("items", f"{i['items']}, sets of {i['n']} in training"), ("parameters", f"{i['parameters']:,}"),
            ("training steps", f"{i['step']:,}"), ("engine", i["engine"]), ("run", m.path)]
    return f"<h4>{html.escape(i['title'])}</h4>" + table(rows) + "".join(figures(m.path))


def figures(path: pathlib.Path) -> list[str]:
    """A run's pictures in its folder; where there are none ``riffle plot`` draws them there, if it can."""
    names = ("strip.png", "marginals.png", "training.png")
    folder = path / "figures"
    if not any((folder / name).is_file() for name in names):
        try:
            _command.run("plot", str(path), "--sets", "2", "--samples", "64")
        except _command.RiffleError:  # the run's data are gone, or the folder is not to be written
            return []
    return [picture((folder / name).read_bytes()) for name in names if (folder / name).is_file()]


def run(r: Run) -> str:
    rows = [("task", r.config["task"]["name"]), ("run", r.path)]
    for m in r.metrics():
        rows.append((m["name"], f"{m['mean']:.4g} ({m['low']:.4g} to {m['high']:.4g})"))
    log = r.path / "metrics.jsonl"
    pictures = drawn(log.name, log.read_text(encoding="utf-8")) if log.is_file() else figures(r.path)
    return f"<h4>{html.escape(r.config.get('title', ''))}</h4>" + table(rows) + "".join(pictures)


def ordered(a: Ordered) -> str:
    head = f"<b>set {html.escape(a.id)}</b>, log path {a.log_path[0]:.3f}"
    if a.cost is not None:
        return f"{head}, length {a.cost[0]:.6g}<br>" + _tour(a)
    images = _images(a)
    if images:
        return head + "<br>" + "".join(picture(images[k], height=56) for k in a.order)
    rows = [(i, k, *([a.items[k]] if a.items else [])) for i, k in enumerate(a.order[:50])]
    return head + table(rows, ["position", "item", *(["name"] if a.items else [])]) + ("…" if len(a.order) > 50 else "")


def _images(a: Ordered) -> list[bytes]:
    if isinstance(a.given, (list, tuple, np.ndarray)) and np.ndim(a.given[0]) != 1 and not np.isscalar(a.given[0]):
        try:
            return [_sets.png(x) for x in a.given]
        except (ValueError, TypeError):
            return []
    return []


def _tour(a: Ordered) -> str:
    try:
        p = np.asarray(a.given, dtype=float)[a.order]
    except (TypeError, ValueError):
        return table(enumerate(a.order[:50]), ["position", "item"])
    p = p - p.min(axis=0)
    p = 8 + 284 * p / max(p.max(), 1e-300)
    at = " ".join(f"{x:.1f},{300 - y:.1f}" for x, y in p)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{300 - y:.1f}" r="3"/>' for x, y in p)
    return f'<svg width="300" height="308" role="img"><polygon points="{at}" fill="none" stroke="currentColor"/>{dots}</svg>'


def sampled(s: Sampled) -> str:
    pictures = drawn("marginals.json", json.dumps(s.answer))
    return f"<b>set {html.escape(s.id)}</b>, {len(s.samples)} draws<br>" + "".join(pictures)


def scored(s: Scored) -> str:
    rows = [(i + 1, f"{s.log_prob[i]:.4f} ± {s.log_prob_stderr[i]:.4f}", f"{s.bound[i]:.4f}", f"{s.uniform[i]:.4f}") for i in range(min(50, len(s.bound)))]
    return table(rows, ["set", "log p, nats", "bound", "uniform"]) + ("…" if len(s.bound) > 50 else "")


def several(answers: Answers) -> str:
    more = len(answers) - MOST_SHOWN
    return "<br>".join(a._repr_html_() for a in answers[:MOST_SHOWN]) + (f"<br>… and {more} more" if more > 0 else "")


def copy_run(source: pathlib.Path, to: pathlib.Path) -> None:
    """A run's files that a model is made of."""
    to.mkdir(parents=True, exist_ok=True)
    for p in source.iterdir():
        if p.is_file() and not p.name.startswith((".", "adam_")) and p.suffix in (".toml", ".json", ".safetensors"):
            shutil.copy(p, to / p.name)

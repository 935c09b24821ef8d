"""Turns arrays, frames and pictures into the sets that the command takes."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Sets:
    """Sets as the command takes them, and where their items come from."""

    values: list[dict[str, Any]]
    given: list[Any]
    """What each set was made of, to show it by."""
    rows: list[np.ndarray] = field(default_factory=list)
    """Of a frame: the places of each set's rows in it, from 0."""
    length: int = 0
    """Of a frame: how many rows it has."""


def make(sets: Any, kind: str, features: Sequence[str] = (), group: str | None = None, item: str | None = None) -> Sets:
    """Sets for a model whose items are of a kind: "bare", "features", "image" or "point"."""
    if hasattr(sets, "columns") and hasattr(sets, "iloc"):
        return _frame(sets, kind, features, group, item)
    if group is not None or item is not None:
        raise TypeError("group and item are columns of a pandas DataFrame, which was not given")
    if isinstance(sets, (str, bytes, Mapping)) or not isinstance(sets, Iterable):
        raise TypeError(f"sets: is {_name(sets)}, wanted a list of sets")
    given = list(sets)
    if not given:
        raise ValueError("sets: wanted one or more")
    return Sets([_set(s, kind, i, features) for i, s in enumerate(given)], given)


def _set(given: Any, kind: str, i: int, features: Sequence[str]) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return _plain(given)
    where = f"sets[{i}]"
    if kind == "features" and features and hasattr(given, "columns"):
        if not hasattr(given, "iloc"):  # an array of it would lose the names
            raise TypeError(f"{where}: is {_name(given)}, wanted a pandas DataFrame or an array")
        _once(given, f"{where}: ")
        return {"items": _rows(given, list(given.columns), kind, features, f"{where}: ")}
    if kind == "bare":
        if isinstance(given, (int, np.integer)):
            return {"items": [{}] * int(given)}
        if isinstance(given, str) or hasattr(given, "columns") or not isinstance(given, Iterable):
            raise TypeError(f"{where}: is {_name(given)}, wanted the names of a set's items, or how many there are")
        return {"items": [{} if name is None else {"id": str(name)} for name in given]}
    if kind == "image":
        if not isinstance(given, (list, tuple, np.ndarray)) or isinstance(given, np.ndarray) and given.ndim < 3:
            raise TypeError(f"{where}: is {_name(given)}, wanted a list of pictures\nhint: a list of sets, each a list of pictures")
        return {"items": [_picture(x, f"{where}, item {k}") for k, x in enumerate(given)]}
    try:
        x = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as e:
        raise TypeError(f"{where}: is no array of numbers: {e}") from e
    if x.ndim != 2 or kind == "point" and x.shape[1] != 2:
        wanted = "[items, 2]" if kind == "point" else "[items, features]"
        raise ValueError(f"{where}: has the shape {list(x.shape)}, wanted {wanted}\nhint: a list of sets, each an array with a row an item")
    if (bad := _unfit(x, kind)).any():
        k, j = np.argwhere(bad)[0]
        raise ValueError(f"{where}: item {k}, number {j}: is {x[k, j]}, wanted a finite number")
    key = "point" if kind == "point" else "features"
    return {"items": [{key: row} for row in _listed(x)]}


def _unfit(x: np.ndarray, kind: str) -> np.ndarray:
    """Which numbers no model takes. An empty feature, NaN, is no such: the command knows whether its model fills it."""
    return np.isinf(x) if kind == "features" else ~np.isfinite(x)


def _listed(x: np.ndarray) -> list[list[float | None]]:
    """Numbers as JSON has them: None, its null, for NaN."""
    return x.tolist() if not np.isnan(x).any() else np.where(np.isnan(x), None, x.astype(object)).tolist()


def _once(frame: Any, where: str = "") -> None:
    if not frame.columns.is_unique:
        raise ValueError(f"{where}the column {frame.columns[frame.columns.duplicated()][0]!r} is there twice")


def _rows(frame: Any, used: list[Any], kind: str, features: Sequence[str], where: str = "") -> list[dict[str, Any]]:
    """A frame's rows as items: of its columns `used` those that are features or the point's coordinates."""
    if kind not in ("features", "point"):
        return [{} for _ in range(len(frame))]
    if kind == "features" and features and all(isinstance(c, str) for c in used):
        known = [c for c in used if c in features]
        used = known if len(known) == len(features) else used  # the command says which is missing
    x = frame[used].to_numpy(dtype=float, na_value=np.nan)
    if (bad := _unfit(x, kind)).any():
        k, j = np.argwhere(bad)[0]
        raise ValueError(f"{where}row {k}, column {used[j]!r}: is {x[k, j]}, wanted a finite number")
    if kind == "features" and features:
        return [{"features": dict(zip(used, row))} for row in _listed(x)]
    return [{kind: row} for row in _listed(x)]


def _frame(frame: Any, kind: str, features: Sequence[str], group: str | None, item: str | None) -> Sets:
    for name, column in (("group", group), ("item", item)):
        if column is not None and column not in frame.columns:
            raise KeyError(f"{name}: there is no column {column!r}")
    _once(frame)
    if group is not None and frame[group].isna().any():
        raise ValueError(f"row {int(frame[group].isna().to_numpy().argmax())}, column {group!r}: is missing, wanted the set that the row belongs to")
    if kind == "bare" and item is None:
        raise TypeError("item: wanted the column of the items' names")
    if kind == "image":
        raise TypeError("a frame has no pictures: wanted a list of sets, each a list of pictures")
    read = _rows(frame, [c for c in frame.columns if c not in (group, item)], kind, features)
    rows: dict[Any, list[int]] = {}
    for k, key in enumerate(frame[group].tolist() if group is not None else [None] * len(frame)):
        rows.setdefault(key, []).append(k)
    if not rows:
        raise ValueError("the frame has no rows")
    names = [str(v) for v in frame[item].tolist()] if item is not None else None
    values = []
    for key, places in rows.items():
        items = [read[k] if names is None else {"id": names[k], **read[k]} for k in places]
        values.append({"items": items} if key is None else {"id": str(key), "items": items})
    at = [np.array(p) for p in rows.values()]
    return Sets(values, [frame.iloc[p] for p in at], at, len(frame))


def _picture(x: Any, where: str) -> dict[str, Any]:
    """A picture: a PIL image, an array [rows, columns] or [rows, columns, 3], a file's path or its bytes."""
    if isinstance(x, (str, os.PathLike)):
        with open(x, "rb") as f:
            data = f.read()
    elif isinstance(x, bytes):
        data = x
    else:
        data = png(x, where)
    return {"image": base64.b64encode(data).decode()}


def png(x: Any, where: str = "picture") -> bytes:
    """The file of a PIL image or an array: bytes 0 to 255, or numbers 0 to 1, white being the greatest.

    PIL images of modes F and I are arrays of numbers, as nothing says how great these may be.
    """
    hint = ""
    if hasattr(x, "save") and hasattr(x, "convert"):
        if x.mode not in ("F", "I"):
            if x.mode.startswith("I;16"):  # 65535 is white, in whichever order its bytes are
                x = x if x.mode == "I;16" else x.convert("I").convert("I;16")
            out = io.BytesIO()
            (x if x.mode in ("1", "L", "RGB", "P", "RGBA", "LA", "I;16") else x.convert("RGB")).save(out, "PNG")
            return out.getvalue()
        hint = f"\nhint: mode {x.mode} does not say which number is white; where it is 65535, give np.asarray(picture) / 65535"
    a = np.asarray(x)
    if a.ndim not in (2, 3) or a.ndim == 3 and a.shape[2] != 3 or 0 in a.shape:
        raise ValueError(f"{where}: has the shape {list(a.shape)}, wanted [rows, columns] or [rows, columns, 3]")
    if a.dtype != np.uint8:
        a = a.astype(float)
        if not np.isfinite(a).all() or a.min() < 0 or a.max() > 1:
            raise ValueError(f"{where}: wanted bytes (dtype uint8), or numbers from 0 to 1{hint}")
        a = np.round(a * 255).astype(np.uint8)
    return _encode(a)


def _encode(a: np.ndarray) -> bytes:
    """PNG of bytes [rows, columns] or [rows, columns, 3]."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", a.shape[1], a.shape[0], 8, 0 if a.ndim == 2 else 2, 0, 0, 0)
    lines = np.concatenate([np.zeros((len(a), 1), np.uint8), a.reshape(len(a), -1)], axis=1)  # each without a filter
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes())) + chunk(b"IEND", b"")


def _plain(x: Any) -> Any:
    """A set in the command's own words, its arrays as lists."""
    if isinstance(x, Mapping):
        return {k: _plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_plain(v) for v in x]
    if isinstance(x, np.ndarray):
        return x.tolist()
    return x.item() if isinstance(x, np.generic) else x


def _name(x: Any) -> str:
    return f"{type(x).__module__}.{type(x).__name__}".removeprefix("builtins.")

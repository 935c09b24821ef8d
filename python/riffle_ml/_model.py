"""A trained model that answers questions about orders."""

from __future__ import annotations

import json
import math
import operator
import os
import pathlib
import warnings as _warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _sets, _show
from ._command import RiffleWarning
from ._process import Process

# What goes into one request: sets, bytes of its JSON, and numbers of its answer.
PART_SETS = 256
PART_BYTES = 64 << 20
PART_NUMBERS = 4_000_000


@dataclass(frozen=True)
class Ordered:
    """The orders of one set of n items.

    Attributes
    ----------
    id : str
        The set's id, or its number from 1.
    order : ndarray of shape (n,)
        The best order: ``order[i]`` is the item at position i, from 0.
    orders : ndarray of shape (top, n)
        The best orders, best first; ``orders[0]`` is `order`.
    log_path : ndarray of shape (top,)
        The log of the probability, in nats, of the ways that the search kept to each order. It ranks
        the orders and is no estimate of log p, which `Model.score` gives.
    cost : ndarray of shape (top,) or None
        Of tours: their lengths, in the units of the points.
    steps : ndarray of shape (steps + 1, n)
        The states of the best order's way, in order form, noise first.
    items : list of str or None
        What the items are called.
    warnings : tuple of str
        What may not be wanted.
    """

    id: str
    order: np.ndarray
    orders: np.ndarray
    log_path: np.ndarray
    cost: np.ndarray | None
    steps: np.ndarray
    items: list[str] | None
    warnings: tuple[str, ...]
    given: Any = field(repr=False, default=None)

    @property
    def rank(self) -> np.ndarray:
        """ndarray of shape (n,): ``rank[k]`` is the position of item k in `order`, from 0."""
        rank = np.empty_like(self.order)
        rank[self.order] = np.arange(len(rank))
        return rank

    def _repr_html_(self) -> str:
        return _show.ordered(self)


@dataclass(frozen=True)
class Sampled:
    """Draws of one set of n items.

    Attributes
    ----------
    id : str
        The set's id, or its number from 1.
    samples : ndarray of shape (count, n)
        The draws, each an order: ``samples[d, i]`` is the item at position i.
    marginals : ndarray of shape (n, n)
        ``marginals[k, i]`` is the share of the draws that put item k at position i.
    items : list of str or None
        What the items are called.
    warnings : tuple of str
        What may not be wanted.
    """

    id: str
    samples: np.ndarray
    marginals: np.ndarray
    items: list[str] | None
    warnings: tuple[str, ...]
    answer: dict[str, Any] = field(repr=False, default_factory=dict)

    def _repr_html_(self) -> str:
        return _show.sampled(self)


@dataclass(frozen=True)
class Scored:
    """What is known of log p(order | items) of some sets, in nats.

    Attributes
    ----------
    log_prob, log_prob_stderr : ndarray of shape (sets,)
        The importance estimate of log p and its standard error.
    bound, stderr : ndarray of shape (sets,)
        A lower bound on log p and its standard error.
    effective : ndarray of shape (sets,)
        How many of the draws count in `log_prob`: where it is near 1 the estimate says little.
    uniform : ndarray of shape (sets,)
        −log n!, what a model without knowledge has.
    warnings : tuple of str
        What may not be wanted.
    """

    log_prob: np.ndarray
    log_prob_stderr: np.ndarray
    bound: np.ndarray
    stderr: np.ndarray
    effective: np.ndarray
    uniform: np.ndarray
    warnings: tuple[str, ...]

    def _repr_html_(self) -> str:
        return _show.scored(self)


class Answers(list):
    """A list of `Ordered` or `Sampled`, one a set, in the order of the sets."""

    def __init__(self, answers: Sequence[Any], sets: _sets.Sets):
        super().__init__(answers)
        self._rows, self._length = sets.rows, sets.length

    def positions(self) -> np.ndarray:
        """Position of each item in its set's best order, from 0.

        Returns
        -------
        ndarray of shape (rows,)
            In the order of the frame's rows, or of the sets and their items where no frame was given.
        """
        ranks = [a.rank for a in self]
        if not self._rows:
            return np.concatenate(ranks)
        out = np.empty(self._length, dtype=int)
        for rows, rank in zip(self._rows, ranks):
            out[rows] = rank
        return out

    def _repr_html_(self) -> str:
        return _show.several(self)


class Model:
    """A trained model, made by `load`.

    One process of the riffle command answers for it, from the first question until `close`, the end of a
    ``with`` block or the end of the object. A model may be used by several threads.

    **Sets** are given as a list with an element a set, by the kind of the model's items (`items`):

    - ``"features"``: arrays of shape (n, features), or a pandas DataFrame with a row an item;
    - ``"point"``: arrays of shape (n, 2);
    - ``"image"``: lists of n pictures: PIL images, arrays of shape (rows, columns) or (rows, columns, 3) of
      bytes or of numbers from 0 to 1, or paths of files;
    - ``"bare"``: lists of n names, or the number n.

    The sets may have different n. A set can also be a dict with the keys of the command's JSONL, such as
    ``{"items": [{"features": [1, 2]}, …], "constraints": {"pin": ["0=1"]}}``.

    In a notebook a model shows itself with the pictures in the run's folder ``figures``; where there are none,
    ``riffle plot`` draws them there.

    **A DataFrame** has one set for each value of its column `group`, or is one set without. The column `item`
    has the items' names. A model that knows its features by name finds their columns by name, and so it does
    where DataFrames are the sets of a list. An empty feature (NaN) is for a model trained with ``task.fill``.
    """

    def __init__(self, path: str | os.PathLike[str], engine: str = "auto", threads: int | None = None):
        self.path = pathlib.Path(path)
        self._engine, self._threads = engine, threads
        self._process: Process | None = None
        self._told: set[str] = set()
        answer = self._ask("/v1/models")
        self.info: dict[str, Any] = answer["models"][0]
        self._warn(self.info["warnings"])

    # --- about the model

    @property
    def task(self) -> str:
        """What the model learned: "sort", "jigsaw", "tsp", "ranking" or "delta"."""
        return self.info["task"]

    @property
    def items(self) -> str:
        """The kind of its items: "bare", "features", "image" or "point"."""
        return self.info["items"]

    @property
    def features(self) -> list[str]:
        """Names of its features, empty where it knows none."""
        return [f["name"] for f in self.info.get("features", [])]

    @property
    def names(self) -> list[str]:
        """Names of the items that it knows, empty where it knows none."""
        return list(self.info.get("names", []))

    def __repr__(self) -> str:
        return f"<riffle_ml.Model {str(self.path)!r}: {self.info['title']}>"

    def _repr_html_(self) -> str:
        return _show.model(self)

    # --- questions

    def order(
        self,
        sets: Any,
        *,
        top: int = 1,
        decode: str | None = None,
        beam: int | None = None,
        inner: int | None = None,
        constraints: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        group: str | None = None,
        item: str | None = None,
    ) -> Answers:
        """The most probable orders of sets.

        Parameters
        ----------
        sets : list of sets, or DataFrame
            See `Model`.
        top : int
            How many orders a set, at most.
        decode : {"greedy", "beam"}, optional
            How they are found; what the run says where it is left out. `top` above 1 wants a beam.
        beam, inner : int, optional
            States kept after each reverse step, and prefixes kept inside one.
        constraints : dict, or list of dicts, optional
            Rules that every order obeys, for all sets or one a set: lists under the keys "pin" ("item=position"),
            "before" ("item,item"), "first" ("count:item,item") and "forbid" ("item=position"). Those that a set
            has itself hold too.
        group, item : str, optional
            Columns of a DataFrame.

        Returns
        -------
        Answers
            A list of `Ordered`, one a set.

        Raises
        ------
        RiffleError
            What the command says where it cannot answer.

        Examples
        --------
        >>> model = riffle_ml.load("models/tours")
        >>> model.order([np.array([[0, 0], [1, 1], [1, 0], [0, 1]])])[0].order
        array([0, 2, 1, 3])
        """
        body = {k: v for k, v in {"top": top, "decode": decode, "beam": beam, "inner": inner}.items() if v is not None}
        made = self._sets(sets, group, item, constraints)
        answers = []
        for given, a in zip(made.given, self._answers("/v1/order", body, made, numbers=top + 8)):
            best = a["orders"]
            orders = np.array([o["order"] for o in best], dtype=int)
            cost = np.array([o["cost"] for o in best]) if best and "cost" in best[0] else None
            steps = np.array(a.get("steps") or [orders[0]], dtype=int)
            answers.append(Ordered(
                a["id"], orders[0], orders, np.array([_number(o["log_path"]) for o in best]), cost, steps,
                a.get("items"), tuple(a.get("warnings", ())), given,
            ))
        return Answers(answers, made)

    def sample(
        self,
        sets: Any,
        count: int = 10,
        *,
        seed: int = 1,
        constraints: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        group: str | None = None,
        item: str | None = None,
    ) -> Answers:
        """Draws of the orders of sets.

        Parameters
        ----------
        sets : list of sets, or DataFrame
            See `Model`.
        count : int
            Draws a set.
        seed : int
            Another seed gives other draws. Those of a set depend on the seed and the set alone.
        constraints, group, item
            As in `order`.

        Returns
        -------
        Answers
            A list of `Sampled`, one a set.
        """
        made = self._sets(sets, group, item, constraints)
        answers = []
        for a in self._answers("/v1/sample", {"count": count, "seed": seed}, made, numbers=count):
            answers.append(Sampled(
                a["id"], np.array(a["samples"], dtype=int), np.array(a["marginals"], dtype=float), a.get("items"), tuple(a.get("warnings", ())), a,
            ))
        return Answers(answers, made)

    def marginals(self, sets: Any, count: int = 100, **how: Any) -> list[np.ndarray]:
        """Shares of draws that put each item at each position.

        Parameters
        ----------
        sets : list of sets, or DataFrame
            See `Model`.
        count : int
            Draws a set.
        **how
            `seed`, `constraints`, `group` and `item`, as in `sample`.

        Returns
        -------
        list of ndarray of shape (n, n)
            One a set: ``[k, i]`` is the share of the draws with item k at position i. Rows and columns sum to 1.
        """
        return [s.marginals for s in self.sample(sets, count, **how)]

    def score(
        self,
        sets: Any,
        orders: Sequence[Any] | None = None,
        *,
        draws: int = 32,
        seed: int = 1,
        group: str | None = None,
        item: str | None = None,
    ) -> Scored:
        """How probable given orders are.

        Parameters
        ----------
        sets : list of sets, or DataFrame
            See `Model`.
        orders : list of ndarray of shape (n,), optional
            One a set: ``order[i]`` is the item at position i. Sets that are dicts may have their own, or "levels".
        draws : int
            Forward trajectories a set: more make the estimates better.
        seed : int
            Another seed gives other trajectories.
        group, item
            As in `order`.

        Returns
        -------
        Scored
            Arrays with a number a set.
        """
        made = self._sets(sets, group, item, None)
        if orders is not None:
            if len(orders) != len(made.values):
                raise ValueError(f"orders: are {len(orders)}, wanted {len(made.values)}, one a set")
            made.values = [{**v, "order": [operator.index(i) for i in o]} for v, o in zip(made.values, orders)]
        answers = list(self._answers("/v1/score", {"draws": draws, "seed": seed}, made, numbers=1))
        names = ("log_prob", "log_prob_stderr", "bound", "stderr", "effective", "uniform")
        told = tuple(dict.fromkeys(w for a in answers for w in a.get("warnings", ())))
        return Scored(*(np.array([_number(a[name]) for a in answers]) for name in names), told)

    # --- the process

    def close(self) -> None:
        """End the model's process. A later question starts another one."""
        if self._process:
            self._process.close()
            self._process = None

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_process": None}

    def _ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        if self._process is None:
            self._process = Process(str(self.path), self._engine, self._threads)
        return self._process.ask(path, body)

    def _sets(self, sets: Any, group: str | None, item: str | None, constraints: Any) -> _sets.Sets:
        made = _sets.make(sets, self.items, self.features, group, item)
        if constraints:
            each = [constraints] * len(made.values) if isinstance(constraints, Mapping) else list(constraints)
            if len(each) != len(made.values):
                raise ValueError(f"constraints: are {len(each)}, wanted {len(made.values)}, one a set, or a dict for all")
            made.values = [{**v, "constraints": _both(v.get("constraints"), c, f"sets[{i}]")} if c else v for i, (v, c) in enumerate(zip(made.values, each))]
        return made

    def _answers(self, path: str, body: dict[str, Any], made: _sets.Sets, numbers: int) -> Iterator[dict[str, Any]]:
        """Answers for sets, asked for in parts; numbers is how many an item has in an answer."""
        done = 0
        for part in _parts(made.values, numbers):
            answers = self._ask(path, {**body, "sets": part})["answers"]
            for k, (value, a) in enumerate(zip(part, answers)):
                if not value.get("id"):
                    a["id"] = str(done + k + 1)
                self._warn(a.get("warnings", ()))
            done += len(part)
            yield from answers

    def _warn(self, texts: Sequence[str]) -> None:
        """Each text once a model."""
        for text in texts:
            if text not in self._told:
                self._told.add(text)
                _warnings.warn(text, RiffleWarning, stacklevel=4)


def _parts(values: list[dict[str, Any]], numbers: int) -> Iterator[list[dict[str, Any]]]:
    """Cuts sets into lists that are each one request."""
    part: list[dict[str, Any]] = []
    size = cells = 0
    for v in values:
        items = v.get("items", ())
        bytes_ = len(json.dumps(v))
        cell = len(items) * (numbers + len(items))
        if part and (len(part) == PART_SETS or size + bytes_ > PART_BYTES or cells + cell > PART_NUMBERS):
            yield part
            part, size, cells = [], 0, 0
        part.append(v)
        size, cells = size + bytes_, cells + cell
    yield part


def _both(own: Mapping[str, Any] | None, more: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The rules that a set has itself and those that came with the call."""
    own = own or {}
    for rules in (own, more):
        if not isinstance(rules, Mapping):
            raise TypeError(f"{where}: constraints: is {type(rules).__name__}, wanted a dict")
    joined = {**own, **more}
    for key in own.keys() & more.keys():
        for rules in (own[key], more[key]):
            if not isinstance(rules, (list, tuple)):
                raise TypeError(f"{where}: constraints: {key}: is {type(rules).__name__}, wanted a list of rules")
        joined[key] = [*own[key], *more[key]]
    return joined


def _number(x: float | str) -> float:
    """A number of JSON, where those that are not finite are text."""
    return {"-Infinity": -math.inf, "Infinity": math.inf, "NaN": math.nan}[x] if isinstance(x, str) else float(x)


def load(path: str | os.PathLike[str], *, engine: str = "auto", threads: int | None = None) -> Model:
    """Load a trained model.

    Parameters
    ----------
    path : path
        A run's directory: of ``riffle train`` or ``riffle export --format run``.
    engine : str
        "auto", "go", "xla", "xla:PATH" or "cuda", as ``riffle engines`` lists them.
    threads : int, optional
        Processors that the go engine may use; all of them where it is left out.

    Returns
    -------
    Model

    Raises
    ------
    RiffleError
        Where there is no such run, or it cannot be read.

    Examples
    --------
    >>> import numpy as np, riffle_ml
    >>> model = riffle_ml.load("models/tours")
    >>> answers = model.order([np.random.rand(20, 2), np.random.rand(20, 2)])
    >>> answers[0].order, answers[0].cost
    """
    return Model(path, engine, threads)

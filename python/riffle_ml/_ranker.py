"""A ranker by scikit-learn's conventions."""

from __future__ import annotations

import pathlib
import tempfile
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import ndcg_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from . import _show
from ._model import Model
from ._run import train


class RiffleRanker(BaseEstimator):
    """Learns to rank lists of items with features.

    A list's order is learned as a whole: a transformer sees all items of a list, and Plackett–Luce gives the
    probability of each of its orders. So `predict` needs to know which rows are one list.

    Parameters
    ----------
    n_steps : int, default=1000
        Training steps. (A step is a batch, no tree: LightGBM's `n_estimators` has no counterpart.)
    learning_rate : float, default=0.001
        The highest rate of the cosine schedule.
    batch_size : int, default=64
        Lists a step.
    dim : int, default=64
        Numbers of an item's embedding, a multiple of 8.
    n_layers : int, default=3
        Layers of the transformer.
    dropout : float, default=0.1
        Probability of dropping a unit in training.
    scale : {"quantile", "standard"}, default="quantile"
        How features are brought to the network: as normal scores of their ranks, or by mean and deviation.
    group_column : int or str, optional
        Column of X that says which list a row belongs to, by its place, or by its name in a DataFrame; it
        is no feature. With it neither `fit` nor `predict` nor `score` needs `group` or `qid`, so that a
        Pipeline and GridSearchCV work as they are (give GridSearchCV a splitter that keeps lists whole, such as
        GroupKFold).
    eval_at : int, default=10
        `score` is the mean NDCG at this position.
    settings : dict, optional
        Further keys of the configuration, such as ``{"train.trajectories": 2}``.
    engine : str, default="auto"
        "auto", "go", "xla", "xla:PATH" or "cuda".
    random_state : int, RandomState instance or None, default=None
        Seed of the training. None takes one at random.
    n_jobs : int, optional
        Processors that the go engine may use; None and -1 take all.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the X that was fitted, the group's included.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X was a DataFrame.
    model_ : Model
        The trained model, to ask for more: top orders, draws, marginals, log p.

    Notes
    -----
    A pickle has the weights inside. Lists of one item teach nothing and are left out of the training.

    See Also
    --------
    riffle_ml.train : Trains whatever the command can train.

    Examples
    --------
    >>> ranker = RiffleRanker(n_steps=300, random_state=0)
    >>> ranker.fit(X, y, group=[20, 25, 18])     # rows of three lists, one after the other
    >>> ranker.predict(X_new, group=[30])        # the greater, the earlier
    """

    def __init__(
        self,
        *,
        n_steps: int = 1000,
        learning_rate: float = 1e-3,
        batch_size: int = 64,
        dim: int = 64,
        n_layers: int = 3,
        dropout: float = 0.1,
        scale: str = "quantile",
        group_column: int | str | None = None,
        eval_at: int = 10,
        settings: dict[str, Any] | None = None,
        engine: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
    ):
        self.n_steps = n_steps
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.dim = dim
        self.n_layers = n_layers
        self.dropout = dropout
        self.scale = scale
        self.group_column = group_column
        self.eval_at = eval_at
        self.settings = settings
        self.engine = engine
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, *, group: Any = None, qid: Any = None) -> RiffleRanker:
        """Learn from ranked lists.

        Parameters
        ----------
        X : array-like of shape (rows, features)
            Items, a row each.
        y : array-like of shape (rows,)
            Relevance: in its list the greater comes first, equal ones may stand either way.
        group : array-like of shape (lists,), optional
            How many rows each list has, one after the other, as LightGBM takes it.
        qid : array-like of shape (rows,), optional
            Instead, the list that each row belongs to. Rows may stand in any order. Without `group`, `qid`
            and `group_column` all rows are one list. It says so of every row: a missing one (NaN, None) is an error.

        Returns
        -------
        self
        """
        X, y = self._columns(X), y
        X, y = validate_data(self, X, y, dtype="numeric", y_numeric=True)
        y = column_or_1d(y).astype(float)
        lists, features = self._lists(X, group, qid)
        lists = [rows for rows in lists if len(rows) > 1]
        if not lists:
            raise ValueError(f"wanted a list of 2 items or more (got {len(y)} sample(s), n_samples=1 in each list)")
        if not features:
            raise ValueError("X has 0 features(s) besides the column of groups, wanted 1 or more")
        settings = {
            "task.scale": self.scale, "model.dim": self.dim, "model.layers": self.n_layers, "model.dropout": self.dropout,
            "train.batch": self.batch_size, "train.lr": self.learning_rate, "train.validate": 0, "eval.examples": 1,
            "seed": self._seed(), "train.warmup": max(1, min(100, self.n_steps // 10)), **(self.settings or {}),
        }
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder, "lists.txt")
            write_lists(data, X[:, features], y, lists)
            out = pathlib.Path(folder, "run")
            settings |= {"task.data": data, "task.test": data}
            settings.setdefault("task.n", max(len(rows) for rows in lists))
            train("ranking-features", out, settings=settings, steps=self.n_steps, engine=self.engine, threads=self._threads())
            small = pathlib.Path(folder, "small")
            _show.copy_run(out, small)
            self._kept = Kept({p.name: p.read_bytes() for p in small.iterdir()}, self.engine, self._threads())
        return self

    def predict(self, X: Any, *, group: Any = None, qid: Any = None) -> np.ndarray:
        """Score each item by its place in its list's most probable order.

        Parameters
        ----------
        X : array-like of shape (rows, features)
            Items, a row each.
        group, qid
            As in `fit`: which rows are one list. An item's score depends on the others of its list.

        Returns
        -------
        ndarray of shape (rows,)
            Minus the position, so that the greater is the earlier: 0 for the first of a list, −1 for the second.
            Scores of different lists cannot be compared.
        """
        check_is_fitted(self)
        X = validate_data(self, self._columns(X), dtype="numeric", reset=False)
        lists, features = self._lists(X, group, qid)
        scores = np.empty(len(X))
        for rows, answer in zip(lists, self.model_.order([X[np.ix_(rows, features)] for rows in lists])):
            scores[rows] = -answer.rank
        return scores

    def score(self, X: Any, y: Any, *, group: Any = None, qid: Any = None) -> float:
        """Mean NDCG at position `eval_at`, of the lists that have items of different relevance.

        It is that of `sklearn.metrics.ndcg_score`, whose gain is the relevance itself. `riffle eval` has 2^relevance − 1, as
        LightGBM has, and so another figure where there are more than two grades. Lists whose items are all equally relevant,
        such as those without a relevant one, say nothing of an order and are left out by both.

        Parameters
        ----------
        X, y, group, qid
            As in `fit`; no relevance is negative.

        Returns
        -------
        float
            From 0 to 1, the greater the better; NaN where no list counts.
        """
        predicted = self.predict(X, group=group, qid=qid)
        y = column_or_1d(y)
        lists, _ = self._lists(np.asarray(self._columns(X)), group, qid)
        values = [ndcg_score([y[rows]], [predicted[rows]], k=self.eval_at) for rows in lists if len(np.unique(y[rows])) > 1]
        return float(np.mean(values)) if values else float("nan")

    @property
    def model_(self) -> Model:
        """The trained model."""
        check_is_fitted(self)
        return self._kept.model()

    def close(self) -> None:
        """End the process of the model. A later question starts another one."""
        if hasattr(self, "_kept"):
            self._kept.close()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_kept")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.non_deterministic = self.random_state is None
        tags.requires_fit = True
        return tags

    def _columns(self, X: Any) -> Any:
        """X with codes for its groups, which as float64 beside the features would not all stay apart, or may be text."""
        by_place = isinstance(self.group_column, (int, np.integer))
        if by_place and isinstance(X, (list, tuple)):
            X = np.array(X, dtype=object)
        if by_place and isinstance(X, np.ndarray) and X.ndim == 2 and -X.shape[1] <= self.group_column < X.shape[1] and X.dtype.kind == "O":
            X = X.copy()
            X[:, self.group_column] = _codes(X[:, self.group_column], self._group())
        if self.group_column is None or not hasattr(X, "iloc"):
            return X
        name = X.columns[self.group_column] if by_place else self.group_column
        if name not in X.columns:
            raise ValueError(f"group_column: there is no column {name!r}")
        if list(X.columns).count(name) > 1:
            raise ValueError(f"group_column: the column {name!r} is there twice")
        X = X.copy(deep=False)
        X[name] = _codes(X[name], self._group())
        return X

    def _group(self) -> str:
        """What errors call the column of groups."""
        return f"group_column {self.group_column!r}"

    def _lists(self, X: np.ndarray, group: Any, qid: Any) -> tuple[list[np.ndarray], list[int]]:
        """Rows of each list, and the columns that are features."""
        features = list(range(X.shape[1]))
        if sum(x is not None for x in (group, qid, self.group_column)) > 1:
            raise ValueError("wanted one of group, qid and group_column (got more)")
        if group is not None:
            sizes = _sizes(group)
            if sizes.sum() != len(X) or (sizes < 1).any():
                raise ValueError(f"group: wanted sizes of 1 or more that sum to the {len(X)} rows of X (got a sum of {sizes.sum()})")
            ends = np.cumsum(sizes)
            return [np.arange(b - n, b) for b, n in zip(ends, sizes)], features
        if self.group_column is not None:
            at = self.group_column
            if isinstance(at, str):
                names = list(getattr(self, "feature_names_in_", ()))
                if at not in names:
                    raise ValueError(f"group_column: there is no column {at!r} (X has {'the columns ' + ', '.join(names) if names else 'no names'})")
                at = names.index(at)
            at = features[at]
            qid = X[:, at]
            features.remove(at)
        if qid is None:
            return [np.arange(len(X))], features
        of = _codes(qid, "qid" if self.group_column is None else self._group())
        check_consistent_length(X, of)
        by = np.argsort(of, kind="stable")
        return np.split(by, np.cumsum(np.bincount(of))[:-1]), features

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(1 << 31))

    def _threads(self) -> int | None:
        return self.n_jobs if self.n_jobs and self.n_jobs > 0 else None


def _codes(values: Any, what: str) -> np.ndarray:
    """For each row a whole number from 0, the same where the values are the same."""
    if hasattr(values, "to_numpy"):  # before scikit-learn sees it, which makes float64 of whole numbers that may be missing
        values = values.to_numpy()
    elif not isinstance(values, np.ndarray) and np.asarray(values).dtype.kind not in "iubf":
        values = np.asarray(values, dtype=object)  # else NaN beside text is the text "nan"
    values = column_or_1d(values)
    missing = [v is None or _unlike_itself(v) for v in values.tolist()] if values.dtype.kind == "O" else values != values
    if np.any(missing):
        raise ValueError(f"{what}: row {int(np.argmax(missing))}: is missing, wanted the list that the row belongs to")
    if values.dtype.kind == "f":
        bits = np.finfo(values.dtype).nmant + 1
        if (great := abs(values) > 2.0**bits).any():
            k = int(np.argmax(great))
            raise ValueError(
                f"{what}: row {k}: is {values[k]!s}, beyond 2^{bits}, where {values.dtype} no longer tells whole numbers apart"
                "\nhint: qid, or a column of a DataFrame, of whole numbers or text"
            )
    try:
        return np.unique(values, return_inverse=True)[1]
    except TypeError:  # of kinds that have no order, such as text and numbers
        seen: dict[Any, int] = {}
        return np.array([seen.setdefault(v, len(seen)) for v in values.tolist()], dtype=int)


def _unlike_itself(v: Any) -> bool:
    """Whether a value is NaN, NaT or pandas' NA, whose comparisons are neither true nor false."""
    try:
        return bool(v != v)
    except TypeError:
        return True


def _sizes(group: Any) -> np.ndarray:
    """The sizes of lists as whole numbers."""
    sizes = column_or_1d(group)
    if sizes.dtype.kind in "iu":
        return sizes.astype(int)
    for i, v in enumerate(sizes.tolist()):
        try:
            whole = float(v).is_integer()
        except (TypeError, ValueError):
            whole = False
        if not whole:
            raise ValueError(f"group: the size of list {i} is {v!r}, wanted a whole number of rows")
    return sizes.astype(float).astype(int)


class Kept:
    """The files of a trained model, and the model where it was asked for. A pickle has the files alone."""

    def __init__(self, files: dict[str, bytes], engine: str, threads: int | None):
        self.files, self.engine, self.threads = files, engine, threads
        self._open: tuple[Model, Any] | None = None

    def model(self) -> Model:
        """The model, in a folder that lasts as long as it."""
        if self._open is None:
            folder = tempfile.TemporaryDirectory(prefix="riffle-")
            for name, data in self.files.items():
                pathlib.Path(folder.name, name).write_bytes(data)
            self._open = Model(folder.name, self.engine, self.threads), folder
        return self._open[0]

    def close(self) -> None:
        if self._open:
            self._open[0].close()
            self._open = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": None}


def write_lists(path: pathlib.Path, X: np.ndarray, y: np.ndarray, lists: list[np.ndarray]) -> None:
    """The lists as svmlight, whose numbers are read as they are written."""
    if len(y) and y.min() < 0:  # which stands for unjudged there: the places among all values say the same
        y = np.unique(y, return_inverse=True)[1].reshape(y.shape)
    columns = [f" {j + 1}:" for j in range(X.shape[1])]
    with open(path, "w", encoding="ascii") as f:
        for q, rows in enumerate(lists, 1):
            for relevance, row in zip(y[rows].tolist(), X[rows].astype(float).tolist()):
                f.write(f"{relevance!r} qid:{q}" + "".join(f"{c}{v!r}" for c, v in zip(columns, row)) + "\n")

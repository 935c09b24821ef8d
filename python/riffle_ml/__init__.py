"""Riffle learns in what order objects belong: it orders new sets, draws samples and gives likelihoods.

>>> import riffle_ml
>>> model = riffle_ml.load("models/rankings")
>>> answers = model.order([X1, X2])       # arrays of shape (n, features), a set each
>>> answers[0].order                      # array of shape (n,): the item at each position
>>> model.marginals([X1], count=100)[0]   # array of shape (n, n): how often item k is at position i

`train` trains a model, `RiffleRanker` is a ranker by scikit-learn's conventions, and `riffle_ml.torch` has the
network as a PyTorch module. All of it asks the riffle command, which this package brings along.
"""

from __future__ import annotations

from importlib import metadata as _metadata
from typing import TYPE_CHECKING, Any

from ._command import RiffleError, RiffleWarning
from ._model import Answers, Model, Ordered, Sampled, Scored, load
from ._run import Run, train

if TYPE_CHECKING:
    from ._ranker import RiffleRanker

__all__ = ["Answers", "Model", "Ordered", "RiffleError", "RiffleRanker", "RiffleWarning", "Run", "Sampled", "Scored", "load", "train"]

try:
    __version__ = _metadata.version("riffle-ml")
except _metadata.PackageNotFoundError:  # from a folder
    __version__ = "0.0.0"


def __getattr__(name: str) -> Any:
    if name == "RiffleRanker":  # which wants scikit-learn, and nothing else does
        try:
            from ._ranker import RiffleRanker
        except ModuleNotFoundError as e:
            if e.name and e.name.split(".")[0] == "sklearn":
                raise ImportError("riffle_ml.RiffleRanker wants scikit-learn\nhint: pip install 'riffle-ml[sklearn]'") from e
            raise
        return RiffleRanker
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

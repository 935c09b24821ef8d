"""What the tests share. They ask the command that $RIFFLE_COMMAND names, that of the package, or bin/riffle."""

import os
import pathlib
import warnings

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
inside = ROOT / "bin" / ("riffle.exe" if os.name == "nt" else "riffle")
if inside.exists():
    os.environ.setdefault("RIFFLE_COMMAND", str(inside))

import riffle_ml  # noqa: E402  it finds the command at its first use


@pytest.fixture(scope="session")
def loaded():
    """The models of the repository, each loaded once."""
    models = {}

    def get(name):
        if name not in models:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", riffle_ml.RiffleWarning)
                models[name] = riffle_ml.load(ROOT / "models" / name, engine="go", threads=1)
        return models[name]

    yield get
    for m in models.values():
        m.close()


@pytest.fixture
def lists():
    """Forty lists of six items whose first two numbers decide their order; X, y and the sizes."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(240, 3))
    y = np.digitize(2 * x[:, 0] - x[:, 1], [-1.5, 0, 1.5])
    return x, y, [6] * 40

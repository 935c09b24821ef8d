"""The network in PyTorch, for the scripts beside: it is that of the Python package, python/riffle_ml/_reference.py."""

import importlib.util
import pathlib
import sys

# By its path, since the package itself wants more than PyTorch.
_path = pathlib.Path(__file__).parents[2] / "python/riffle_ml/_reference.py"
_spec = importlib.util.spec_from_file_location(__name__, _path)
sys.modules[__name__] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules[__name__])

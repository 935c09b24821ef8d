"""The README's blocks and the tutorial's cells run as they stand."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parents[1]


def wanted(*modules):
    for m in modules:
        pytest.importorskip(m)


def test_readme(tmp_path):
    wanted("pandas", "sklearn", "torch", "safetensors")
    blocks = re.findall(r"^```python\n(.*?)^```", (HERE / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 7
    script = tmp_path / "readme.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-W", "error::DeprecationWarning", str(script)], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "items 2 and 1 are both pinned at position 0" in done.stdout


def test_tutorial(tmp_path):
    wanted("nbclient", "nbformat", "ipykernel", "pandas", "PIL")
    import nbclient
    import nbformat

    book = nbformat.read(HERE / "tutorial.ipynb", as_version=4)
    assert not any(c.get("outputs") for c in book.cells), "the tutorial is kept without outputs"
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = json.dumps([o for c in book.cells for o in c.get("outputs", [])])
    assert "image/svg+xml" in shown and "text/html" in shown

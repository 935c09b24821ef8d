"""Finds the riffle command and runs it."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence


class RiffleError(RuntimeError):
    """What the command says when it cannot do what it was asked, hint included."""


class RiffleWarning(UserWarning):
    """What the command warns of."""


def find() -> str:
    """Path of the riffle command: ``$RIFFLE_COMMAND``, the one in this package, or the one on the PATH."""
    named = os.environ.get("RIFFLE_COMMAND")
    if named:
        return named
    inside = pathlib.Path(__file__).parent / "bin" / ("riffle.exe" if os.name == "nt" else "riffle")
    if inside.exists():
        return str(inside)
    # The `riffle` that this package installs starts this very function: it is no command to find.
    own = pathlib.Path(sys.argv[0]).resolve() if sys.argv and sys.argv[0] else None
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which("riffle", path=folder) if folder else None
        if found and pathlib.Path(found).resolve() != own and not _is_script(found):
            return found
    raise RiffleError("there is no riffle command in this package or on the PATH\nhint: install a wheel, or name the command by $RIFFLE_COMMAND")


def _is_script(path: str) -> bool:
    with open(path, "rb") as f:
        return f.read(2) == b"#!"


def environment() -> dict[str, str]:
    """The environment of the command: it finds the XLA plugin that the extra ``[xla]`` brings."""
    env = dict(os.environ)
    folders = [str(p) for p in _plugin_folders()]
    if folders:
        name = "PJRT_PLUGIN_LIBRARY_PATH"
        env[name] = os.pathsep.join([env[name], *folders] if env.get(name) else folders)
    return env


def _plugin_folders() -> list[pathlib.Path]:
    folders = []
    for package in ("lammps_jax_pjrt_cpu", "jax_plugins.xla_cuda13"):
        try:
            spec = importlib.util.find_spec(package)
        except (ImportError, ValueError):
            continue
        for place in (spec and spec.submodule_search_locations) or []:
            folders += sorted({p.parent for p in pathlib.Path(place).rglob("*plugin*.so")})
    return folders


def run(*args: str, threads: int | None = None) -> str:
    """Run the command to its end and return what it prints; a failure is a `RiffleError`."""
    env = environment()
    if threads:
        env["GOMAXPROCS"] = str(threads)
    done = subprocess.run([find(), *args], env=env, capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RiffleError(said(done.stderr))
    for line in done.stderr.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line.removeprefix("warning: "), RiffleWarning, stacklevel=3)
    return done.stdout


def said(stderr: str) -> str:
    """The error in what a command wrote: what comes after its own name."""
    lines = stderr.splitlines()
    for i, line in enumerate(lines):
        if line.startswith("riffle: "):
            return "\n".join(lines[i:]).removeprefix("riffle: ").strip()
    return stderr.strip() or "the command ended without a word"


def main(args: Sequence[str] | None = None) -> None:
    """The `riffle` that this package installs: the command, with the plugin of the extra ``[xla]``."""
    given = list(sys.argv[1:] if args is None else args)
    try:
        command = find()
    except RiffleError as e:
        sys.exit(f"riffle: {e}")
    if os.name == "nt":
        sys.exit(subprocess.run([command, *given], env=environment()).returncode)
    os.execve(command, ["riffle", *given], environment())

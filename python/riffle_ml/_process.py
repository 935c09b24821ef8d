"""One `riffle serve` that is kept open: JSON over a private port of this machine."""

from __future__ import annotations

import collections
import http.client
import json
import os
import secrets
import subprocess
import threading
import weakref
from typing import Any

from . import _command
from ._command import RiffleError

# The server is this program's own: its limits are there to be out of the way.
LIMITS = {
    "--max-sets": "65536", "--max-items": "65536", "--max-body": str(1 << 30), "--max-memory": str(4 << 30),
    "--max-pixels": str(1 << 28), "--max-work": str(1 << 40), "--max-work-bytes": str(4 << 30),
    "--max-time": "240h", "--max-busy": "240h", "--grace": "2s",
}


class Process:
    """A server of one run. It ends with this object, and with this program however that ends."""

    def __init__(self, run: str, engine: str = "auto", threads: int | None = None):
        self.token = secrets.token_hex(16)
        env = _command.environment()
        env["RIFFLE_TOKEN"] = self.token
        if threads:
            env["GOMAXPROCS"] = str(threads)
        args = [_command.find(), "serve", run, "--addr", "127.0.0.1:0", "--json", "--with-stdin", "--engine", engine]
        for name, value in LIMITS.items():
            args += [name, value]
        # A group of its own: Ctrl-C in a notebook ends the question, not the model.
        own: dict[str, Any] = {"start_new_session": True} if os.name != "nt" else {"creationflags": 0x200}
        self.process = subprocess.Popen(args, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", **own)
        self.log: collections.deque[str] = collections.deque(maxlen=200)
        self.reader = threading.Thread(target=_drain, args=(self.process.stderr, self.log), daemon=True)
        self.reader.start()
        self._local = threading.local()
        self._end = weakref.finalize(self, _end, self.process, os.getpid())
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            self.process.wait()
            self.reader.join(5)
            self.close()
            raise RiffleError(_command.said("".join(self.log)))
        self.address = json.loads(line)["address"]

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Answer of a route; a refusal is a `RiffleError` with the server's words."""
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        for again in (True, False):
            connection, fresh = self._connection()
            try:
                connection.request("GET" if data is None else "POST", path, data, headers)
                response = connection.getresponse()
                text = response.read()
                break
            except (http.client.RemoteDisconnected, ConnectionError) as e:
                self._drop()
                # A connection that rested for long is closed by the server: only that is tried again.
                if fresh or not again or self.process.poll() is not None:
                    raise RiffleError(f"the command ended: {_command.said(''.join(self.log))}") from e
            except BaseException:  # Ctrl-C: what comes on this connection would be the old answer
                self._drop()
                raise
        answer = json.loads(text)
        if response.status != 200:
            error = answer["error"]
            hint = f"\nhint: {error['hint']}" if error.get("hint") else ""
            raise RiffleError(error["message"] + hint)
        return answer

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        """This thread's connection, in this process: not one that a fork shares with its parent."""
        kept = getattr(self._local, "kept", None)
        if kept and kept[0] == os.getpid():
            return kept[1], False
        connection = http.client.HTTPConnection(self.address)
        self._local.kept = (os.getpid(), connection)
        return connection, True

    def _drop(self) -> None:
        kept = getattr(self._local, "kept", None)
        if kept:
            kept[1].close()
            self._local.kept = None

    def close(self) -> None:
        """End the process."""
        self._drop()
        self._end()


def _drain(stream: Any, log: collections.deque[str]) -> None:
    for line in stream:
        log.append(line)


def _end(process: subprocess.Popen[str], owner: int) -> None:
    if os.getpid() != owner:  # of a fork, which has no process of its own
        return
    process.stdin.close()  # type: ignore[union-attr]
    process.terminate()  # a fork may hold the other end of its standard input
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()  # type: ignore[union-attr]

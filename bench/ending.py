#!/usr/bin/env python3
"""How long `riffle serve` takes to end while it works at its limits.

    python3 bench/ending.py bin/riffle [--grace 20s] [--after 6]

For each kind of request, and for all of them together, a server is started on models/tours and models/rankings. Requests as large as
they are taken are sent (each is halved until it is not refused), SIGTERM follows after some seconds, and the table says how long
the process then lived and what was answered. The exit status is 1 if one took longer than the grace."""

import argparse
import json
import random
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

MODELS = ["models/tours", "models/rankings"]


def cities(count, rng):
    return [{"id": f"c{i}", "point": [rng.random(), rng.random()]} for i in range(count)]


def kinds():
    rng = random.Random(1)

    def one(path, count, **more):
        return path, lambda size: {"model": "tours", "sets": [{"items": cities(count, rng)}], **more} | {"beam" if more.get("decode") else "draws" if path == "/v1/score" else "count": size}

    def ruled(size):
        rules = {"before": [f"c{i},c{i + 1}" for i in range(1, 20, 2)]}
        return {"model": "tours", "sets": [{"items": cities(24, rng), "constraints": rules}], "count": size}

    def scored(size):
        items = cities(60, rng)
        return {"model": "tours", "sets": [{"items": items, "order": list(range(60))}], "draws": size}

    return {
        "a beam of 64 cities": one("/v1/order", 64, decode="beam", inner=1024),
        "many draws": one("/v1/sample", 40),
        "log p by many draws": ("/v1/score", scored),
        "draws under rules": ("/v1/sample", ruled),
    }


class Server:
    def __init__(self, riffle, grace):
        self.process = subprocess.Popen([riffle, "serve", "--addr", "127.0.0.1:0", "--grace", grace, *MODELS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            found = re.search(r"http://[\d.]+:\d+", line)
            if found:
                self.address = found[0]
                break
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def send(self, path, body, answers):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                answers.append(answer.status)
        except urllib.error.HTTPError as e:
            answers.append(e.code)
        except OSError as e:
            answers.append(type(e).__name__)

    def largest(self, path, make):
        """Sends a request that is taken, as large as one is, and returns where its answer will be."""
        size = 1 << 20
        while True:
            answers = []
            thread = threading.Thread(target=self.send, args=(path, make(size), answers), daemon=True)
            thread.start()
            thread.join(1)
            if answers not in ([413], [422]):
                return thread, answers
            size //= 2

    def end(self, after):
        time.sleep(after)
        start = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        return time.monotonic() - start


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("riffle")
    p.add_argument("--grace", default="20s")
    p.add_argument("--after", type=float, default=6)
    o = p.parse_args()
    every = kinds()
    late = False
    print(f"| at work | seconds until the end, of {o.grace} | answers |\n|---|--:|---|")
    for name, some in [*((k, [k]) for k in every), ("all of these", list(every))]:
        server = Server(o.riffle, o.grace)
        sent = [server.largest(*every[k]) for k in some]
        seconds = server.end(o.after)
        for thread, _ in sent:
            thread.join()
        late |= seconds > float(o.grace.rstrip("s"))
        print(f"| {name} | {seconds:.1f} | {', '.join(str(a[0]) for _, a in sent)} |", flush=True)
    return late


if __name__ == "__main__":
    sys.exit(main())

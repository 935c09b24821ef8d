"""Clients ask a riffle serve for a minute while its model is replaced all the time, some of them hostile.

    python3 bench/load.py [--seconds 60] [--clients 200] [--hostile 0]

It trains two tiny models of tours, serves one of them behind a link, and turns the link to the other before
each SIGHUP. Every answer is compared with that of the model whose step it names, alone. With hostile clients
the server is told to stop in the middle. It wants bin/riffle, and exits with 1 if an answer is wrong or lost.
"""
import argparse
import base64
import collections
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--seconds", type=float, default=60)
parser.add_argument("--clients", type=int, default=200, help="of both kinds")
parser.add_argument("--hostile", type=int, default=0, help="of them")
args = parser.parse_args()
port, grace = 8093, 20
json_body = {"Content-Type": "application/json"}

config = """
[task]
name = "tsp"
n = 5
[model]
encoder = "points"
dim = 8
layers = 1
heads = 2
feed_forward = 16
[process]
schedule = [0, 2, 5]
[train]
steps = {steps}
batch = 8
lr = 0.02
warmup = 1
validate = 0
[eval]
examples = 8
batch = 8
"""


def riffle(*arguments, **how):
    return subprocess.run(["bin/riffle", *arguments, "--engine", "go"], check=True, capture_output=True, text=True, **how).stdout


def points(rng, n):
    return {"items": [{"point": [rng.random(), rng.random()]} for _ in range(n)]}


folder = Path(tempfile.mkdtemp())
rng = random.Random(3)
sets = [dict(points(rng, 4 + i % 4), id=str(i)) for i in range(64)]
(folder / "sets.jsonl").write_text("\n".join(map(json.dumps, sets)))
wanted, link = {}, folder / "tours"
for steps in (2, 4):
    (folder / f"{steps}.toml").write_text(config.format(steps=steps))
    riffle("train", str(folder / f"{steps}.toml"), "--out", str(folder / str(steps)), "--quiet")
    out = riffle("order", str(folder / str(steps)), str(folder / "sets.jsonl"), "--json")
    wanted[steps] = [json.loads(line)["orders"][0]["order"] for line in out.splitlines()]
assert wanted[2] != wanted[4], "the two models agree in everything"


def turn(steps):
    new = folder / "new"
    new.symlink_to(folder / str(steps))
    new.rename(link)


# Requests that ask for far more than they may, and what they may be answered.
wide = points(rng, 200)
sizes = [points(rng, n) for n in range(2, 66)]
busy = {413, 429, 503}
scans = bytes([0xff, 0xd8, 0xff, 0xc2, 0, 11, 8, 8, 0, 8, 0, 1, 1, 0x11, 0]) + 6000 * bytes([0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0x7f]) + b"\xff\xd9"
dear = [
    ("order", {"ab" * 100_000: 1}, {422}),
    ("order", {"sets": [{"items": [{}] * (1 << 20)}]}, busy),
    ("order", {"beam": 65536, "sets": [wide]}, busy),
    ("order", {"top": 65537, "sets": [wide]}, {422}),
    ("score", {"draws": 1 << 62, "sets": [wide]}, {422}),
    ("order", {"sets": sizes}, {200} | busy),
    ("sample", {"count": 20, "sets": [dict(sizes[40], constraints={"before": ["3,2"], "forbid": ["4=4"]})]}, {200} | busy),
    ("order", {"beam": 64, "inner": 64, "sets": [wide]}, {200} | busy),
    ("puzzle", {"model": "puzzle", "rows": 2, "columns": 2, "picture": base64.b64encode(scans).decode()}, {422} | busy),
]
dear = [(path, json.dumps({"model": "tours"} | body), codes) for path, body, codes in dear]
honest = [json.dumps({"model": "tours", "sets": [s]}) for s in sets]

turn(2)
server = subprocess.Popen(["bin/riffle", "serve", str(link), "models/puzzle", "--engine", "go", "--addr", f"127.0.0.1:{port}", "--max-queue", "100", "--grace", f"{grace}s"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while True:
    try:
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        c.request("GET", "/readyz")
        if c.getresponse().status == 200:
            break
    except OSError:
        time.sleep(0.1)

ended, lock = threading.Event(), threading.Lock()
answers, refused, took, faults = collections.Counter(), [], [], []


def ask(connection, path, body):
    connection.request("POST", "/v1/" + path, body, json_body)
    r = connection.getresponse()
    return r.status, r.read()


def honest_client(seed):
    rng, connection = random.Random(seed), http.client.HTTPConnection("127.0.0.1", port)
    while not ended.is_set():
        i, began = rng.randrange(len(sets)), time.monotonic()
        try:
            status, data = ask(connection, "order", honest[i])
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            if not ended.is_set():
                faults.append(f"lost: {error!r}")
            continue
        seconds = time.monotonic() - began
        if status in (429, 503):
            refused.append(seconds)
            time.sleep(0.01)
            continue
        got = json.loads(data)
        if status != 200 or got["answers"][0]["orders"][0]["order"] != wanted[got["step"]][i]:
            faults.append(f"set {i}: {status} {data[:200]}")
            return
        with lock:
            answers[got["step"]] += 1
            took.append(seconds)


def hostile_client(seed):
    rng = random.Random(seed)
    while not ended.is_set():
        try:
            if rng.randrange(8) == 0:  # a body that is promised
                with socket.create_connection(("127.0.0.1", port)) as s:
                    s.sendall(b"POST /v1/order HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n\r\n{")
                    time.sleep(0.02)
                continue
            path, body, codes = rng.choice(dear)
            status, data = ask(http.client.HTTPConnection("127.0.0.1", port), path, body)
            if status not in codes:
                faults.append(f"{path} {body[:60]}: {status} {data[:200]}")
        except (OSError, http.client.HTTPException):
            pass  # a large body that is refused, or a server that has stopped


def resident():
    return int(Path(f"/proc/{server.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


clients = [threading.Thread(target=hostile_client if i < args.hostile else honest_client, args=(i,), daemon=True) for i in range(args.clients)]
for c in clients:
    c.start()
end, swaps, memory = time.monotonic() + args.seconds, 0, []
while time.monotonic() < end:
    swaps += 1
    turn(2 + 2 * (swaps % 2))
    server.send_signal(signal.SIGHUP)
    memory.append(resident())
    time.sleep(0.1)
ended.set()
began = time.monotonic()
server.send_signal(signal.SIGTERM)
server.wait()
stopped = time.monotonic() - began
took.sort()
at = lambda q: took[min(len(took) - 1, int(q * len(took)))]
print(f"{args.clients - args.hostile} honest clients, {args.hostile} hostile, {swaps} reloads; answers by step {dict(answers)}")
print(f"median {at(.5):.3f} s, 99th percentile {at(.99):.3f} s, longest {took[-1]:.3f} s; {len(refused)} refused with 429 or 503, the slowest after {max(refused, default=0):.3f} s")
print(f"resident MB {memory[len(memory) // 10]} after a tenth, {max(memory)} at most, {memory[-1]} at the end; the server ended {stopped:.1f} s after it was told to, grace {grace} s")
print("\n".join(faults[:10]) or "all right, none lost")
sys.exit(bool(faults) or len(answers) < 2)

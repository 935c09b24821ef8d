"""100 clients ask two replicas behind HAProxy for a minute while one replica is replaced.

    python3 bench/scale/replicas.py [--seconds 60] [--clients 100] [--model models/tours]

Every answer is compared with the one that a replica gave alone before. Wants bin/riffle and haproxy.
"""
import argparse
import http.client
import json
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--seconds", type=float, default=60)
parser.add_argument("--clients", type=int, default=100)
parser.add_argument("--model", default="models/tours")
args = parser.parse_args()
here = Path(__file__).parent


def replica(port):
    p = subprocess.Popen(["bin/riffle", "serve", args.model, "--engine", "go", "--addr", f"127.0.0.1:{port}", "--drain", "3s", "--max-queue", "1000"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        try:
            if get(port, "/readyz") == 200:
                return p
        except OSError:
            time.sleep(0.1)


def get(port, path):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    c.request("GET", path)
    return c.getresponse().status


def ask(connection, body):
    connection.request("POST", "/v1/order", body, {"Content-Type": "application/json"})
    r = connection.getresponse()
    return r.status, r.read()


n = 20  # cities
rng = random.Random(1)
bodies = [json.dumps({"sets": [{"id": f"s{i}", "items": [{"point": [rng.random(), rng.random()]} for _ in range(n)]}]}) for i in range(50)]

replicas = {8091: replica(8091), 8092: replica(8092)}
alone = http.client.HTTPConnection("127.0.0.1", 8091, timeout=120)
want = [ask(alone, b) for b in bodies]
assert all(status == 200 for status, _ in want), want[0]
proxy = subprocess.Popen(["haproxy", "-f", str(here / "haproxy.cfg"), "-db"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(2)

end = time.time() + args.seconds
right, wrong, times, lock = 0, [], [], threading.Lock()


def client(seed):
    global right
    rng, connection = random.Random(seed), http.client.HTTPConnection("127.0.0.1", 8090, timeout=120)
    while time.time() < end:
        k, begin = rng.randrange(len(bodies)), time.time()
        try:
            got = ask(connection, bodies[k])
        except (OSError, http.client.HTTPException) as e:
            got = (0, repr(e).encode())
            connection.close()
        with lock:
            times.append(time.time() - begin)
            if got == want[k]:
                right += 1
            else:
                wrong.append((round(args.seconds - (end - time.time()), 1), got[0], got[1][:200]))


clients = [threading.Thread(target=client, args=(i,)) for i in range(args.clients)]
for c in clients:
    c.start()
time.sleep(args.seconds / 3)
begin = time.time()
replicas[8091].send_signal(signal.SIGTERM)
status = replicas[8091].wait()
print(f"replica one told to stop at {args.seconds / 3:.0f} s, gone after {time.time() - begin:.1f} s with status {status}")
replicas[8091] = replica(8091)
print(f"a new one is ready {time.time() - begin:.1f} s after")
for c in clients:
    c.join()
times.sort()
print(f"{right + len(wrong)} answers to {args.clients} clients in {args.seconds:.0f} s: {right} right, {len(wrong)} others; "
      f"median {times[len(times) // 2]:.2f} s, 99th percentile {times[len(times) * 99 // 100]:.2f} s")
for w in wrong[:5]:
    print("  ", w)
proxy.terminate()
for p in replicas.values():
    p.terminate()
    p.wait()
raise SystemExit(bool(wrong))

"""Many small sets through riffle order -: the time of the first answer, sets a second, the largest resident set.

    python3 bench/scale/million.py [--sets 1000000] [--model models/rankings] [--engine go]

Each set has five items with the ten features of models/rankings, drawn within their ranges. They are made while they are
read: nothing is written. Wants bin/riffle and nothing but Python.
"""
import argparse
import json
import random
import resource
import subprocess
import sys
import threading
import time

RANGES = {
    "runs": (3.2, 6), "hits": (7.9, 9.8), "homers": (0.55, 1.25), "walks": (2.7, 3.9), "shutouts": (0.03, 0.11),
    "runs_allowed": (3.3, 5.9), "hits_allowed": (7.9, 9.9), "homers_allowed": (0.65, 1.25), "walks_allowed": (2.7, 3.9), "errors": (0.5, 1.1),
}


def lines(count):
    rng = random.Random(1)
    for s in range(count):
        items = [{"features": {name: float(f"{rng.uniform(*ends):.4g}") for name, ends in RANGES.items()}} for _ in range(5)]
        yield json.dumps({"id": f"s{s}", "items": items}, separators=(",", ":")).encode() + b"\n"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--sets", type=int, default=1_000_000)
    p.add_argument("--riffle", default="bin/riffle")
    p.add_argument("--model", default="models/rankings")
    p.add_argument("--engine", default="go")
    a = p.parse_args()
    start, first, answers, said = time.time(), None, 0, time.time()
    child = subprocess.Popen([a.riffle, "order", a.model, "-", "--quiet", "--engine", a.engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def feed():
        with child.stdin:
            for line in lines(a.sets):
                child.stdin.write(line)

    threading.Thread(target=feed, daemon=True).start()
    for line in child.stdout:
        if first is None:
            first = time.time() - start
        if not line.startswith(b"s%d\t" % answers):
            sys.exit(f"answer {answers} is {line!r}")
        answers += 1
        if time.time() - said > 60:
            said = time.time()
            print(f"{answers} answers after {said - start:.0f} s", file=sys.stderr, flush=True)
    if child.wait() or answers != a.sets:
        sys.exit(f"{answers} answers of {a.sets}, exit code {child.returncode}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = time.time() - start
    print(f"{a.sets} sets, {a.engine}: first answer after {first:.1f} s, all after {took:.0f} s, {a.sets / took:.0f} sets/s, "
          f"{used.ru_utime + used.ru_stime:.0f} s of a processor, largest resident set {used.ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()

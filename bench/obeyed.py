"""1,000 draws of each of four models under random rules of all kinds: how many break one.

    python bench/obeyed.py [bin/riffle]

From the root of the repository, after the trainings of docs/real-data.md (runs/standings and
runs/ballots). The rules are drawn so that an order obeys them all; a rule against that is then to
be refused. Prints a table in Markdown; exits with 1 where a draw breaks a rule.
"""

import json
import random
import subprocess
import sys
import tempfile

SAMPLES = 1000


def first_list(folder):
    """The first list of examples/ballots.txt, as a file of its own."""
    path = folder + "/ballot.txt"
    lines = open("examples/ballots.txt").read().splitlines()
    query = next(line for line in lines if "qid:" in line).split()[1]
    with open(path, "w") as f:
        f.writelines(line + "\n" for line in lines if query in line.split())
    return path, sum(query in line.split() for line in lines)


def clubs(folder):
    path = folder + "/clubs.jsonl"
    with open(path, "w") as f:
        json.dump({"items": [{}] * 8}, f)
    return path, 8


def rules(rng, truth, call):
    """Rules that the order truth obeys, as flags and as a check of an order."""
    n = len(truth)
    at = {item: i for i, item in enumerate(truth)}
    flags, checks = [], []
    pinned = rng.sample(range(n), 2)
    for i in pinned:
        flags += ["--pin", f"{call(truth[i])}={i}"]
        checks.append(lambda rank, k=truth[i], i=i: rank[k] == i)
    for _ in range(3):
        a, b = sorted(rng.sample(range(n), 2))
        flags += ["--before", f"{call(truth[a])},{call(truth[b])}"]
        checks.append(lambda rank, a=truth[a], b=truth[b]: rank[a] < rank[b])
    m = max(2, n // 2)
    for i in rng.sample(range(m), 2):
        flags += ["--first", f"{m}:{call(truth[i])}"]
        checks.append(lambda rank, k=truth[i]: rank[k] < m)
    for _ in range(3):
        k = rng.randrange(n)
        i = rng.choice([i for i in range(n) if i != at[k]])
        flags += ["--forbid", f"{call(k)}={i}"]
        checks.append(lambda rank, k=k, i=i: rank[k] != i)
    k, i = truth[pinned[0]], pinned[1]
    return flags, checks, ["--pin", f"{call(k)}={i}"]


def main(program):
    broken_at_all = False
    print("| model | of | rules | draws | that break one | that no last step leads to | a rule against them |")
    print("|---|---|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as folder:
        for seed, (model, what, (path, n), call, fixed) in enumerate([
            ("runs/standings", "8 clubs, a PrefLib file", clubs(folder), str, False),
            ("runs/ballots", "a list of a LETOR file", first_list(folder), str, False),
            ("models/sort", "5 pictures of numbers", ("examples/numbers", 5), str, False),
            ("models/tours", "berlin52", ("dataset/testdata/tsplib/berlin52.tsp", 52), lambda k: str(k + 1), True),
        ]):
            rng = random.Random(seed)
            truth = list(range(n))
            tail = truth[1:] if fixed else truth  # a tour begins at its first city
            rng.shuffle(tail)
            truth = truth[:1] + tail if fixed else tail
            flags, checks, against = rules(rng, truth, call)
            command = [program, "sample", model, path, "--json", "--count", str(SAMPLES), *flags]
            answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            broken = 0
            for order in answer["samples"]:
                rank = {item: i for i, item in enumerate(order)}
                broken += sorted(order) != list(range(n)) or not all(check(rank) for check in checks)
            mended = [w.split()[0] for w in answer.get("warnings", []) if "mended" in w] or ["0"]
            refused = subprocess.run(command + against, capture_output=True, text=True)
            said = refused.stderr.split("constraints: ")[-1].strip() if refused.returncode == 1 else "NOT REFUSED"
            print(f"| `{model}` | {what} | {len(checks)} | {len(answer['samples']):,} | {broken} | {mended[0]} | {said} |")
            broken_at_all = broken_at_all or broken > 0 or refused.returncode != 1 or len(answer["samples"]) != SAMPLES
    return broken_at_all


sys.exit(main(*(sys.argv[1:] or ["bin/riffle"])))

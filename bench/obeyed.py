"""1,000 draws of models under random rules: how many break one.

    python bench/obeyed.py [bin/riffle]

From the root of the repository, after the trainings of docs/real-data.md (runs/standings and
runs/ballots). The rules are drawn so that an order obeys them all; a rule against that is then to
be refused. Prints two tables in Markdown, of sets and of pictures; exits with 1 where a draw
breaks a rule.
"""

import itertools
import json
import random
import subprocess
import sys
import tempfile

SAMPLES = 1000
KINDS = ("pin", "before", "first", "forbid")


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


def rules(rng, truth, call, kinds):
    """Rules of some kinds that the order truth obeys, as flags and as checks of ranks, and a flag
    that contradicts one of the first kind."""
    n = len(truth)
    at = {item: i for i, item in enumerate(truth)}
    flags, checks, against = [], [], []
    if "pin" in kinds:
        pinned = rng.sample(range(n), 2)
        for i in pinned:
            flags += ["--pin", f"{call(truth[i])}={i}"]
            checks.append(lambda rank, k=truth[i], i=i: rank[k] == i)
        against = against or ["--pin", f"{call(truth[pinned[0]])}={pinned[1]}"]
    if "before" in kinds:
        for a, b in rng.sample(list(itertools.combinations(range(n), 2)), 3):
            flags += ["--before", f"{call(truth[a])},{call(truth[b])}"]
            checks.append(lambda rank, a=truth[a], b=truth[b]: rank[a] < rank[b])
        against = against or ["--before", f"{call(truth[b])},{call(truth[a])}"]
    if "first" in kinds:
        m = max(2, n // 2)
        for i in rng.sample(range(m), 2):
            flags += ["--first", f"{m}:{call(truth[i])}"]
            checks.append(lambda rank, k=truth[i]: rank[k] < m)
        against = against or ["--pin", f"{call(truth[i])}={n - 1}"]
    if "forbid" in kinds:
        for _ in range(3 if n <= 20 else 30):
            k = rng.randrange(n)
            i = rng.choice([i for i in range(n) if i != at[k]])
            flags += ["--forbid", f"{call(k)}={i}"]
            checks.append(lambda rank, k=k, i=i: rank[k] != i)
        against = against or ["--pin", f"{call(k)}={i}"]
    return flags, checks, against


def draw(command):
    """The samples that a command draws, and of how many it says that they were mended."""
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    mended = [w.split()[0] for w in answer.get("warnings", []) if "mended" in w] or ["0"]
    return answer["samples"], mended[0]


def count_broken(samples, checks):
    broken = 0
    for order in samples:
        rank = {item: i for i, item in enumerate(order)}
        broken += sorted(order) != list(range(len(order))) or not all(check(rank) for check in checks)
    return broken


def refusal(command):
    """What the program says of rules that contradict each other, None where it takes them."""
    refused = subprocess.run(command, capture_output=True, text=True)
    return refused.stderr.split("constraints: ")[-1].strip() if refused.returncode == 1 else None


def order_of(rng, n, fixed):
    """A random order, which begins at item 0 where that is fixed, as in a tour."""
    truth = list(range(n))
    tail = truth[1:] if fixed else truth
    rng.shuffle(tail)
    return truth[:1] + tail if fixed else tail


def of_sets(program, folder):
    """The table of sets; whether a draw broke a rule or a contradiction passed."""
    wrong = False
    print("| model | of | rules | draws | that break one | that no last step leads to | a rule against them |")
    print("|---|---|--:|--:|--:|--:|---|")
    berlin = ("dataset/testdata/tsplib/berlin52.tsp", 52)
    for seed, model, what, (path, n), call, fixed, kinds in [
        (0, "runs/standings", "8 clubs, a PrefLib file", clubs(folder), str, False, KINDS),
        (1, "runs/ballots", "a list of a LETOR file", first_list(folder), str, False, KINDS),
        (2, "models/sort", "5 pictures of numbers", ("examples/numbers", 5), str, False, KINDS),
        (3, "models/tours", "berlin52", berlin, lambda k: str(k + 1), True, KINDS),
    ]:
        rng = random.Random(seed)
        flags, checks, against = rules(rng, order_of(rng, n, fixed), call, kinds)
        command = [program, "sample", model, path, "--json", "--count", str(SAMPLES), *flags]
        samples, mended = draw(command)
        broken, said = count_broken(samples, checks), refusal(command + against)
        print(f"| `{model}` | {what} | {len(checks)} | {len(samples):,} | {broken} | {mended} | {said or 'NOT REFUSED'} |", flush=True)
        wrong = wrong or broken > 0 or said is None or len(samples) != SAMPLES
    return wrong


def of_pictures(program):
    """The table of pictures that are cut in tiles, each kind of rule alone and all together."""
    wrong = False
    print("| picture | rules | free draws that break one | draws under them that do | mended | a rule against them |")
    print("|---|---|--:|--:|--:|---|")
    for name, path, rows, columns in [("seven", "examples/seven.png", 2, 2), ("rocket", "examples/photos/rocket.jpg", 3, 3)]:
        command = [program, "sample", "models/puzzle", path, "--grid", f"{rows}x{columns}", "--crop", "--json", "--count", str(SAMPLES)]
        free, _ = draw(command)
        for kinds in [(k,) for k in KINDS] + [KINDS]:
            rng = random.Random(f"{name} {kinds}")
            flags, checks, against = rules(rng, order_of(rng, rows * columns, False), str, kinds)
            samples, mended = draw(command + flags)
            broken, said = count_broken(samples, checks), refusal(command + flags + against)
            text = " ".join(flags).replace("--", "")
            print(f"| {name}, {rows} × {columns} | {text} | {count_broken(free, checks)} | {broken} | {mended} | {said or 'NOT REFUSED'} |", flush=True)
            wrong = wrong or broken > 0 or said is None or len(samples) != SAMPLES
    return wrong


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        wrong = of_sets(program, folder)
    print()
    return of_pictures(program) or wrong


sys.exit(main(*(sys.argv[1:] or ["bin/riffle"])))

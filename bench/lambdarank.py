"""LightGBM's lambdarank on lists in svmlight, trained for a time by the clock: NDCG@10 of a test file.

    go run ./bench/lists > lists.txt
    go run ./bench/lists --lists 1000 --seed 2 > test.txt
    python3 bench/lambdarank.py lists.txt test.txt --time 180

and on LightGBM's own example, as it stands in the folder examples/lambdarank of its repository (the sizes of the lists are in FILE.query):

    python3 bench/lambdarank.py rank.train rank.test --time 60
    python3 bench/lambdarank.py rank.train rank.test --rounds 100 --set num_leaves=31 bagging_freq=1 bagging_fraction=0.9 min_data_in_leaf=50 min_sum_hessian_in_leaf=5

Needs the PyPI packages lightgbm and numpy. Lists that put no item before another are left out of the mean, as
riffle eval leaves them out.
"""
import argparse
import os
import time

import lightgbm
import numpy as np


def read(path):
    """Features, grades and the sizes of the lists of an svmlight file, with qid or with FILE.query beside it."""
    rows, grades, sizes, last = [], [], [], None
    with open(path) as f:
        for line in f:
            fields = line.split("#")[0].split()
            if not fields:
                continue
            if fields[1].startswith("qid:"):
                if fields[1] != last:
                    sizes, last = sizes + [0], fields[1]
                sizes[-1] += 1
            grades.append(int(float(fields[0])))
            pairs = (x.split(":") for x in fields[1:])
            rows.append({int(j) - 1: float(v) for j, v in pairs if j != "qid"})
    if os.path.exists(path + ".query"):
        sizes = [int(n) for n in open(path + ".query")]
    x = np.zeros((len(rows), 1 + max(max(r) for r in rows)))
    for i, r in enumerate(rows):
        x[i, list(r)] = list(r.values())
    return x, np.array(grades), sizes


def ndcg(scores, grades, k=10):
    gain = lambda g: ((2.0**g - 1) / np.log2(np.arange(2, len(g) + 2)))[:k].sum()
    return gain(grades[np.argsort(-scores, kind="stable")]) / gain(np.sort(grades)[::-1])


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("train")
    p.add_argument("test")
    p.add_argument("--time", type=float, default=180, help="seconds")
    p.add_argument("--rounds", type=int, default=100_000, help="at most")
    p.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="other parameters of LightGBM")
    a = p.parse_args()
    x, y, sizes = read(a.train)
    start, cpu = time.time(), time.process_time()

    def stop(env):
        if time.time() - start > a.time:
            raise lightgbm.callback.EarlyStopException(env.iteration, [])

    params = {"objective": "lambdarank", "num_leaves": 63, "learning_rate": 0.1, "num_threads": 2, "seed": 1, "verbose": -1}
    params |= dict(pair.split("=", 1) for pair in a.set)
    model = lightgbm.train(params, lightgbm.Dataset(x, y, group=sizes), num_boost_round=a.rounds, callbacks=[stop])
    rounds, took, used = model.current_iteration(), time.time() - start, time.process_time() - cpu
    width = x.shape[1]
    x, y, sizes = read(a.test)
    x = np.pad(x[:, :width], ((0, 0), (0, max(0, width - x.shape[1]))))  # features that only one file has
    scores, at, values = model.predict(x), 0, []
    for n in sizes:
        if len(set(y[at : at + n])) > 1:
            values.append(ndcg(scores[at : at + n], y[at : at + n]))
        at += n
    print(f"{rounds} rounds in {took:.0f} s ({used:.0f} of a processor): NDCG@10 {np.mean(values):.3f} of {len(values)} lists")


if __name__ == "__main__":
    main()

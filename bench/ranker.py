"""RiffleRanker beside LightGBM's LGBMRanker on the same lists: ranker.py LISTS.txt [--steps 1000] [--trees 200].

LISTS.txt is svmlight, as `go run ./bench/lists` writes; the last fifth of its lists is the test. Prints
NDCG@10, the seconds of fit and predict, and how many lines of code each takes. Wants lightgbm and
scikit-learn, and the package of python/ (PYTHONPATH=python).
"""

import argparse
import inspect
import time

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import ndcg_score


def riffle(args, x, y, group, x_test, group_test):
    from riffle_ml import RiffleRanker

    ranker = RiffleRanker(n_steps=args.steps, random_state=1, n_jobs=args.jobs)
    ranker.fit(x, y, group=group)
    return ranker.predict(x_test, group=group_test)


def lightgbm(args, x, y, group, x_test, group_test):
    from lightgbm import LGBMRanker

    ranker = LGBMRanker(n_estimators=args.trees, random_state=1, n_jobs=args.jobs, verbose=-1)
    ranker.fit(x, y, group=group)
    return ranker.predict(x_test)


def lines(function):
    return sum(bool(x.strip()) for x in inspect.getsource(function).splitlines()[1:])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("lists")
    p.add_argument("--steps", type=int, default=1000)
    p.add_argument("--trees", type=int, default=200)
    p.add_argument("--jobs", type=int, default=-1)
    args = p.parse_args()
    x, y, qid = load_svmlight_file(args.lists, query_id=True)
    x = x.toarray()
    sizes = np.unique(qid, return_counts=True)[1]
    cut = len(sizes) * 4 // 5
    row = sizes[:cut].sum()
    ends = np.cumsum(sizes[cut:])[:-1]
    print(f"{len(sizes):,} lists, {len(y):,} rows; the last {len(sizes) - cut:,} lists are the test\n")
    print("| | NDCG@10 | seconds | lines of code |\n|---|--:|--:|--:|")
    for f in (riffle, lightgbm):
        start = time.perf_counter()
        scores = f(args, x[:row], y[:row], sizes[:cut], x[row:], sizes[cut:])
        seconds = time.perf_counter() - start
        ndcg = np.mean([ndcg_score([a], [b], k=10) for a, b in zip(np.split(y[row:], ends), np.split(scores, ends)) if len(a) > 1])
        print(f"| {f.__name__} | {ndcg:.4f} | {seconds:.1f} | {lines(f)} |")


if __name__ == "__main__":
    main()

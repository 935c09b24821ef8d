"""What greedy decoding makes of the best possible inverse transpositions (IT), on nine objects.

    pip install numpy
    python3 bench/transpositions.py [STARTS]

Random transpositions are undone one by one. The law's scores of each state are those with the highest likelihood
under the exact posterior of its reverse step, as a perfect network would give them: q(X_{t-1} | X_t) depends on
the cycles of X_t alone. Prints how many of STARTS random arrangements end in order and how many objects in their
place, for the most probable order at each step and for two decisions, whether to move (if that is likelier than
not) and then which two. "exact" takes the posterior itself in place of the law. Before it, what a
step of either costs on the average. Seed 1.
"""

import collections
import functools
import itertools
import math
import sys

import numpy as np

N, T = 9, 15  # the paper's
PAIRS = list(itertools.combinations(range(N), 2))
I, J = map(np.array, zip(*PAIRS))


def cycles(order):
    """The cycles of an order, the shortest first."""
    left, out = set(range(N)), []
    while left:
        cycle = [min(left)]
        while (k := order[cycle[-1]]) != cycle[0]:
            cycle.append(k)
        left -= set(cycle)
        out.append(cycle)
    return sorted(out, key=len)


def kind(order):
    return tuple(map(len, cycles(order)))


def swapped(order, i, j):
    order = list(order)
    order[i], order[j] = order[j], order[i]
    return order


def representative(lengths):
    order, at = list(range(N)), 0
    for k in lengths:
        order[at : at + k] = [*range(at + 1, at + k), at]
        at += k
    return order


def kinds(rest, least=1):
    if rest == 0:
        yield ()
    for k in range(least, rest + 1):
        for others in kinds(rest - k, k):
            yield (k, *others)


@functools.cache
def marginal(t):
    """The probability of one order of each kind after t transpositions."""
    if t == 0:
        return collections.defaultdict(float, {(1,) * N: 1.0})
    before = marginal(t - 1)
    out = collections.defaultdict(float)
    for lengths in kinds(N):
        order = representative(lengths)
        out[lengths] = before[lengths] / N + sum(before[kind(swapped(order, i, j))] for i, j in PAIRS) * 2 / N**2
    return out


@functools.cache
def steps(lengths, t):
    """The posterior of a reverse step from the representative of a kind: of moving, and of each pair then, exactly
    and by the likeliest law."""
    order = representative(lengths)
    stay = marginal(t - 1)[lengths] / N
    pairs = np.array([marginal(t - 1)[kind(swapped(order, i, j))] * 2 / N**2 for i, j in PAIRS])
    if stay + pairs.sum() == 0 or pairs.sum() == 0:
        return 0.0, pairs, pairs
    exact = pairs / pairs.sum()
    scores = 0.01 * np.random.default_rng(1).normal(size=N)

    def law(s):
        a = np.exp(s - s.max())
        a /= a.sum()
        p = a[I] * a[J] * (1 / (1 - a[I]).clip(1e-12) + 1 / (1 - a[J]).clip(1e-12))
        return p / p.sum()

    for _ in range(400):  # ascent along central differences
        h = 1e-5 * np.eye(N)
        slope = [(exact @ np.log(law(scores + d)) - exact @ np.log(law(scores - d))) / 2e-5 for d in h]
        scores = (scores + 2 * np.array(slope)).clip(-12, 12)
    return pairs.sum() / (stay + pairs.sum()), exact, law(scores)


def decode(order, two, exactly):
    for t in range(T, 0, -1):
        members = [k for cycle in cycles(order) for k in cycle]  # the representative's 0, 1, … in turn
        move, exact, law = steps(kind(order), t)
        pairs = exact if exactly else law
        best = pairs.argmax()
        if move > 0.5 if two else move * pairs[best] > 1 - move:
            order = swapped(order, members[I[best]], members[J[best]])
    return order


def loss():
    """The mean loss of a step in nats, of the law and of the posterior itself."""
    total = np.zeros(2)
    for t in range(1, T + 1):
        for lengths in kinds(N):
            alike = math.prod(k**m * math.factorial(m) for k, m in collections.Counter(lengths).items())
            weight = math.factorial(N) // alike * marginal(t)[lengths]  # of all arrangements of the kind
            if weight == 0:
                continue
            move, exact, law = steps(lengths, t)
            stays = -sum(p * math.log(p) for p in (move, 1 - move) if p > 0)
            for i, pairs in enumerate((law, exact)):
                total[i] += weight * (stays - move * sum(p * math.log(max(q, 1e-30)) for p, q in zip(exact, pairs) if p > 0)) / T
    return total


if __name__ == "__main__":
    print("nats a step: IT {:.2f}, exact {:.2f}".format(*loss()))
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for two, exactly in itertools.product([False, True], repeat=2):
        rng = np.random.default_rng(1)
        ends = np.array([decode(list(rng.permutation(N)), two, exactly) for _ in range(starts)])
        right = ends == np.arange(N)
        what = ("IT", "exact")[exactly] + ", " + ("most probable order", "two decisions")[two]
        print(f"{what}: {100 * right.all(1).mean():.1f} % in order, {100 * right.mean():.1f} % of the objects in place")

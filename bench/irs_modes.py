"""What inverse riffles (IRS) can do at best with a target of several orders.

IRS chooses for each card on its own whether it goes on the left or the right pile. The best it
can do, given X_t, is each card's exact posterior. This draws orders so, for five random orders
of 20 and for the rotations of 10, and prints the total variation distance to equal shares.

t riffles label each card with a number below 2^t. Given the order before, the labels are any
sequence that does not fall along it, and rises where X_t has the next card before this one,
all alike (Bayer & Diaconis 1992); the last riffle's pile is the label's lowest bit.

    python3 bench/irs_modes.py
"""

import math

import numpy as np


def rises(mode, x):
    """Whether the labels must rise from each card of mode to the next."""
    position = np.empty(len(x), int)
    position[x] = np.arange(len(x))
    return position[mode[1:]] < position[mode[:-1]]


def log_count(n, a, rising):
    """The log of how many label sequences below a there are, C(n + a - r, n)."""
    free = a - 1 - int(rising.sum())
    if free < 0:
        return -math.inf
    return math.lgamma(n + free + 1) - math.lgamma(n + 1) - math.lgamma(free + 1)


def right_pile(mode, rising, a):
    """P(lowest bit of the label is 1) of each card, by sums forward and backward."""
    n = len(mode)
    forward = [np.ones(a)]
    for up in rising:
        c = np.cumsum(forward[-1])
        c = np.concatenate([[0], c[:-1]]) if up else c
        forward.append(c / c.max())
    out, backward = np.empty(n), np.ones(a)
    for j in range(n - 1, -1, -1):
        p = forward[j] * backward
        out[mode[j]] = p[1::2].sum() / p.sum()
        if j > 0:
            c = np.cumsum(backward[::-1])[::-1]
            c = np.concatenate([c[1:], [0]]) if rising[j - 1] else c
            backward = c / c.max()
    return out


def draw(rng, modes, t):
    """An order by t inverse riffles, None where no mode can have led to a state."""
    n = len(modes[0])
    x = rng.permutation(n)
    for step in range(t, 0, -1):
        a = 2**step
        all_rises = [rises(m, x) for m in modes]
        logs = np.array([log_count(n, a, r) for r in all_rises])
        if logs.max() == -math.inf:
            return None
        weights = np.exp(logs - logs.max())
        p = sum(w * right_pile(m, r, a) for m, r, w in zip(modes, all_rises, weights) if w > 0) / weights.sum()
        right = (rng.random(n) < p)[x]
        x = np.concatenate([x[~right], x[right]])
    return x


def main():
    rng = np.random.default_rng(0)
    cases = [
        ("5 random orders of 20", [rng.permutation(20) for _ in range(5)], 10, 300),
        ("the rotations of 10", [(np.arange(10) + k) % 10 for k in range(10)], 8, 300),
    ]
    for name, modes, t, count in cases:
        hits = np.zeros(len(modes))
        for _ in range(count):
            x = draw(rng, modes, t)
            for i, m in enumerate(modes):
                hits[i] += x is not None and np.array_equal(x, m)
        shares = hits / count
        tv = (np.abs(shares - 1 / len(modes)).sum() + 1 - shares.sum()) / 2
        print(f"{name}, T = {t}: TV {tv:.3f} of {count} samples, on a mode {100 * shares.sum():.1f} %")


if __name__ == "__main__":
    main()

"""What each reverse law can do at best with a target of several orders.

A law is fitted to the exact posterior q(X_t' | X_t) of every state by maximum likelihood, which is
where training ends, and the chain of fitted laws is run from the uniform start, exactly, on all
orders of five: three random orders, and the rotations. Then what is particular to insertions, for
which the posterior has a closed form at any size: how far q(X_T) is from the uniform start, what
that does to the modes' shares, and the entropy that is left to a perfect network's loss.

    python3 bench/modes.py

It takes a few minutes and needs numpy and torch.
"""

import itertools
import math

import numpy as np
import torch

torch.set_default_dtype(torch.float64)


class Group:
    """All orders of n in order form, act[a, b] being the index of a·b, (a·b)[i] = b[a[i]]."""

    def __init__(self, n):
        self.n = n
        self.orders = np.array(list(itertools.permutations(range(n))))
        self.index = {tuple(o): i for i, o in enumerate(self.orders)}
        self.act = np.array([[self.index[tuple(b[a])] for b in self.orders] for a in self.orders])

    def at(self, order):
        return self.index[tuple(order)]


def piles(g):
    """The order that each choice of piles makes: cards of the left pile, then of the right."""
    choices = np.array(list(itertools.product([0, 1], repeat=g.n)))
    return choices, np.array([g.at(np.argsort(c, kind="stable")) for c in choices])


def moves(g):
    """The orders that move object i to the end."""
    return np.array([g.at([k for k in range(g.n) if k != i] + [i]) for i in range(g.n)])


def swaps(g):
    pairs = list(itertools.combinations(range(g.n), 2))
    out = []
    for i, j in pairs:
        o = list(range(g.n))
        o[i], o[j] = j, i
        out.append(g.at(o))
    return np.array(pairs), np.array(out)


def inverse_law(g, forward):
    """The probability of the inverse σ' of one forward shuffle, over all orders."""
    q = np.zeros(len(g.orders))
    if forward == "riffle":
        _, to = piles(g)
        np.add.at(q, to, 1 / len(to))
    elif forward == "insertion":
        np.add.at(q, moves(g), 1 / g.n)
    else:
        q[swaps(g)[1]] = 2 / g.n**2
        q[g.at(range(g.n))] = 1 / g.n
    return q


def log_prob(g, law, s):
    """log p of all orders, [states, orders], given scores [states, …]."""
    if law in ("gpl", "pl"):
        rows = s if law == "gpl" else s[:, None, :].expand(-1, g.n, -1)
        total = 0
        for i in range(g.n):  # over what is left for position i, which many orders share
            left, which = np.unique(np.sort(g.orders[:, i:], -1), axis=0, return_inverse=True)
            total = total + rows[:, i, g.orders[:, i]] - torch.logsumexp(rows[:, i, left], -1)[:, which.reshape(-1)]
        return total
    out = torch.full((len(s), len(g.orders)), -1e9)
    if law == "ii":
        out[:, moves(g)] = torch.log_softmax(s, -1)
    elif law == "irs":
        choices, to = piles(g)
        c = torch.as_tensor(choices, dtype=s.dtype)
        logs = torch.nn.functional.logsigmoid(s) @ c.T + torch.nn.functional.logsigmoid(-s) @ (1 - c).T
        p = torch.zeros(len(s), len(g.orders)).index_add(1, torch.as_tensor(to), logs.exp())
        out = torch.log(p + 1e-300)
    else:
        pairs, to = swaps(g)
        a = torch.softmax(s[:, :-1], -1)
        i, j = a[:, pairs[:, 0]], a[:, pairs[:, 1]]
        out[:, to] = torch.log(i * j / (1 - i + 1e-12) + i * j / (1 - j + 1e-12) + 1e-300) + torch.nn.functional.logsigmoid(s[:, -1:])
        out[:, g.at(range(g.n))] = torch.nn.functional.logsigmoid(-s[:, -1])
    return out


def fitted(g, law, posterior):
    """The law of greatest likelihood for each row of posterior, as probabilities."""
    shape = {"gpl": (g.n, g.n), "it": (g.n + 1,)}.get(law, (g.n,))
    s = (0.01 * torch.randn(len(posterior), *shape, generator=torch.Generator().manual_seed(1))).requires_grad_()
    steps = 400
    opt = torch.optim.Adam([s], lr=0.3)
    fall = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    for _ in range(steps):
        opt.zero_grad()
        loss = -(posterior * log_prob(g, law, s)).sum()
        loss.backward()
        opt.step()
        fall.step()
    return log_prob(g, law, s.detach()).exp()


def best_chain(g, modes, forward, law, steps):
    """TV to equal shares of the chain of fitted laws, and its probability of ending on a mode."""
    orders = np.arange(len(g.orders))
    one = np.zeros((len(orders),) * 2)  # [X_{t−1}, X_t]
    for a, p in enumerate(inverse_law(g, forward)):
        np.add.at(one, (g.act[a], orders), p)
    marginal = np.zeros(len(orders))
    marginal[[g.at(m) for m in modes]] = 1 / len(modes)
    target = marginal.copy()
    back = []
    for t0, t1 in itertools.pairwise(steps):
        kernel = np.linalg.matrix_power(one, t1 - t0)
        joint = marginal[:, None] * kernel
        posterior = joint[g.act, orders]  # [σ', X_t]
        posterior = posterior.T / np.maximum(posterior.sum(0), 1e-300)[:, None]
        p = fitted(g, law, torch.as_tensor(posterior)).numpy()
        step = np.zeros((len(orders),) * 2)  # [X_t, X_{t'}]
        for a in orders:
            np.add.at(step, (orders, g.act[a]), p[:, a])
        back.append(step)
        marginal = marginal @ kernel
    x = np.full(len(orders), 1 / len(orders))
    for step in reversed(back):
        x = x @ step
    return np.abs(x - target).sum() / 2, x[target > 0].sum()


def stirling(T, n):
    """S(t, m), the number of ways to part t things into m: t insertions that touch m cards."""
    s = [[0] * (n + 1) for _ in range(T + 1)]
    s[0][0] = 1
    for t in range(1, T + 1):
        for m in range(1, min(t, n) + 1):
            s[t][m] = m * s[t - 1][m] + s[t - 1][m - 1]
    return s


def insertion_table(n, T):
    """q(X_t | X_0) at [t, J]: Σ_{j ≤ J} S(t, n − j)/n^t, where J first cards of X_0 are in their
    order in X_t. The first j cards are untouched, and each order in which the others can
    have been taken last has as many words of t letters."""
    s = stirling(T, n)
    return np.array([[float(sum(s[t][n - j] for j in range(J + 1))) / float(n) ** t for J in range(n + 1)] for t in range(T + 1)])


def in_order(mode, x):
    """J: how many first cards of mode are in its order in x, [..., n]."""
    position = np.argsort(x, -1)[..., mode]
    return 1 + np.cumprod(position[..., 1:] > position[..., :-1], -1).sum(-1)


def insertions(name, modes, T, count, rng):
    n, k = len(modes[0]), len(modes)
    q = insertion_table(n, T)
    x = rng.permuted(np.tile(np.arange(n), (count, 1)), axis=1)
    likelihood = np.array([q[T][in_order(m, x)] for m in modes])
    far = np.abs(likelihood.mean(0) * math.factorial(n) - 1).mean() / 2
    shares = (likelihood / likelihood.sum(0)).mean(1)
    z = np.array(modes)[rng.integers(k, size=count)]
    entropy = 0
    to_end = np.array([[j for j in range(n) if j != i] + [i] for i in range(n)])
    for t in range(1, T + 1):
        to = rng.integers(n, size=count)
        z = np.array([np.insert(a[:-1], i, a[-1]) for a, i in zip(z, to)])
        before = z[:, to_end]
        p = sum(q[t - 1][in_order(m, before)] for m in modes)
        p /= p.sum(1, keepdims=True)
        entropy -= (p * np.log(np.maximum(p, 1e-300))).sum(1).mean() / T
    print(f"{name}, T = {T}: TV(q_T, uniform) {far:.3f}, shares of a perfect chain {np.abs(shares - 1 / k).sum() / 2:.3f} off, loss at least {entropy:.3f} nats (chance {math.log(n):.3f})")


def main():
    rng = np.random.default_rng(0)
    g = Group(5)
    targets = [("three orders of 5", [rng.permutation(5) for _ in range(3)]), ("rotations of 5", [(np.arange(5) + k) % 5 for k in range(5)])]
    cases = [
        ("insertion", "ii", range(13)),
        ("insertion", "pl", range(13)),
        ("insertion", "gpl", range(13)),
        ("insertion", "gpl", [0, 3, 6, 12]),
        ("transposition", "it", range(9)),
        ("transposition", "gpl", range(9)),
        ("riffle", "irs", range(7)),
        ("riffle", "pl", range(7)),
        ("riffle", "gpl", range(7)),
        ("riffle", "gpl", [0, 2, 3, 6]),
        ("riffle", "gpl", [0, 6]),
        ("riffle", "pl", [0, 6]),
    ]
    for forward, law, steps in cases:
        found = [best_chain(g, modes, forward, law, list(steps)) for _, modes in targets]
        print(f"{forward}, {law}, {list(steps)}: " + "; ".join(f"{name} TV {tv:.3f}, {100 * on:.1f} % on a mode" for (name, _), (tv, on) in zip(targets, found)), flush=True)
    for T in (30, 40, 60):
        insertions("five orders of 20", [rng.permutation(20) for _ in range(5)], T, 2000, rng)
    for T in (12, 16, 20, 25):
        insertions("rotations of 10", [(np.arange(10) + k) % 10 for k in range(10)], T, 2000, rng)


if __name__ == "__main__":
    main()

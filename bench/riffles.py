"""What greedy decoding makes of the best possible inverse riffles (IRS), on nine objects.

    pip install numpy
    python3 bench/riffles.py [STARTS]

Riffles are undone one by one. After t riffles an arrangement with r rising sequences has the probability
C(2^t + n - r, n)/2^(tn) (Bayer and Diaconis 1992). So the posterior of a reverse step is a sum over all 2^n choices of
sides, and the law's scores are those with the highest likelihood under it, as a perfect network would give them. Prints
how many of STARTS random arrangements end in order and how many objects in their place, for the most probable order at
each step and for the likelier side of each choice. "exact" takes the posterior itself in place of the law. Seed 1.
"""

import functools
import math
import sys

import numpy as np

N, T = 9, 9  # the paper's
LEFT = (np.arange(2**N)[:, None] >> np.arange(N) & 1).astype(bool)  # of each choice of sides, which objects go left
ORDER = np.argsort(~LEFT, axis=1, kind="stable")
# The choices that stay: the left pile is the first objects.
STAY = np.flatnonzero((ORDER == np.arange(N)).all(1))


def rising_sequences(arrangement):
    place = np.argsort(arrangement, -1)
    return 1 + (place[..., 1:] < place[..., :-1]).sum(-1)


def probability(t):
    """Of one arrangement with 0, 1, … rising sequences after t riffles."""
    return np.array([math.comb(2**t + N - r, N) / 2.0 ** (t * N) for r in range(N + 1)])


def product(phi, choices):
    phi = phi.clip(1e-12, 1 - 1e-12)
    return np.where(choices, phi, 1 - phi).prod(-1)


@functools.cache
def step(arrangement, t):
    """The posterior of a reverse step's choices, and the law's probability of each object to go left."""
    before = np.array(arrangement)[ORDER]
    posterior = probability(t - 1)[rising_sequences(before)]
    if posterior.sum() == 0:
        return None, np.full(N, 0.5)  # a state that cannot be: a network says anything
    posterior /= posterior.sum()
    # Which of the choices that stay was made is not seen: expectation and maximisation.
    shares, stay = posterior.copy(), posterior[STAY].sum()
    phi = shares @ LEFT
    for _ in range(100):
        ways = product(phi, LEFT[STAY])
        shares[STAY] = stay * ways / ways.sum()
        phi = shares @ LEFT
    return posterior, phi


def choose(posterior, phi, sides):
    probabilities = product(phi, LEFT) if posterior is None else posterior
    if sides:
        return int((phi >= 0.5) @ (1 << np.arange(N)))
    moves = probabilities.copy()
    moves[STAY] = 0
    return STAY[0] if probabilities[STAY].sum() >= moves.max() else int(moves.argmax())


def decode(arrangement, sides, exactly):
    for t in range(T, 0, -1):
        posterior, phi = step(tuple(arrangement), t)
        if not exactly:
            posterior = None
        elif posterior is None:
            return arrangement
        arrangement = arrangement[ORDER[choose(posterior, phi, sides)]]
    return arrangement


if __name__ == "__main__":
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for name, sides, exactly in [
        ("IRS, most probable order", False, False),
        ("IRS, likelier sides", True, False),
        ("exact, most probable order", False, True),
    ]:
        rng = np.random.default_rng(1)
        ends = np.array([decode(rng.permutation(N), sides, exactly) for _ in range(starts)])
        right = ends == np.arange(N)
        print(f"{name}: {100 * right.all(1).mean():.1f} % in order, {100 * right.mean():.1f} % of the objects in place")

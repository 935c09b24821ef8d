"""What noise leaves of the puzzles of noisy MNIST: how many one could do who knows every picture.

    pip install numpy scipy
    python3 bench/puzzles.py t10k-images-idx3-ubyte[.gz] [SIDE …]

Tiles are cut from the pictures, and each pixel gets normal noise of standard deviation .01, as in Riffle's task
(sides 3 and 4 unless said). One who knows the clean tile of each place puts every noisy tile where it is likeliest
(least squares over all orders). "but for noise" is how often all is right, up to tiles that are equal before the noise. "limit" is
how often one is right who guesses among those and knows all else, as `riffle eval` prints it, "exact" how often this
one is, who guesses among them too. No network knows the pictures, so none does as well. Seed 1.
"""

import gzip
import math
import pathlib
import sys

import numpy as np
from scipy.optimize import linear_sum_assignment

NOISE = 0.01


def pictures(path):
    raw = pathlib.Path(path).read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    return np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 28, 28) / 255


def tiles(picture, side):
    h = 28 // side
    top = (28 - side * h) // 2
    cut = picture[top : top + side * h, top : top + side * h]
    return cut.reshape(side, h, side, h).transpose(0, 2, 1, 3).reshape(side * side, h * h)


def judge(all_pictures, side):
    """The shares of pictures that are right but for noise, of the limit, and of exact ones."""
    rng = np.random.default_rng(1)
    alike = limit = exact = 0.0
    for picture in all_pictures:
        clean = tiles(picture, side)
        noisy = clean + NOISE * rng.standard_normal(clean.shape)
        _, place = linear_sum_assignment(((noisy[:, None] - clean[None]) ** 2).sum(-1))
        _, kind = np.unique(clean, axis=0, return_inverse=True)
        kind = kind.ravel()
        chance = 1 / math.prod(math.factorial(m) for m in np.bincount(kind))
        right = (kind[place] == kind).all()
        alike, limit, exact = alike + right, limit + chance, exact + right * chance
    return np.array([alike, limit, exact]) / len(all_pictures)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    test = pictures(sys.argv[1])
    for side in map(int, sys.argv[2:] or (3, 4)):
        alike, limit, exact = 100 * judge(test, side)
        print(f"{side} x {side}: {len(test):,} pictures, but for noise {alike:.2f} %, limit {limit:.2f} %, exact {exact:.2f} %")


if __name__ == "__main__":
    main()

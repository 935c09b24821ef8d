#!/usr/bin/env bash
# Seconds of a training step on XLA with the blocks of engine/blocks and with what could stand in for
# them, as a table of the least and the most over so many processes: bench/allocators.sh [ROUNDS].
# Needs libjemalloc2 and libmimalloc2.0 of Debian and a machine at rest.
set -euo pipefail
cd "$(dirname "$0")/.."
riffle=${RIFFLE:-bin/riffle}
rounds=${1:-3}
lib=/usr/lib/$(uname -m)-linux-gnu
declare -A with=(
	["engine/blocks"]="RIFFLE_BLOCKS=on"
	["glibc"]="RIFFLE_BLOCKS=off"
	["jemalloc"]="RIFFLE_BLOCKS=off LD_PRELOAD=$lib/libjemalloc.so.2"
	["mimalloc"]="RIFFLE_BLOCKS=off LD_PRELOAD=$lib/libmimalloc.so.2"
	["glibc, hugetlb=1"]="RIFFLE_BLOCKS=off GLIBC_TUNABLES=glibc.malloc.hugetlb=1"
	["glibc, hugetlb=2"]="RIFFLE_BLOCKS=off GLIBC_TUNABLES=glibc.malloc.hugetlb=2"
)
names=("engine/blocks" "glibc" "jemalloc" "mimalloc" "glibc, hugetlb=1" "glibc, hugetlb=2")
out=$(mktemp)
trap 'rm -f "$out"' EXIT
# The rounds are outermost, so that a machine that changes its pace changes it for all.
for _ in $(seq "$rounds"); do
	while read -r preset batch size; do
		for name in "${names[@]}"; do
			seconds=$(env ${with[$name]} "$riffle" bench "$preset" --engine xla --set "train.batch=$batch" --warm 3 --rounds 1 --size "$size" --json 2>/dev/null |
				python3 -c 'import json, sys; print("%.4f" % json.load(sys.stdin)["median"])')
			echo "$preset|$batch|$name|$seconds" >>"$out"
		done
	done <<-LIST
		jigsaw-3x3 64 40
		sort-9 64 20
	LIST
done
python3 - "$out" <<'PY'
import sys
rows = {}
for line in open(sys.argv[1]):
    preset, batch, name, seconds = line.strip().split("|")
    rows.setdefault(name, {}).setdefault(preset + ", batch " + batch, []).append(float(seconds))
columns = list(next(iter(rows.values())))
print("| | " + " | ".join(columns) + " |")
print("|---|" + "--:|" * len(columns))
for name, of in rows.items():
    print("| %s | " % name + " | ".join("%.3f to %.3f" % (min(of[c]), max(of[c])) for c in columns) + " |")
PY

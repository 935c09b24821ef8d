#!/usr/bin/env bash
# The estimate of a training step's memory (learn.Model.StepMemory) beside the largest resident set
# that the operating system reports, as a table: bench/memory.sh [ENGINE…]
set -euo pipefail
cd "$(dirname "$0")/.."
riffle=${RIFFLE:-bin/riffle}
echo "| preset | batch | engine | estimate, MB | measured, MB | ratio |"
echo "|---|--:|---|--:|--:|--:|"
for engine in "${@:-xla}"; do
	while read -r preset batch; do
		"$riffle" bench "$preset" --set "train.batch=$batch" --engine "$engine" --warm 1 --rounds 1 --size 1 --json 2>/dev/null |
			python3 -c 'import json, sys
r = json.load(sys.stdin)
print("| %s | %d | %s | %d | %d | %.2f |" % (r["preset"], r["sets"], r["engine"], r["estimate_mb"], r["peak_mb"], r["estimate_mb"] / r["peak_mb"]))'
	done <<-LIST
		delta-20 32
		delta-100 32
		sort-9 64
		sort-9 256
		sort-32 24
		jigsaw-3x3 64
		tsp-20 64
		paper/sort-mnist-9 16
		paper/sort-mnist-52 4
		paper/tsp-20 32
	LIST
done

#!/usr/bin/env bash
# Heads, laws and schedules at equal budgets, on sorting n = 9 and 32: the table of
# docs/experiments.md. Each row of n = 9 trains for BUDGET9, of n = 32 for BUDGET32; the folder
# OUT keeps the runs, and a run that is there already is not repeated.
#
#   bench/ablation.sh [BUDGET9] [BUDGET32] [OUT]      default: 3m 4m runs/ablation
set -euo pipefail
cd "$(dirname "$0")/.."
budget9=${1:-3m} budget32=${2:-4m} out=${3:-runs/ablation} riffle=${RIFFLE:-bin/riffle} engine=${ENGINE:-auto}
mkdir -p "$out"

# row NAME PRESET SET…
row() {
  local name=$1 preset=$2; shift 2
  [ -s "$out/$name/eval.json" ] && return
  rm -rf "${out:?}/$name"
  local args=(); for s in "$@"; do args+=(--set "$s"); done
  echo "$name" >&2
  local budget=$budget9; [ "$preset" = sort-32 ] && budget=$budget32
  "$riffle" train "$preset" --out "$out/$name" --time "$budget" --engine "$engine" --quiet --set eval.examples=2000 \
    --set train.validate=0 "${args[@]}" >"$out/$name.txt" 2>"$out/$name.log"
}

for n in 9 32; do
  case $n in 9) paper='[0,3,5,9]' T=9 ;; 32) paper='[0,5,7,12]' T=12 ;; esac
  for rows in dummies items; do
    row "n$n-gpl-$rows-paper" "sort-$n" model.gpl_rows=$rows "process.schedule=$paper"
    row "n$n-gpl-$rows-single" "sort-$n" model.gpl_rows=$rows "process.schedule=[0,$T]"
  done
done
row n9-pl-paper sort-9 process.reverse=pl 'process.schedule=[0,3,5,9]'
row n9-pl-single sort-9 process.reverse=pl 'process.schedule=[0,9]'
row n9-irs-every sort-9 process.reverse=irs 'process.schedule=[0,1,2,3,4,5,6,7,8,9]'

python3 - "$out" "$budget9" "$budget32" <<'EOF'
import glob, json, os, sys, tomllib
out, *budgets = sys.argv[1:]
print(f"{budgets[0]} a row of n = 9, {budgets[1]} of n = 32; 2,000 test sets, greedy\n")
print("| n | law | GPL rows | schedule | steps | exact % | 95 % interval | correct % |")
print("|--:|---|---|---|--:|--:|---|--:|")
for f in sorted(glob.glob(os.path.join(out, "*", "eval.json"))):
    e, c = json.load(open(f)), tomllib.load(open(os.path.join(os.path.dirname(f), "config.toml"), "rb"))
    law = c["process"]["reverse"]
    rows = c["model"]["gpl_rows"] if law == "gpl" else ""
    x = e["exact"]
    print(f'| {e["n"]} | {law.upper()} | {rows} | {c["process"]["schedule"]} | {e["train_steps"]} | {x["mean"]:.1f} | {x["low"]:.1f} to {x["high"]:.1f} | {e["correct"]["mean"]:.1f} |')
EOF

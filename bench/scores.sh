#!/usr/bin/env bash
# Where the score of an object comes from, beside GPL and Error-free DiffSort, at equal steps: it prints a
# table. Sorting n = 9 with the encoder, the
# batches and the optimiser of sort-9, and one reverse step. Each training has its own schedule of the learning rate,
# from the first step to the last. A run that is in OUT already is not repeated. LOCK, if set, goes before each training.
# READER, if set, is a run of the row digits-16 whose weights all begin with: the encoder, frozen, and the batches are its rows' then.
#
#   bench/scores.sh [STEPS…]      default: 100 200 400; OUT=runs/scores
set -euo pipefail
cd "$(dirname "$0")/.."
out=${OUT:-runs/scores} riffle=${RIFFLE:-bin/riffle} engine=${ENGINE:-auto}
[ $# -gt 0 ] || set -- 100 200 400
mkdir -p "$out"
begin=()
if [ -n "${READER:-}" ]; then
  begin=(--init "$READER")
  for s in task.augment.{rotate=10,scale=0.1,shift=1.5,elastic=1.0} 'model.channels=[16,32,64]' 'model.hidden=[128]' model.codes=32 train.batch=16 'train.frozen=["encoder.conv", "encoder.fc"]'; do
    begin+=(--set "$s")
  done
fi

# row NAME STEPS SET…
row() {
  local name=$1-$2 steps=$2; shift 2
  [ -s "$out/$name/eval.json" ] && return
  rm -rf "${out:?}/$name"
  local args=(); for s in "$@"; do args+=(--set "$s"); done
  echo "$name" >&2
  ${LOCK:-} bash -c 'TIMEFORMAT="%U %S"; time "$@"' - "$riffle" train sort-9 --out "$out/$name" --steps "$steps" --engine "$engine" --quiet \
    --set eval.examples=2000 --set train.validate=0 "${begin[@]}" "${args[@]}" >"$out/$name.txt" 2>"$out/$name.log"
}

for steps in "$@"; do
  row pl-direct "$steps" process.reverse=pl model.score=direct
  row pl-context "$steps" process.reverse=pl
  row pl-sum "$steps" process.reverse=pl model.score=sum
  row gpl "$steps"
  row error-free "$steps" method=error-free-diffsort baseline.steepness=34
  row error-free-direct "$steps" method=error-free-diffsort baseline.steepness=34 model.score=direct
done

python3 - "$out" <<'EOF2'
import glob, json, os, sys
print("| head | steps | exact % (95 %) | correct % | processor seconds |")
print("|---|--:|--:|--:|--:|")
rows = []
for f in glob.glob(os.path.join(sys.argv[1], "*", "eval.json")):
    name, steps = os.path.basename(os.path.dirname(f)).rsplit("-", 1)
    e = json.load(open(f))
    user, system = open(os.path.dirname(f) + ".log").read().split()[-2:]
    x = e["exact"]
    rows.append((name, int(steps), f'{x["mean"]:.1f} ({x["low"]:.1f} to {x["high"]:.1f})', f'{e["correct"]["mean"]:.1f}', f"{float(user) + float(system):.0f}"))
for r in sorted(rows):
    print("|", " | ".join(map(str, r)), "|")
EOF2

#!/bin/sh
# Training by several processes, really started by mpirun:
#   [MPIRUN=mpirun.mpich] bench/scale/mpi.sh bin/riffle-mpi bin/mpi.test        (make mpi-test)
set -eu
riffle=$1 sums=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run=${MPIRUN:-mpirun}
export GOMAXPROCS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
train="$riffle train tsp-20 --engine go --quiet --set task.instances=200 --set train.batch=12 --set train.validate=0 --set model.dropout=0 --set eval.examples=20 --set train.checkpoint=2s"

for n in 1 2 3; do
	$run -np $n "$sums" -test.run TestSum > "$folder/sums" || { cat "$folder/sums"; exit 1; }
	$run -np $n $train --steps 30 --out "$folder/run$n" > /dev/null 2> "$folder/log" || { cat "$folder/log"; exit 1; }
	sed -n 's/.*"loss":\([0-9.]*\).*/\1/p' "$folder/run$n/metrics.jsonl" > "$folder/loss$n"
done
paste "$folder/loss1" "$folder/loss2" "$folder/loss3" | awk '
	function off(x) { return x > $1 ? x / $1 - 1 : 1 - x / $1 }
	{ for (i = 2; i <= 3; i++) if (off($i) > worst) worst = off($i) }
	END { printf "%d steps, 1, 2 and 3 processes: losses differ by %.1e at most\n", NR, worst; exit !(NR == 30 && worst <= 1e-5) }'

# One of three is killed: all end, and the last checkpoint is whole.
$run -np 3 $train --steps 100000 --out "$folder/lost" > /dev/null 2> "$folder/log" & whole=$!
while [ ! -e "$folder/lost/state.json" ]; do sleep 0.2; done
for pid in $(pgrep -f "$riffle train.*$folder/lost"); do
	if tr '\0' '\n' < /proc/$pid/environ | grep -Eqx "(OMPI_COMM_WORLD|PMI)_RANK=2"; then kill -9 $pid; fi
done
if wait $whole; then echo "$run: status 0 after one process was killed"; exit 1; fi
step() { sed -n 's/.*"step": \([0-9]*\).*/\1/p' "$1/state.json"; }
kept=$(step "$folder/lost")
echo "a process killed: all ended, step $kept is kept"
$run -np 2 "$riffle" train --out "$folder/lost" --resume --quiet --steps $((kept + 5)) > /dev/null 2> "$folder/log" || { cat "$folder/log"; exit 1; }
[ "$(step "$folder/lost")" = $((kept + 5)) ] && echo "2 processes went on to step $((kept + 5))"

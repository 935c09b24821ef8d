#!/bin/sh
# One process, GNU parallel and Spark on the same sets: seconds, sets a second, and whether the answers
# are the same bytes.
#   bench/scale/streams.sh [SETS] [FOLDER]      (200000, runs/scale)
# Wants bin/riffle, GNU parallel, Java and a Python with pyspark ($PYTHON).
set -eu
sets=${1:-200000} folder=${2:-runs/scale} python=${PYTHON:-python3}
riffle=$PWD/bin/riffle
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ ! -e "$folder/sets.jsonl" ]; then
	go run ./bench/lists --lists "$sets" --least 8 --most 8 --seed 7 | awk '
		{ split($2, q, ":"); f = ""
		  for (i = 3; i <= NF; i++) { split($i, v, ":"); f = f (i > 3 ? "," : "") v[2] }
		  if (q[2] != list) { if (list) print "]}"; list = q[2]; printf "{\"id\":\"q%s\",\"items\":[", list } else printf ","
		  printf "{\"features\":[%s]}", f }
		END { print "]}" }' > "$folder/sets.jsonl"
fi
if [ ! -e "$folder/run/model.safetensors" ]; then
	go run ./bench/lists --lists 2000 --least 8 --most 8 --seed 1 > "$folder/train.txt"
	"$riffle" train ranking-features --out "$folder/run" --set task.data="$folder/train.txt" --steps 300 --engine go
fi
order="$riffle order $folder/run - --json --quiet --engine go"
measure() { # NAME COMMAND
	begin=$(date +%s.%N)
	sh -c "$2"
	end=$(date +%s.%N)
	awk -v name="$1" -v sets="$sets" -v took="$(echo "$end - $begin" | bc)" 'BEGIN { printf "%-28s %8.1f s  %8.0f sets/s\n", name, took, sets / took }'
}
rm -rf "$folder/spark"
measure "one process, two threads" "$order < $folder/sets.jsonl > $folder/one.jsonl"
measure "one process, one thread" "GOMAXPROCS=1 $order < $folder/sets.jsonl > $folder/thread.jsonl"
measure "GNU parallel, 2 processes" "GOMAXPROCS=1 parallel --pipepart -a $folder/sets.jsonl --block 8M -j 2 -k '$order' > $folder/parallel.jsonl"
measure "Spark, local[2]" "GOMAXPROCS=1 $python bench/scale/spark.py $folder/run $folder/sets.jsonl $folder/spark --riffle $riffle 2> $folder/spark.log"
cat "$folder"/spark/part-* > "$folder/spark.jsonl"
for f in thread parallel spark; do
	cmp "$folder/one.jsonl" "$folder/$f.jsonl" && echo "$f: the answers of one process, byte for byte"
done

#!/usr/bin/env bash
# Fuzzes every target for a time and prints a table: runs, inputs that reached new code, crashes,
# and the most memory of a process. An input that crashed is left where `go test` runs it from then
# on, in the package's testdata/fuzz, and named; new inputs that did not go to the build cache.
# Each target is held to a bound on what it allocates: see internal/fuzztest.
#
#   bench/fuzz.sh [TIME] [PATTERN]      default: 10m, every target
#
# JOBS=1 targets run side by side, WORKERS=1 processes each. Ends with 1 where anything crashed.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOTOOLCHAIN=go1.27.3 GOEXPERIMENT=simd
time=${1:-10m} pattern=${2:-.} workers=${WORKERS:-1} jobs=${JOBS:-1}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cache=$(go env GOCACHE)/fuzz/$(go list -m)

echo "$time a target, $jobs side by side of $workers process(es), $(nproc) cores, $(go version | cut -d' ' -f3), $(date -u +%F)"
echo
echo "| target | runs | new inputs | crashes | most memory, MB |"
echo "|---|--:|--:|--:|--:|"

fuzz() { # PACKAGE TARGET: a row of the table
  local package=$1 target=$2 status=0 log=$out/$1.$2.log
  mkdir -p "$(dirname "$log")"
  # Linux says the most memory of any child in kilobytes.
  (cd "$package" && python3 - "$out/$package.test" "-test.run=^$" "-test.fuzz=^$target\$" "-test.fuzztime=$time" "-test.parallel=$workers" \
    "-test.fuzzcachedir=$cache/$package") >"$log" 2>&1 <<'PYTHON' || status=$?
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print("most memory", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(code)
PYTHON
  runs=$(grep -oP 'execs: \K\d+' "$log" | tail -1 || true)
  new=$(grep -oP 'new interesting: \K\d+' "$log" | tail -1 || true)
  memory=$(grep -oP '^most memory \K\d+' "$log" || true)
  echo "| $package.$target | ${runs:-?} | ${new:-?} | $([ $status = 0 ] && echo 0 || echo 1) | ${memory:-?} |"
  if [ $status != 0 ]; then
    sed 's/^/    /' "$log" >&2
    return 1
  fi
}
export -f fuzz
export out time workers cache

for folder in $(grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u); do
  package=${folder#./}
  targets=$(grep -rhoP '^func \KFuzz\w+' "$folder"/*_test.go | grep -E "$pattern" || true)
  [ -n "$targets" ] || continue
  mkdir -p "$(dirname "$out/$package")"
  go test -c -fuzz=. -o "$out/$package.test" "./$package" # -fuzz: with the counters that guide the fuzzer
  for target in $targets; do echo "$package $target"; done
done >"$out/targets"
xargs -P "$jobs" -L1 bash -c 'fuzz "$0" "$1"' <"$out/targets" || exit 1

#!/bin/sh
# Replays the corpus and a million drawn cases on this machine's GPUs, then measures direct transfers against rebuilding.
# It needs libcuda.so.1 of a driver for CUDA 11.8 or later, and nothing else. Results are left in the folder results.
#
#   ./run.sh [CASES]
set -u
cd "$(dirname "$0")"
mkdir -p results
cases=${1:-1000000}

./shardproof-gpu gpu --checks "$cases" --seed 1 --json > results/replay.json 2> results/replay.err
status=$?
cat results/replay.err
tail -n 1 results/replay.json
if [ $status -ne 0 ]; then
	exit $status
fi
./shardproof-gpu gpu --figures --json > results/figures.json && ./shardproof-gpu gpu --figures | tee results/figures.txt

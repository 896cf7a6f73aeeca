#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# Builds every fuzz target into $OUT, each with its dictionary, options and seeds, with the compilers and flags of the
# environment: CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, OUT and WORK, as OSS-Fuzz and ClusterFuzzLite set them.
# Runs in the project's root. scripts/check-ossfuzz runs it without either of them.

build=$WORK/etlproof
cmake -S . -B "$build" -G Ninja -D ETLPROOF_ENGINE=oss-fuzz -D ETLPROOF_TESTS=OFF -D ETLPROOF_WERROR=OFF
# The seeds are made by programs of this build. What they leak is no finding, and LeakSanitizer cannot run everywhere.
ASAN_OPTIONS=detect_leaks=0 cmake --build "$build" --target etlproof_fuzz_targets etlproof_seeds

grep '^fuzz_' harness/targets.tsv | while IFS=$'\t' read -r target _; do
    cp "$build/harness/$target" "$build/harness/$target.options" "$OUT/"
    [ ! -f "$build/harness/$target.dict" ] || cp "$build/harness/$target.dict" "$OUT/"
    # Inputs that once failed are seeds too: every run begins with them, if with a part of the checks for each, as for all
    # that an engine runs; scripts/test replays them with all checks.
    seeds=$build/zip/$target
    rm -rf "$seeds"
    mkdir -p "$seeds"
    cp "$build/corpus/seeds/$target"/* "$seeds/"
    [ ! -d "corpus/regressions/$target" ] || cp "corpus/regressions/$target"/* "$seeds/"
    rm -f "$OUT/${target}_seed_corpus.zip"
    (cd "$seeds" && cmake -E tar cf "$OUT/${target}_seed_corpus.zip" --format=zip .)
done

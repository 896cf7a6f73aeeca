#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# Builds every fuzz target into $OUT, each with its dictionary, options and seeds, with the compilers and flags of the
# environment: CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, OUT and WORK, as OSS-Fuzz and ClusterFuzzLite set them.
# Runs in the project's root. scripts/check-ossfuzz sets the same variables itself.

build=$WORK/etlproof
cmake -S . -B "$build" -G Ninja -D ETLPROOF_ENGINE=oss-fuzz -D ETLPROOF_TESTS=OFF -D ETLPROOF_WERROR=OFF
# Programs of this build make the seeds. Their leaks are no findings, and LeakSanitizer does not run everywhere.
ASAN_OPTIONS=detect_leaks=0 cmake --build "$build" --target etlproof_fuzz_targets etlproof_seeds

grep '^fuzz_' harness/targets.tsv | while IFS=$'\t' read -r target _; do
    cp "$build/harness/$target" "$build/harness/$target.options" "$OUT/"
    [ ! -f "$build/harness/$target.dict" ] || cp "$build/harness/$target.dict" "$OUT/"
    # Inputs that once failed are seeds too, so that every run begins with them. An engine runs a share of the checks on
    # each input; scripts/test replays these inputs with all checks.
    seeds=$build/zip/$target
    rm -rf "$seeds"
    mkdir -p "$seeds"
    cp "$build/corpus/seeds/$target"/* "$seeds/"
    [ ! -d "corpus/regressions/$target" ] || cp "corpus/regressions/$target"/* "$seeds/"
    rm -f "$OUT/${target}_seed_corpus.zip"
    (cd "$seeds" && cmake -E tar cf "$OUT/${target}_seed_corpus.zip" --format=zip .)
done

# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: fuzz targets (fuzz_bench), layouts of structures in memory (layout_bench), minimisers (triage_bench) and the
quality of buckets (triage_planted).

The layout benchmark generates structures as Windows might have them, with noise around them. It does not know how the
decoder scores bytes: the tables say where members are, and their types and names suggest values.
"""

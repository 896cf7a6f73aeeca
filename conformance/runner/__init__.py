# SPDX-License-Identifier: Apache-2.0
"""Runs a parser of ETL files on the vectors in ../golden, and judges its answers."""

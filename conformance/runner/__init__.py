# SPDX-License-Identifier: Apache-2.0
"""Holds a parser of ETL files against the vectors in ../golden."""

# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/fuzz-parser, which fuzzes someone else's parser and holds it to the reference decode."""

# SPDX-License-Identifier: Apache-2.0
"""scripts/fuzz-parser: fuzzes someone's parser and compares it with the reference decode."""

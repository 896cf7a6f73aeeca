# SPDX-License-Identifier: Apache-2.0
"""conformance/compare-tracerpt: compares a decode of etlproof with what Windows' tracerpt printed of the same file."""

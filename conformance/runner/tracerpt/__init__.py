# SPDX-License-Identifier: Apache-2.0
"""conformance/compare-tracerpt: holds a decode of etlproof against what Windows' tracerpt printed of the same file."""

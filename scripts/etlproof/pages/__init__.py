# SPDX-License-Identifier: Apache-2.0
"""The reports of nights and buckets: HTML pages that open offline, and SARIF."""

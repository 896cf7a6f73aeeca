# SPDX-License-Identifier: Apache-2.0
"""What a night and a crash leave to read: HTML pages that open offline, and SARIF."""

# SPDX-License-Identifier: Apache-2.0
"""The pages that a night and a crash leave: HTML that opens offline, and SARIF."""

# SPDX-License-Identifier: Apache-2.0
"""conformance/site: a static site from reports of several parsers."""

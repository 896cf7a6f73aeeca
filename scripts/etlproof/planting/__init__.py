# SPDX-License-Identifier: Apache-2.0
"""Bugs put into a copy of the decoder on purpose, and how soon a campaign finds them."""

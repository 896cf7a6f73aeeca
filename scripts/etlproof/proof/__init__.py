# SPDX-License-Identifier: Apache-2.0
"""Proofs of the decoder: the provers (frama_c), the table of proofs (table), and the command (main)."""

# SPDX-License-Identifier: Apache-2.0
"""Structures in memory as Windows might have them, with noise around them, to measure --guess and --scan with.

Nothing here knows how the decoder scores bytes. Where members lie comes from the tables; what they hold is made up
member by member, as the type and the name of each say.
"""

# SPDX-License-Identifier: Apache-2.0
"""How long an answer may be, so that a parser cannot make the runner spend minutes and gigabytes on reading it. A right
answer is about as long as the expected decode; a wrong one may find a record in every few bytes of the file."""
import json
from typing import NamedTuple

from .jsonlines import VALUES_MAX
from .limits import OUTPUT_MAX

BYTES_LEAST, BYTES_SHARE = 4 << 20, 16
VALUES_LEAST = 100_000


class AnswerLimits(NamedTuple):
    bytes: int
    values: int   # of the JSON; each takes fifty times its text if it is short


WIDEST = AnswerLimits(OUTPUT_MAX, VALUES_MAX)


def of_vector(vector):
    """The limits for an answer to the vector; the widest for a file of which no decode is expected."""
    if "expect" not in vector:
        return WIDEST
    weight = vector["size"] + len(json.dumps(vector["expect"]))
    return AnswerLimits(min(BYTES_LEAST + BYTES_SHARE * weight, OUTPUT_MAX), min(VALUES_LEAST + weight, VALUES_MAX))

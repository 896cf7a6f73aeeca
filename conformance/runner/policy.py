# SPDX-License-Identifier: Apache-2.0
"""The policy for vectors with the verdict `either`: lines `FLAG = any|accept|reject|reference`."""
import fnmatch

from .failure import INPUT, USAGE, Failure, read_text

# From lenient to strict. If a vector has several flags, the strictest value counts.
VALUES = ("any", "accept", "reject", "reference")


def load(path, settings, flags):
    """The value of every flag. A later line overrides an earlier one, and settings override the file."""
    policy = dict.fromkeys(flags, "any")
    if path:
        for number, line in enumerate(read_text(path, "the policy"), 1):
            line = line.split("#", 1)[0].strip()
            if line:
                _apply(policy, line, f"{path}:{number}", INPUT)
    for setting in settings:
        _apply(policy, setting, f"--policy-set {setting}", USAGE)
    return policy


def _apply(policy, line, where, code):
    glob, _, value = (part.strip() for part in line.partition("="))
    if value not in VALUES:
        raise Failure(code, f"{where}: FLAG = {'|'.join(VALUES)} expected, found \"{line}\"")
    matching = fnmatch.filter(policy, glob)
    if not matching and glob != "*":
        raise Failure(code, f"{where}: no vector has the flag \"{glob}\"; there are {', '.join(policy) or 'none'}")
    for flag in matching:
        policy[flag] = value


def of_vector(policy, vector):
    return max((policy[flag] for flag in vector["flags"]), key=VALUES.index, default="any")

# SPDX-License-Identifier: Apache-2.0
"""The rules of the format, from rules.def, and which vectors cover them."""
import collections
import os
from typing import NamedTuple

from . import tables


class Rule(NamedTuple):
    id: str
    group: str
    layer: str
    severity: str
    meaning: str       # of the severity
    statement: str
    value: str         # what the expected and the actual value of its findings are; "": it compares none
    effect: str
    source: str


class Coverage(NamedTuple):
    """The vectors of one rule that one recipe defines."""
    rule: str
    recipe: str        # below recipes/
    vectors: int
    violating: int     # how many break the rule or, of a rule that says how to read, depend on it
    example: str       # the first of those, or the first of all


def load_rules(folder=tables.FORMAT):
    """All rules in the order of the table; none where the suite was copied without the decoder."""
    if not os.path.isdir(folder):
        return []
    groups = dict(tables.rows(folder, "rule_groups.def", "ETL_RULE_GROUP"))
    layers = dict(tables.rows(folder, "layers.def", "ETL_LAYER"))
    severities = {row[0]: row[1:] for row in tables.rows(folder, "severities.def", "ETL_SEVERITY")}
    return [Rule(id_, groups[group], layers[layer], *severities[severity], *texts)
            for _, id_, group, layer, severity, *texts in tables.rows(folder, "rules.def", "ETL_RULE")]


def findings(vector):
    """Those of the expected decode, and those that only the profile of writers has."""
    return [record for record in vector["expect"] if record["rec"] == "finding"] + vector.get("writer", [])


def violates(vector):
    found = any(record["rule"] == vector["rule"] for record in findings(vector))
    return found or vector.get("tells", False)


def coverage(vectors):
    """Coverage rows in the order of rule and recipe."""
    families = collections.defaultdict(list)
    for vector in vectors:
        families[vector["rule"], vector["recipe"].rpartition(":")[0]].append(vector)
    for (rule, recipe), members in sorted(families.items()):
        violating = [vector["id"] for vector in members if violates(vector)]
        example = min(violating or [vector["id"] for vector in members])
        yield Coverage(rule, recipe, len(members), len(violating), example)

# SPDX-License-Identifier: Apache-2.0
"""Which vectors cover which rule, as `etlproof explain` and people read it.

Two files are made from the vectors and never written by hand: the table decoder/format/rule_vectors.def, and RULES.md.
"""
import collections
import os

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "..", "decoder", "format", "rule_vectors.def")
PAGE = os.path.join(HERE, "RULES.md")

TABLE_HEAD = """/* SPDX-License-Identifier: Apache-2.0
 *
 * Which vectors cover which rule: one row per rule and recipe. Made by conformance/rebuild --write.
 *
 * ETL_RULE_VECTORS(id, recipe, vectors, violating, example)
 *
 *   recipe     below conformance/recipes
 *   vectors    how many of the recipe's vectors are of this rule
 *   violating  how many of them break it, or, where a rule says how to read, are read otherwise by a reader that breaks it
 *   example    the first of those, or the first of all
 */
#ifndef ETL_RULE_VECTORS
#error "define ETL_RULE_VECTORS before including rule_vectors.def"
#endif
"""

PAGE_HEAD = """# The rules

Every rule that the reference decoder goes by, and the vectors that hold a parser to it. Made from
[rules.def](../decoder/format/rules.def) and the vectors by `conformance/rebuild --write`; `etlproof explain RULE` says
the same.

A rule of severity `structure` says how to read and cannot be violated by a file: its telling vectors are read otherwise by
a reader that breaks it. A vector that violates a rule of severity `error` is to be rejected; `warning` and `note` go with
files that are to be accepted.
"""

Row = collections.namedtuple("Row", "rule recipe vectors violating example")


def violates(vector):
    found = any(record["rec"] == "finding" and record["rule"] == vector["rule"] for record in vector["expect"])
    return found or vector.get("tells", False)


def rows_of(vectors):
    """Rows in the order of rule and recipe."""
    families = collections.defaultdict(list)
    for vector in vectors:
        families[vector["rule"], vector["recipe"].rpartition(":")[0]].append(vector)
    for (rule, recipe), members in sorted(families.items()):
        violating = [vector["id"] for vector in members if violates(vector)]
        example = min(violating or [vector["id"] for vector in members])
        yield Row(rule, recipe, len(members), len(violating), example)


def table_text(vectors):
    rows = [f'ETL_RULE_VECTORS({row.rule.replace("-", "_")}, "{row.recipe}", {row.vectors}, {row.violating}, '
            f'"{row.example}")\n' for row in rows_of(vectors)]
    return TABLE_HEAD + "".join(rows) + "#undef ETL_RULE_VECTORS\n"


def rule_text(rule, rows):
    kind = "tell" if rule["severity"] == "structure" else "violate it"
    lines = [f"### {rule['rule']}\n", f"{rule['statement']}\n",
             f"- severity {rule['severity']}, layer {rule['layer']}; source: {rule['source']}"]
    if rule["severity"] != "structure":
        lines.append(f"- if violated: {rule['effect']}")
    for row in rows:
        example = f", such as [{row.example}](golden/{rule['group']}/{row.example}.json)"
        lines.append(f"- [{row.recipe}](recipes/{row.recipe}): {row.vectors} vectors, {row.violating} {kind}{example}")
    return "\n".join(lines) + "\n"


def page_text(vectors, rules):
    """`rules` are as `etlproof explain --json` gives them."""
    rows = collections.defaultdict(list)
    for row in rows_of(vectors):
        rows[row.rule].append(row)
    sections = []
    for group in dict.fromkeys(rule["group"] for rule in rules):
        sections.append(f"\n## {group}\n\n" + "\n".join(
            rule_text(rule, rows[rule["rule"]]) for rule in rules if rule["group"] == group))
    return PAGE_HEAD + "".join(sections)

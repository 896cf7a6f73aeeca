# SPDX-License-Identifier: Apache-2.0
"""Which vectors cover which rule: writes decoder/format/rule_vectors.def, for `etlproof explain`, and RULES.md, for people.

conformance/rebuild calls this with all vectors. Neither file is edited by hand.
"""
import collections
import os

from runner.rules import coverage

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

Every rule of the reference decoder, and the vectors that test a parser against it. Generated from
[rules.def](../decoder/format/rules.def) and the vectors by `conformance/rebuild --write`. `etlproof explain RULE` prints
the same about one rule, and `conformance/show ID` prints one vector.

A rule of severity `structure` says how to read a file, so no file can violate it. Its vectors show whether a parser follows
it: a parser that does not reads the file differently. A vector that violates a rule of severity `error` should be rejected;
a file with only findings of severity `warning` or `note` should be accepted.

`etlproof validate --profile writer` is for authors of tools that write ETL files: an `error` is what Windows never writes,
though a reader accepts it. The lines `--profile writer` give the evidence, counted in 29 real traces, of Vista to Windows
11, that samples_test reads. The rules of group [writer](#writer) are checked under that profile only, so no decode has a
finding of them; a parser should accept their vectors.
"""


def table_text(vectors):
    rows = [f'ETL_RULE_VECTORS({row.rule.replace("-", "_")}, "{row.recipe}", {row.vectors}, {row.violating}, '
            f'"{row.example}")\n' for row in coverage(vectors)]
    return TABLE_HEAD + "".join(rows) + "#undef ETL_RULE_VECTORS\n"


def rule_text(rule, rows):
    kind = "depend on it" if rule["severity"] == "structure" else "violate it"
    lines = [f"### {rule['rule']}\n", f"{rule['statement']}\n",
             f"- severity {rule['severity']}, layer {rule['layer']}; source: {rule['source']}"]
    if rule["severity"] != "structure":
        lines.append(f"- if violated: {rule['effect']}")
    if "writer" in rule:
        lines.append(f"- `--profile writer`: {'error' if rule['writer']['held'] else 'as for readers'}; "
                     f"{rule['writer']['evidence']}")
    for row in rows:
        vectors = "1 vector" if row.vectors == 1 else f"{row.vectors} vectors"
        lines.append(f"- [{row.recipe}](recipes/{row.recipe}): {vectors}, {row.violating} {kind}, such as `{row.example}`")
    return "\n".join(lines) + "\n"


def page_text(vectors, rules):
    """`rules` are as `etlproof explain --json` gives them."""
    rows = collections.defaultdict(list)
    for row in coverage(vectors):
        rows[row.rule].append(row)
    sections = []
    for group in dict.fromkeys(rule["group"] for rule in rules):
        sections.append(f"\n## {group}\n\n" + "\n".join(
            rule_text(rule, rows[rule["rule"]]) for rule in rules if rule["group"] == group))
    return PAGE_HEAD + "".join(sections)

# SPDX-License-Identifier: Apache-2.0
"""All that the pages of a site show: parsers with their reports, vectors, rules, and what belongs together."""
import collections

from .. import rules, tables


class Site:
    def __init__(self, golden, parsers, recipes, windows_results):
        self.golden, self.parsers, self.recipes, self.windows_results = golden, parsers, recipes, windows_results
        self.tables = tables.load_tables()
        self.ids = {vector["id"] for vector in golden.vectors}
        self.by_rule = collections.defaultdict(list)
        for vector in golden.vectors:
            self.by_rule[vector["rule"]].append(vector)
        self.ids_of_rule = {rule: [vector["id"] for vector in vectors] for rule, vectors in self.by_rule.items()}
        self.rules = {rule.id: rule for rule in self._rules()}
        self.coverage = collections.defaultdict(list)
        for row in rules.coverage(golden.vectors):
            self.coverage[row.rule].append(row)
        self.groups = self._groups()
        self.cause_of = {(parser.slug, result["id"]): cause for parser in self.parsers for cause in parser.causes
                         for result in cause.failures}

    def _rules(self):
        """Those of the table, then those of vectors alone, as where the suite was copied without the table."""
        known = rules.load_rules()
        yield from known
        for id_ in sorted(self.by_rule.keys() - {rule.id for rule in known}):
            vector = self.by_rule[id_][0]
            yield rules.Rule(id_, vector["group"], vector.get("layer", ""), "", "", "", "", "", "")

    def _groups(self):
        """Groups of vectors in the order of the rules, then those that only reports know."""
        have = {vector["group"] for vector in self.golden.vectors}
        of_reports = {group for parser in self.parsers for report in parser.reports for group in report.groups}
        ordered = [group for group in dict.fromkeys(rule.group for rule in self.rules.values()) if group in have]
        return [*ordered, *sorted((have | of_reports) - set(ordered))]

    def pairs(self):
        """All pairs of parsers, each in the order of their names."""
        ordered = sorted(self.parsers, key=lambda parser: parser.slug)
        return [(one, other) for number, one in enumerate(ordered) for other in ordered[number + 1:]]

# SPDX-License-Identifier: Apache-2.0
"""Mutates C text, one change at a time."""
import re

from . import flow_operators
from .c_source import CLOSING, Source, partner, tokens_of

_COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_LOGIC = {"&&": "||", "||": "&&"}
_ARITHMETIC = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
_TRUTH = {"true": "false", "false": "true"}
_ASSIGNMENTS = {"=", "+=", "-=", "|=", "&=", "^=", "<<=", ">>=", "*=", "/=", "%="}
_NO_STATEMENT = {"return", "break", "continue", "if", "for", "while", "switch", "case", "default", "static", "const",
                 "typedef", "enum", "struct", "goto", "else", "do"}
_NUMBER = re.compile(r"(0[xX])?([0-9a-fA-F]+?)([uUlL]*)\Z")


def mutants_of(path, text, members):
    """All mutants of a C file, in the order of the text. `members` are the members of each structure, in order."""
    found = _File(path, text, members).find()
    return sorted(found, key=lambda mutant: (mutant.start, mutant.kind, mutant.new))


class _File:
    def __init__(self, path, text, members):
        self.source = Source(path, text)
        self.tokens = tokens_of(text)
        self.members = members
        self.found = []

    def find(self):
        for at, token in enumerate(self.tokens):
            if token.kind == "operator":
                self._operator(at, token)
            elif token.kind == "number":
                self._constant(token)
            elif token.text in _TRUTH:
                self._add("truth", token.start, token.end, _TRUTH[token.text])
            elif token.text in ("ETL_AT", "ETL_SIZE"):
                self._place(at)
            if self._begins_statement(at):
                self._statement(at)
        self._report_sites()
        return self.found + flow_operators.mutants_of(self.source, self.tokens)

    def _add(self, kind, start, end, new, **more):
        self.found.append(self.source.mutant(kind, start, end, new, **more))

    def _text(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def _operator(self, at, token):
        for kind, table in (("comparison", _COMPARISONS), ("logic", _LOGIC)):
            if token.text in table:
                self._add(kind, token.start, token.end, table[token.text])
        if token.text in _ARITHMETIC and self._is_binary(at):
            self._add("arithmetic", token.start, token.end, _ARITHMETIC[token.text])
        if token.text == "!":
            self._add("negation", token.start, token.end, "")

    def _is_binary(self, at):
        before = self.tokens[at - 1]
        return before.kind == "number" or before.text in (")", "]") or (before.kind == "name" and before.text != "return")

    def _constant(self, token):
        prefix, digits, suffix = _NUMBER.match(token.text).groups()
        value = int(digits, 16 if prefix else 10)
        for other in (value + 1, value - 1):
            if other >= 0:
                text = f"0x{other:X}" if prefix else str(other)
                self._add("constant", token.start, token.end, text + suffix)

    def _place(self, at):
        """ETL_AT(structure, member), ETL_SIZE(structure)."""
        name = self.tokens[at]
        if self._text(at + 1) != "(":
            return
        close = partner(self.tokens, at + 1)
        end = self.tokens[close].end
        old = self.source.text[name.start:end]
        if name.text == "ETL_SIZE":
            for by in ("+ 8u", "- 8u"):
                self._add("size", name.start, end, f"({old} {by})")
            return
        structure, member = self._text(at + 2), self._text(at + 4)
        self._add("offset", name.start, end, f"({old} + 1u)")
        members = self.members.get(structure, [])
        if member in members and len(members) > 1:
            other = members[(members.index(member) + 1) % len(members)]
            self._add("offset", name.start, end, f"ETL_AT({structure}, {other})")

    def _begins_statement(self, at):
        token = self.tokens[at]
        if token.kind != "name" and token.text != "*" or token.text in _NO_STATEMENT:
            return False
        before = self._text(at - 1)
        if before == ")":
            return self._text(partner(self.tokens, at - 1) - 1) in ("if", "for", "while")
        return before in (";", "{", "}", "else", "do") or (before == ":" and self._is_label(at - 1))

    def _is_label(self, at):
        """Whether a colon ends a case label, and is not part of a ?: expression."""
        while at > 0 and self._text(at) not in ("case", "default", "?", ";", "{"):
            at -= 1
        return self._text(at) in ("case", "default")

    def _statement(self, at):
        """Deletes an assignment to an object that outlives the function, or a call for its effect."""
        end = at
        while self._text(end) != ";":
            if self._text(end) in CLOSING or end >= len(self.tokens) - 1:
                return
            end = partner(self.tokens, end) + 1 if self._text(end) in ("(", "[", "{") else end + 1
        words = [token.text for token in self.tokens[at:end]]
        if self._is_declaration(at) or not (self._assigns_field(words) or self._is_call(at, end)):
            return
        self._add("statement", self.tokens[at].start, self.tokens[end].start, "")

    def _is_declaration(self, at):
        first, second, third = self.tokens[at:at + 3]
        return first.kind == "name" and (second.kind == "name" or (second.text == "*" and third.kind == "name"))

    @staticmethod
    def _assigns_field(words):
        if words[-1] in ("++", "--"):
            return "->" in words
        at = next((at for at, word in enumerate(words) if word in _ASSIGNMENTS), None)
        return at is not None and ("->" in words[:at] or words[0] == "*")

    def _is_call(self, at, end):
        return self._text(at + 1) == "(" and partner(self.tokens, at + 1) == end - 1

    def _report_sites(self):
        """Mutates the condition under which a rule is reported: to false, and to its negation."""
        sites = {}
        for at, token in enumerate(self.tokens):
            if token.text.startswith("ETL_RULE_"):
                condition = self._condition_of(at)
                if condition:
                    sites.setdefault(condition, []).append(token.text.removeprefix("ETL_RULE_").replace("_", "-"))
        for (start, end), rules in sites.items():
            old = self.source.text[start:end]
            for new in (f"false && ({old})", f"!({old})"):
                self._add("report", start, end, new, rule=" ".join(dict.fromkeys(rules)))

    def _condition_of(self, at):
        """The text of the condition of the innermost `if` around a token; None if there is none, or if the token is in an
        else."""
        while at > 0:
            at -= 1
            text = self._text(at)
            if text == ")" and self._text(partner(self.tokens, at) - 1) == "if":
                return self._inside(partner(self.tokens, at), at)
            if text in CLOSING:
                at = partner(self.tokens, at)
            elif text in (";", "else"):
                at = self._block_start(at)
                if at is None or self._text(at - 1) != ")":
                    return None
        return None

    def _inside(self, opening, closing):
        return self.tokens[opening].end, self.tokens[closing].start

    def _block_start(self, at):
        """The `{` of the block that the token is in."""
        while at >= 0 and self._text(at) != "{":
            at = partner(self.tokens, at) - 1 if self._text(at) in CLOSING else at - 1
        return at if at >= 0 else None

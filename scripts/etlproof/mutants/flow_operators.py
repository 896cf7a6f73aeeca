# SPDX-License-Identifier: Apache-2.0
"""Mutates what flows through C text: arguments, widths of loads, branches of conditions, steps of loops, resets."""
import re

from .c_source import CLOSING, OPENING, partner

# A load or a cast, narrower or with the other sign.
_LOADS = {"etl_load_u16": ("etl_load_u8", "(int16_t)etl_load_u16"),
          "etl_load_u32": ("etl_load_u16", "(int32_t)etl_load_u32"),
          "etl_load_u64": ("etl_load_u32",), "etl_load_i32": ("(int16_t)etl_load_i32", "(uint32_t)etl_load_i32"),
          "etl_load_i64": ("etl_load_i32", "(uint64_t)etl_load_i64"), "etl_load_u8": ("(int8_t)etl_load_u8",)}
_CASTS = {"uint8_t": "int8_t", "uint16_t": "uint8_t", "uint32_t": "uint16_t", "uint64_t": "uint32_t", "size_t": "uint32_t",
          "int64_t": "int32_t"}
_NO_CALL = {"if", "for", "while", "switch", "return", "sizeof", "ETL_AT", "ETL_SIZE", "defined"}


def mutants_of(source, tokens):
    """Mutants of the functions of a source, in the order of the text."""
    return _Flow(source, tokens).find()


class _Flow:
    def __init__(self, source, tokens):
        self.source, self.tokens = source, tokens
        self.found = []

    def find(self):
        depth = 0
        for at, token in enumerate(self.tokens):
            depth += {"{": 1, "}": -1}.get(token.text, 0) if token.kind == "operator" else 0
            if depth == 0:
                continue
            if token.kind == "name":
                self._name(at, token)
            elif token.kind == "operator":
                self._operator(at, token)
        return self.found

    def _add(self, kind, start, end, new):
        self.found.append(self.source.mutant(kind, start, end, new))

    def _text(self, at):
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def _name(self, at, token):
        if token.text in _LOADS:
            for other in _LOADS[token.text]:
                self._add("width", token.start, token.end, other)
        if token.text in _CASTS and (self._text(at - 1), self._text(at + 1)) == ("(", ")") and self._is_cast(at + 2):
            self._add("width", token.start, token.end, _CASTS[token.text])
        if token.text == "else":
            self._add("else", token.start, token.end, "")
        if self._text(at + 1) == "(" and token.text not in _NO_CALL:
            self._arguments(at + 1)

    def _is_cast(self, at):
        """Whether an operand stands behind a type in parentheses: it is no argument of sizeof, and no parameter."""
        token = self.tokens[at]
        return token.kind in ("name", "number") or token.text in ("(", "*", "-", "~", "!")

    def _arguments(self, opening):
        """Swaps adjacent arguments that are both addresses, or both not."""
        spans = self._list(opening)
        for one, other in zip(spans, spans[1:]):
            first, second = (self.source.text[slice(*span)] for span in (one, other))
            if first != second and first.startswith("&") == second.startswith("&") and '"' not in first + second:
                between = self.source.text[one[1]:other[0]]
                self._add("argument", one[0], other[1], second + between + first)

    def _list(self, opening):
        """(start, end) of each part of a list in brackets."""
        closing, spans, at = partner(self.tokens, opening), [], opening + 1
        start = at
        while at <= closing:
            if at == closing or self._text(at) == ",":
                if at > start:
                    spans.append((self.tokens[start].start, self.tokens[at - 1].end))
                start = at + 1
            at = partner(self.tokens, at) + 1 if at != closing and self._text(at) in OPENING else at + 1
        return spans

    def _operator(self, at, token):
        if token.text == "?":
            self._branches(at)
        elif token.text == "++" and (self.tokens[at - 1].kind == "name" or self._text(at - 1) in (")", "]")):
            self._add("step", token.start, token.end, " += 2")
        elif token.text in ("<", "<=") and self._is_limit(at):
            self._add("step", token.start, token.end, f"+ 1 {token.text}")
        elif token.text == "=":
            self._reset(at)
        elif token.text == "." and self._text(at - 1) in ("{", ",") and self._text(at + 2) == "=":
            self._initialiser(at)

    def _branches(self, at):
        """Swaps the branches of a ?: without others inside."""
        colon, end = self._until(at + 1, (":",)), None
        if colon is not None:
            end = self._until(colon + 1, (";", ",", ":"))
        if end is None or "?" in (self._text(inside) for inside in range(at + 1, end)):
            return
        one = (self.tokens[at + 1].start, self.tokens[colon - 1].end)
        other = (self.tokens[colon + 1].start, self.tokens[end - 1].end)
        first, second = (self.source.text[slice(*span)] for span in (one, other))
        self._add("branch", one[0], other[1], second + self.source.text[one[1]:other[0]] + first)

    def _until(self, at, ends):
        """The index of the first of these texts outside brackets, or of the bracket that closes; None if there is none."""
        while at < len(self.tokens):
            text = self._text(at)
            if text in ends or text in CLOSING:
                return at
            at = partner(self.tokens, at) + 1 if text in OPENING else at + 1
        return None

    def _is_limit(self, at):
        """Whether a comparison is part of the condition of a loop."""
        while at > 0:
            at -= 1
            text = self._text(at)
            if text in CLOSING:
                at = partner(self.tokens, at)
            elif text in OPENING:
                if text == "(" and self._text(at - 1) in ("for", "while"):
                    return True
                if text == "{":
                    return False
        return False

    def _reset(self, at):
        """Deletes an assignment to a variable or to a member of one, not a declaration: what it held before remains."""
        start = at - 1
        while self._text(start - 1) == ".":
            start -= 2
        if self._text(start - 1) not in (";", "{", "}", ")", "else") or self.tokens[start].kind != "name":
            return
        if self._text(start - 1) == ")" and self._text(partner(self.tokens, start - 1) - 1) not in ("if", "for", "while"):
            return
        end = self._until(at, (";",))
        if end is not None and self._text(end) == ";":
            self._add("stale", self.tokens[start].start, self.tokens[end].start, "")

    def _initialiser(self, at):
        """Leaves a member of a new structure 0."""
        end = self._until(at, (",",))
        value = self.source.text[self.tokens[at + 3].start:self.tokens[end - 1].end]
        if not re.fullmatch(r"0|NULL|false", value):
            self._add("stale", self.tokens[at + 3].start, self.tokens[end - 1].end, "0")

# SPDX-License-Identifier: Apache-2.0
"""Splits C text into tokens, and describes a change of it."""
import dataclasses
import hashlib
import re

_TOKEN = re.compile(r"""
    (?P<skip>\s+|\\\n|/\*.*?\*/|//[^\n]*)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<directive>^\#[ \t]*(?:define[ \t]+\w+(?:\([^)]*\))?|[^\n]*))
  | (?P<number>0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+[uUlL]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<operator>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: open_ for open_, close in OPENING.items()}


@dataclasses.dataclass(frozen=True)
class Token:
    """`kind` is text, directive, number, name or operator. The directive of a #define ends before its body."""
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


def tokens_of(text):
    """The tokens of C text, without comments and white space."""
    return [Token(match.lastgroup, match.group(), match.start())
            for match in _TOKEN.finditer(text) if match.lastgroup != "skip"]


def partner(tokens, at):
    """The index of the bracket that matches the one at `at`."""
    step, same = (1, tokens[at].text) if tokens[at].text in OPENING else (-1, tokens[at].text)
    other = OPENING.get(same) or CLOSING[same]
    depth = 0
    while 0 <= at < len(tokens):
        depth += (tokens[at].text == same) - (tokens[at].text == other)
        if depth == 0:
            return at
        at += step
    raise ValueError("brackets that do not match")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """`text[start:end]` of a file becomes `new`. `about` is the place to look at if it is in another file: "path:line".
    `word` is a word that a source must contain to be affected, if there is one."""
    file: str
    kind: str
    start: int
    end: int
    old: str
    new: str
    line: int
    column: int
    line_text: str
    line_hash: str
    rule: str | None = None
    about: str | None = None
    word: str | None = None
    both: str | None = None   # of a pair: the two changes

    @property
    def key(self):
        """Unique in a file, and independent of the lines above and below."""
        return f"{self.file}|{self.line_hash}|{self.change}"

    @property
    def change(self):
        """The change of the line: kind, column, and the text before and after."""
        return self.both or f"{self.kind}@{self.column}: {_short(self.old)} -> {_short(self.new)}"

    @property
    def where(self):
        return self.about or f"{self.file}:{self.line}"

    @property
    def new_line(self):
        before = self.line_text[:self.column - 1]
        return before + self.new + self.line_text[self.column - 1 + len(self.old):]

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]


def _short(text):
    return re.sub(r"\s+", " ", text).strip()


class Source:
    """A file whose text is mutated."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._hashes = _line_hashes(self._lines)

    def mutant(self, kind, start, end, new, **more):
        number = self.text.count("\n", 0, start)
        return Mutant(self.path, kind, start, end, self.text[start:end], new, number + 1, start - self._starts[number] + 1,
                      self._lines[number], self._hashes[number], **more)


def _line_hashes(lines):
    """The hash of each line, from its text and its number among lines with equal text."""
    seen, hashes = {}, []
    for line in lines:
        text = line.strip()
        seen[text] = seen.get(text, 0) + 1
        hashes.append(hashlib.sha256(f"{text}\n{seen[text]}".encode()).hexdigest()[:12])
    return hashes

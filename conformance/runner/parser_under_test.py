# SPDX-License-Identifier: Apache-2.0
"""The parser under test: its command and mode, from options or an adapter file, and its description."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

from . import number_text
from .failure import INPUT, USAGE, Failure, read_text

MODES = ("one-shot", "long-lived")
KINDS = ("trace", "buffer", "event", "item", "field", "member", "finding", "end")
PARTS = {"items": "item", "fields": "field"}  # lists in events, whose elements are of a kind of their own
LAYOUT = ("structure", "windows", "arch")  # the members of a vector that say how to read a structure in memory
ALL = "*"
METADATA = ("tracelogging", "trace-event-info", "manifest", "classic")  # rows of builder/metadata.def
PAYLOAD = "payload"  # the layer of vectors about the fields of payloads
_TEXTS = ("name", "version", "language", "url")
TEXT_MAX = 200  # characters of these
_HEADER_TYPE = re.compile(r"0x[0-9a-f]{2}\Z")


class Answer:
    """A parser's answer to one vector. `outcome`: accept, reject, skip, unsupported, crash, hang, oom."""
    __slots__ = ("outcome", "reason", "records", "seconds", "stderr")

    def __init__(self, outcome, reason="", records=(), seconds=0.0, stderr=""):
        self.outcome, self.reason, self.records = outcome, reason, records
        self.seconds, self.stderr = seconds, stderr


class Parser:
    """A parser's command and mode; `description` is None until the parser was asked."""

    def __init__(self, command, mode, description=None, layout=None):
        self.command, self.mode = command, mode
        self.layout = layout  # the one-shot command for structures in memory; None: the parser reads none
        self.policy = self.known = None  # files that an adapter brings along
        self.description = None
        if description is not None:
            self.describe(description, "the description")

    def describe(self, description, where):
        self.description = check_description(description, where)

    def misses(self, vector):
        """What the parser does not read and the vector is about, in words; None if the parser can be run on it. A structure
        in memory needs a parser that reads them, and a parser that reads nothing else gets no traces. A vector about
        payloads is for parsers that report fields, by metadata of this kind."""
        if vector.get("layer") == PAYLOAD:
            if declared(self.description, "field") is None:
                return "fields of payloads"
            if vector["metadata"] not in self.description.get("metadata", METADATA):
                return f"fields of payloads by metadata of the kind {vector['metadata']}"
        if "structure" not in vector:
            return "traces" if declared_kinds(self.description) == {"member"} else None
        reads = declared(self.description, "member") is not None and (self.mode == "long-lived" or bool(self.layout))
        return None if reads else "structures in memory"

    def for_vector(self, vector):
        """The one-shot command of a vector."""
        if "structure" not in vector:
            return self.for_file(vector["path"])
        words = list(self.layout)
        for name, value in (*((name, vector[name]) for name in LAYOUT), ("file", vector["path"])):
            words = [word.replace("{" + name + "}", value) for word in words]
        return words

    def for_file(self, path):
        """The one-shot command of a trace."""
        if any("{file}" in word for word in self.command):
            return [word.replace("{file}", path) for word in self.command]
        return [*self.command, path]

    def for_description(self):
        """The command without the file, and without an option before it, which would take --describe as its value."""
        words = []
        for word in self.command:
            if word == "{file}" and words and words[-1].startswith("-"):
                words.pop()
            if "{file}" not in word:
                words.append(word)
        return [*words, "--describe"]

    def reject_codes(self):
        return self.description.get("reject", [1])

    def requests(self, vector):
        """All requests to a long-lived parser that runs this vector only."""
        return [START, run_request(vector), STOP]

    def reproduce(self, vector):
        """A shell line that runs the parser on the vector by hand."""
        if self.mode == "one-shot":
            is_run = "structure" not in vector or self.misses(vector) is None
            return shell_line(self.for_vector(vector) if is_run else self.for_file(vector["path"]))
        requests = self.requests(vector)
        if sys.platform == "win32":
            # cmd.exe would change such lines, so Python prints them: this Python, for its name may differ from "python".
            text = "".join(request + "\n" for request in requests)
            return shell_line([sys.executable, "-c", f"print({text!r}, end='')"]) + " | " + shell_line(self.command)
        return "printf '%s\\n' " + shlex.join(requests) + " | " + shell_line(self.command)


def run_request(vector):
    layout = {name: vector[name] for name in LAYOUT if name in vector}
    return json.dumps({"cmd": "run", "id": vector["id"], "file": vector["path"], **layout})


START = json.dumps({"cmd": "start", "version": 1})
STOP = json.dumps({"cmd": "stop"})


def shell_line(words):
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def from_options(options):
    return _load(options.adapter) if options.adapter else Parser(options.command, options.mode or "one-shot")


def words_of(option, text):
    """The words of the command line in an option, split as a shell of this system does."""
    words = shlex.shlex(text, posix=True)
    words.whitespace_split, words.commenters = True, ""
    if sys.platform == "win32":
        words.escape = ""  # where paths have backslashes
    try:
        found = list(words)
    except ValueError as error:
        raise Failure(USAGE, f"{option}: a command expected, found {text!r}: {error}") from error
    if not found:
        raise Failure(USAGE, f"{option}: a command expected, found {text!r}")
    return found


def _load(path):
    try:
        adapter = json.loads("\n".join(read_text(path, "the adapter")))
        if not isinstance(adapter, dict):
            raise ValueError("an object expected")
        mode = adapter.get("mode", "one-shot")
        if mode not in MODES:
            raise ValueError(f"\"mode\": one of {', '.join(MODES)} expected, found {mode!r}")
        here = os.path.dirname(path) or "."
        command = [_word(word, here) for word in adapter["command"]]
        if not command:
            raise ValueError("\"command\" is empty")
    except KeyError as error:
        raise Failure(INPUT, f"{path}: not an adapter: has no {error}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise Failure(INPUT, f"{path}: not an adapter: {error}") from error
    parser = Parser(command, mode, layout=[_word(word, here) for word in adapter.get("layout", ())])
    for name in ("policy", "known"):
        if name in adapter:
            setattr(parser, name, _word(adapter[name], here))
    if "description" in adapter:
        description = dict(adapter["description"])
        description.setdefault("name", adapter.get("name"))
        parser.describe(description, path)
    return parser


def _word(word, here):
    """A word of the command. Of a list of programs, the first that exists, else the last."""
    if isinstance(word, list):
        words = [_word(choice, here) for choice in word]
        return next((found for found in map(shutil.which, words) if found), words[-1])
    if "{here}" in word:
        word = os.path.normpath(word.replace("{here}", here))
    return word.replace("{python}", sys.executable)


def check_description(description, where):
    """Returns the description. Raises Failure with what is wrong, if it is not one."""
    def wrong(what):
        return Failure(INPUT, f"{where}: not a description: {what}")

    if not isinstance(description, dict):
        raise wrong(f"an object expected, found {str(description)[:60]}")
    if not isinstance(description.get("name"), str) or not description["name"]:
        raise wrong("has no \"name\"")
    for name in _TEXTS:
        text = description.get(name)
        if text is not None and not (isinstance(text, str) and len(text) <= TEXT_MAX):
            raise wrong(f"\"{name}\": a text of at most {TEXT_MAX} characters expected, found {str(text)[:60]}")
    if not isinstance(description.get("records"), dict):
        raise wrong("has no \"records\", an object of field lists by kind of record")
    for kind, fields in description["records"].items():
        if kind not in KINDS:
            raise wrong(f"\"records\": one of {', '.join(KINDS)} expected, found \"{kind}\"")
        if not _are_fields(fields):
            raise wrong(f"\"records\".\"{kind}\": a list of field names expected, found {str(fields)[:60]}")
    if description.get("order", "file") not in ("file", "time"):
        raise wrong(f"\"order\": file or time expected, found {description['order']!r}")
    codes = description.get("reject", [1])
    if not isinstance(codes, list) or not all(type(code) is int and 0 < code < 256 for code in codes):
        raise wrong(f"\"reject\": exit codes from 1 to 255 expected, found {codes!r}")
    kinds = description.get("metadata", [])
    if not isinstance(kinds, list) or not set(map(str, kinds)) <= set(METADATA):
        raise wrong(f"\"metadata\": a list of {', '.join(METADATA)} expected, found {kinds!r}")
    for name in ("verdict", "partial"):
        if not isinstance(description.get(name, True), bool):
            raise wrong(f"\"{name}\": true or false expected, found {description[name]!r}")
    _check_header_types(description.get("header_types", {}), wrong)
    return description


def _check_header_types(by_type, wrong):
    if not isinstance(by_type, dict):
        raise wrong(f"\"header_types\": an object of field lists by header type expected, found {str(by_type)[:60]}")
    for header_type, fields in by_type.items():
        if not _HEADER_TYPE.match(header_type):
            raise wrong(f"\"header_types\": a header type such as \"0x13\" expected, found \"{header_type}\"")
        if not _are_fields(fields):
            raise wrong(f"\"header_types\".\"{header_type}\": a list of field names expected, found {str(fields)[:60]}")


def _are_fields(fields):
    return fields == ALL or isinstance(fields, list) and all(isinstance(field, str) for field in fields)


def declared(description, kind):
    """The fields that the parser reports of such records: a set, ALL, or None if it reports no such records."""
    return _fields(description["records"].get(kind))


def _fields(names):
    if not names:
        return None
    return ALL if ALL in names else frozenset(names)


def declared_by_header_type(description):
    """The fields that the parser reports of events of some header types, as in declared(), by the number of the type. For
    all others, those of `event` count."""
    return {number_text.key(header_type): _fields(names)
            for header_type, names in description.get("header_types", {}).items()}


def declared_kinds(description):
    """The kinds of records that the parser reports."""
    kinds = {kind for kind in KINDS if declared(description, kind) is not None}
    return kinds | {"event"} if any(declared_by_header_type(description).values()) else kinds


def declares_nothing(description):
    """Whether the parser declares no record, and does not state that its verdict counts."""
    return not declared_kinds(description) and description.get("verdict") is not True


def unknown_fields(description, known):
    """Declared fields that no vector has. They are probably misspelt, and would never be compared."""
    declarations = [(kind, kind, declared(description, kind)) for kind in description["records"]]
    declarations += [("event", f"header_types.0x{number:02x}", fields)
                     for number, fields in declared_by_header_type(description).items()]
    return sorted(f"{name}.{field}" for kind, name, fields in declarations
                  for field in fields or () if field != ALL and field not in known.get(kind, ()))


def parts_not_compared(description):
    """Why declared parts of events are not compared: a list of reasons."""
    events, reasons = declared(description, "event"), []
    for name, kind in PARTS.items():
        if declared(description, kind) is not None and events is None:
            reasons.append(f"declares \"{kind}\", but no \"event\"")
        if declared(description, kind) is None and events not in (None, ALL) and name in events:
            reasons.append(f"declares event.{name}, but no \"{kind}\"")
    return reasons


class CannotStart(Failure):
    def __init__(self, command, error):
        super().__init__(INPUT, f"{shell_line(command[:1])}: the parser cannot be started: {error.strerror or error}")

# SPDX-License-Identifier: Apache-2.0
"""conformance/show: prints one vector for people, from its expectation, its bytes and the recipe it was built from."""
import base64
import difflib
import json
import os

from . import byte_windows, command, tables
from .failure import PASSED, USAGE, Failure
from .memory_structure import is_structure
from .recipe_block import recipe_block, recipe_path
from .run_options import short_path
from .vectors import GOLDEN, Golden, recipe_of

NAME = "conformance/show"
RECIPES = os.path.join(os.path.dirname(GOLDEN), "recipes")
VALUE_MAX = 60     # characters of a value in the list of records, without --full
NEAREST = 5        # ids to suggest for an unknown one
_LABEL = 10        # width of the column of labels

EPILOG = """\
Exit status: 0 printed, 64 wrong usage or no vector of that id, 66 cannot read, 70 an internal error, 74 cannot write.
conformance/run --list lists the ids of all vectors.
"""


def parse(arguments):
    parser = command.Parser(prog=NAME, epilog=EPILOG, description="Prints one vector: what it shows, the expected records, "
                                                                  "the bytes around its fault, and its recipe.")
    parser.add_argument("id", metavar="ID", help="the vector's id, such as size-compact32-least")
    parser.add_argument("--full", action="store_true", help=f"print values of more than {VALUE_MAX} characters whole")
    parser.add_argument("--context", metavar="N", type=command.positive(int), default=3,
                        help="lines of bytes before and after the fault (default: %(default)s)")
    parser.add_argument("--golden", metavar="DIR", default=short_path(GOLDEN), help="the vectors (default: %(default)s)")
    parser.add_argument("--recipes", metavar="DIR", default=short_path(RECIPES), help="the recipes (default: %(default)s)")
    return parser.parse_args(arguments)


def main(arguments):
    """The exit status."""
    return command.run(NAME, lambda: _run(parse(arguments)))


def _run(options):
    golden = Golden(options.golden)
    try:
        vector = golden.description(options.id)
    except KeyError:
        raise Failure(USAGE, _unknown(options.id, [one["id"] for one in golden.vectors])) from None
    command.print_text(text_of(vector, golden.image(options.id), options))
    return PASSED


def _unknown(identifier, ids):
    """The message for an id that no vector has. Ids that begin like it come first."""
    begin = [one for one in ids if identifier and one.startswith(identifier)]
    close = difflib.get_close_matches(identifier, ids, NEAREST, 0.5)
    nearest = list(dict.fromkeys([*begin, *close]))[:NEAREST]
    hint = f"; the nearest ids are {', '.join(nearest)}" if nearest else "; conformance/run --list lists all ids"
    return f"no vector has the id {identifier}{hint}"


def text_of(vector, image, options):
    """The page about a vector, in paragraphs."""
    facts = tables.load_tables()
    parts = [_head(vector, facts), ["Expected records:", *_records(vector, None if options.full else VALUE_MAX)],
             _bytes(vector, image, facts, options.context), _recipe(vector, options.recipes)]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _head(vector, facts):
    rows = [("rule", f"{vector['rule']} ({vector['level']}): {facts.rules.get(vector['rule'], '')}".rstrip(": ")),
            ("verdict", vector["verdict"]),
            *(("flag", f"{flag}: {reason}") for flag, reason in vector["flags"].items()),
            ("structure", " ".join(vector[name] for name in ("structure", "windows", "arch") if name in vector)),
            ("changed", vector.get("place")), ("offset", _offset(vector)), ("source", vector.get("source")),
            ("file", f"{short_path(vector['path'])}, {vector['size']} bytes")]
    return [f"{vector['id']}: {vector['title']}", "", *(f"{name:{_LABEL}}{value}" for name, value in rows if value)]


def _offset(vector):
    if vector.get("offset") is None:
        return None
    where = " of an inflated buffer" if vector.get("space") == "inflated" else ""
    return f"{int(vector['offset']):#x} ({vector['offset']}){where}"


def _records(vector, most):
    """One line a record: its kind, then its members."""
    for record in vector["expect"]:
        members = [f"{name} {_value(value, most)}" for name, value in record.items() if name != "rec"]
        yield f"  {record['rec']:8}{', '.join(members)}"


def _value(value, most):
    text = value if isinstance(value, str) else json.dumps(value)
    return text if most is None or len(text) <= most else f"{text[:most]}… ({len(text) - most} more)"


def _bytes(vector, image, facts, context):
    annotated = byte_windows.Annotated(vector, image, facts)
    windows = annotated.windows(byte_windows.marks_of(vector, {}, annotated), context)
    if not windows:
        hint = "" if is_structure(vector) else f" The whole file: etlproof map --hex {short_path(vector['path'])}"
        return [f"Bytes: the vector has no fault in a single place.{hint}"]
    lines = []
    for window in windows:
        lines += [f"Bytes of the {window['space']} around the fault:", *_hex_lines(window), "", *_span_lines(window)]
    return lines


def _hex_lines(window):
    """16 bytes a line; `>` marks the line with the first byte of the fault."""
    data, marked = base64.b64decode(window["bytes"]), {mark[1] // byte_windows.LINE for mark in window["marks"]}
    for start in range(0, len(data), byte_windows.LINE):
        line = data[start:start + byte_windows.LINE]
        at = window["at"] + start
        shown = "".join(chr(byte) if 0x20 <= byte < 0x7f else "." for byte in line)
        yield f"{'>' if at // byte_windows.LINE in marked else ' '} {at:06x}  {line.hex(' '):47}  {shown}"


def _span_lines(window):
    """One line a run of bytes of one kind: offset, size, and what it is."""
    at, marked = window["at"], {mark[1]: mark for mark in window["marks"]}
    for size, kind, owner, member, _ in window["spans"]:
        mark = marked.get(at)
        value = f" = {mark[4]}" if mark and mark[4] else ""
        yield f"{'>' if mark else ' '} {at:06x}  {size:5}  {' · '.join(filter(None, (owner, member or kind)))}{value}"
        at += size


def _recipe(vector, folder):
    path = recipe_path(folder, vector)
    try:
        block = recipe_block(folder, vector)
    except OSError as error:
        recipe, first = recipe_of(vector)
        return [f"Recipe: {recipe}:{first} (cannot read {path}: {error.strerror})"]
    return [f"Recipe {short_path(path)}:", *(f"  {number:4}  {line}" for number, line in block)]

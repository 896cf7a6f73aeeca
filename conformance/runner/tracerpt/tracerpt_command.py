# SPDX-License-Identifier: Apache-2.0
"""The command conformance/compare-tracerpt."""
import hashlib
import json
import os

from .. import atomic_file, command
from ..failure import FAILED, PASSED, read_bytes
from ..progress import Line
from ..run_options import short_path
from .comparison import compare
from .decoded import read_etl, version_of
from .field_values import APART, DIFFERENT, SAME
from .printed import read_xml

NAME = "conformance/compare-tracerpt"
KIND = "etlproof tracerpt comparison"
SHOWN = 10    # events in a list
HERE = os.path.dirname(os.path.abspath(__file__))
EPILOG = """\
On Windows:  tracerpt FILE.etl -of XML -o FILE.xml -lr -y

Exit status: 0 the two agree, 1 they differ, 64 wrong usage, 66 cannot read or run, 70 an internal error, 74 cannot write.
"""


def main(arguments):
    return command.run(NAME, lambda: _body(arguments))


def _default_etlproof():
    built = os.path.join(HERE, "..", "..", "..", "build", "release", "bin", "etlproof")
    return short_path(built) if os.path.exists(built) else "etlproof"


def _body(arguments):
    parser = command.Parser(prog=NAME, epilog=EPILOG, description="Compares etlproof with what tracerpt printed of a file.")
    parser.add_argument("etl", metavar="FILE.etl")
    parser.add_argument("xml", metavar="FILE.xml", help="what tracerpt printed of it")
    parser.add_argument("-o", "--output", metavar="RESULT.json", help="write the result for conformance/site too")
    parser.add_argument("--etlproof", metavar="CMD", default=_default_etlproof(), help="default: %(default)s")
    options = parser.parse_args(arguments)
    ours, (events, messages) = _read(options)
    found = compare(ours.events, events)
    if options.output:
        atomic_file.write_text(options.output, _json(options, ours, messages, found))
    command.print_text(_text(ours, messages, found))
    return PASSED if found.agree else FAILED


def _read(options):
    line = Line()
    try:
        return read_etl(options.etl, options.etlproof, line), read_xml(options.xml, line)
    finally:
        line.clear()


def _lists(found):
    """(title, texts) of what differs."""
    yield "only of etlproof", found.only_ours
    yield "only of tracerpt", found.only_theirs
    for name, texts in found.differences.items():
        yield f"{name} differs", texts


def _text(ours, messages, found):
    fields = found.fields
    lines = [f"{found.both:,} events in both, {len(found.only_ours):,} only of etlproof, "
             f"{len(found.only_theirs):,} only of tracerpt",
             f"messages and events without a time: {ours.apart:,} of etlproof, {messages:,} of tracerpt",
             f"fields of payloads: {fields[SAME]:,} equal, {fields[DIFFERENT]:,} different, {fields[APART]:,} not compared",
             f"tracerpt's times are {found.zone:+} minutes from UTC"]
    for title, texts in _lists(found):
        if texts:
            lines += ["", f"{title}: {len(texts):,}", *(f"  {text}" for text in texts[:SHOWN])]
            lines += [f"  and {len(texts) - SHOWN:,} more"] * (len(texts) > SHOWN)
    return "\n".join(lines) + "\n"


def _json(options, ours, messages, found):
    """RESULT.json, as schema/tracerpt.schema.json describes it."""
    image = read_bytes(options.etl)
    data = {"kind": KIND, "version": 1, "file": os.path.basename(options.etl), "bytes": len(image),
            "sha256": hashlib.sha256(image).hexdigest(), "windows": ours.windows, "etlproof": version_of(options.etlproof),
            "agree": found.agree, "events": found.both, "messages": {"etlproof": ours.apart, "tracerpt": messages},
            "fields": {name: found.fields[name] for name in (SAME, DIFFERENT, APART)},
            "differences": [{"title": title, "count": len(texts), "first": texts[:SHOWN]}
                            for title, texts in _lists(found) if texts]}
    return json.dumps(data, indent=1) + "\n"

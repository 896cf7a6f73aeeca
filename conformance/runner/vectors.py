# SPDX-License-Identifier: Apache-2.0
"""The golden vectors: reads golden/ and checks it against its manifest, and selects the vectors that a run is about.

golden/GROUP/RECIPE.jsonl is built from recipes/GROUP/RECIPE.recipe and holds the expected decode of each of its vectors,
one line a vector. The files themselves are golden/GROUP/ID.etl or, for a structure in memory, ID.bin. MANIFEST.tsv has the
SHA-256 of each of these files.
"""
import fnmatch
import hashlib
import json
import os

from .failure import INPUT, USAGE, Failure, read_bytes
from .memory_structure import is_structure
from .parser_under_test import PARTS

# The project's own vectors, and the name of the manifest in every such folder.
GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
MANIFEST = "MANIFEST.tsv"
MANIFEST_COLUMNS = ("file", "sha256")
LINES = ".jsonl"
FILTER_KEYS = ("id", "rule", "group", "level", "verdict", "flag", "metadata")
_NESTED = frozenset((dict, list))
_MEMBERS = ("id", "title", "group", "rule", "level", "verdict", "expect")


class Golden:
    """All vectors in the order of MANIFEST.tsv: dictionaries of their JSON, with `path`, the .etl or .bin file, added."""

    def __init__(self, folder):
        self.folder = folder
        data = read_bytes(os.path.join(folder, MANIFEST))
        self.manifest_sha256 = hashlib.sha256(data).hexdigest()
        self.hashes = {}
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            self._add_row(number, line)
        self._by_id = {}
        for name in self.hashes:
            if name.endswith(LINES):
                self._add_lines(name)
        order = {name: number for number, name in enumerate(self.hashes)}
        self.vectors = sorted(self._by_id.values(), key=lambda vector: order[manifest_name(vector)])
        self.flags = sorted({flag for vector in self.vectors for flag in vector["flags"]})
        self.fields = self._fields()

    def _add_row(self, number, line):
        cells = line.split("\t")
        if not line or line.startswith("#") or cells[0] == MANIFEST_COLUMNS[0]:
            return
        if len(cells) != len(MANIFEST_COLUMNS):
            where = os.path.join(self.folder, MANIFEST)
            raise Failure(INPUT, f"{where}:{number}: {len(MANIFEST_COLUMNS)} columns expected "
                                 f"({', '.join(MANIFEST_COLUMNS)}), found {len(cells)}")
        self.hashes[cells[0]] = cells[1]

    def _add_lines(self, name):
        """The vectors of one .jsonl file."""
        path = os.path.join(self.folder, *name.split("/"))
        data = read_bytes(path)
        _check_hash(path, data, self.hashes[name])
        for number, vector in read_lines(path, data):
            where = f"{path}:{number}"
            if vector["group"] != name.partition("/")[0]:
                raise Failure(INPUT, f"{where}: a vector of group {vector['group']} in the folder of another group")
            if vector["id"] in self._by_id:
                raise Failure(INPUT, f"{where}: two vectors have the id {vector['id']}")
            if manifest_name(vector) not in self.hashes:
                raise Failure(INPUT, f"{where}: {manifest_name(vector)} is not in {MANIFEST}")
            self._by_id[vector["id"]] = vector

    def _fields(self):
        """The fields that the records of any vector have, by kind of record: all that can be compared. The fields of an
        object in a record are listed under its path, such as "event.logfile.time_zone"."""
        fields = {kind: set() for kind in PARTS.values()}
        for vector in self.vectors:
            for record in vector["expect"]:
                _add_fields(fields, record["rec"], record)
        for names in fields.values():
            names.difference_update(("rec", "recovery"))
        return fields

    @property
    def traces(self):
        """The vectors that are traces; the others are structures in memory."""
        return [vector for vector in self.vectors if not is_structure(vector)]

    def description(self, identifier):
        """The JSON of a vector. Raises KeyError if there is none of that id."""
        return self._by_id[identifier]

    def image(self, identifier):
        """The bytes of a vector."""
        return read_bytes(self._by_id[identifier]["path"])

    def check_files(self, vectors):
        """Raises Failure if a vector's file is not the file that was built: the parser would be blamed for the change."""
        for vector in vectors:
            _check_hash(vector["path"], read_bytes(vector["path"]), self.hashes[manifest_name(vector)])


def read_lines(path, data=None):
    """(line number, vector) for each line of a .jsonl file of expectations; vectors have their `path`. `data`: the bytes of
    the file, if they were read before."""
    vectors = []
    for number, line in enumerate((read_bytes(path) if data is None else data).split(b"\n"), 1):
        if not line:
            continue
        try:
            vector = json.loads(line)
            vector.setdefault("flags", {})
            missing = [member for member in _MEMBERS if member not in vector]
            if missing:
                raise ValueError(f"has no \"{missing[0]}\"")
            vector["path"] = os.path.join(os.path.dirname(path), vector["id"] + ending(vector))
        except (ValueError, TypeError, AttributeError) as error:
            raise Failure(INPUT, f"{path}:{number}: not a vector: {error}") from error
        vectors.append((number, vector))
    return vectors


def read_folder(folder):
    """All vectors below a folder, without a look at its manifest."""
    return [vector for path in find_lines(folder) for _, vector in read_lines(path)]


def find_lines(folder):
    """Paths of the .jsonl files of a folder of vectors, FOLDER/GROUP/RECIPE.jsonl, in order."""
    return sorted(os.path.join(root, name) for root, _, names in os.walk(folder) for name in names if name.endswith(LINES))


def ending(vector):
    """The ending of the vector's file name: a structure in memory is no trace."""
    return ".bin" if is_structure(vector) else ".etl"


def manifest_name(vector):
    """The vector's file as MANIFEST.tsv names it."""
    return f"{vector['group']}/{vector['id']}{ending(vector)}"


def recipe_of(vector):
    """(recipe, line): where the vector was written, as a path below recipes/ and a line number."""
    recipe, _, line = vector.get("recipe", "").rpartition(":")
    return recipe, int(line) if line.isdecimal() else 0


def _add_fields(fields, path, value):
    """Adds the members of an object, or of the objects in an array. Most members are neither; the check before the call
    matters, for there are more than a million."""
    if type(value) is list:
        for element in value:
            if type(element) in _NESTED:
                _add_fields(fields, path, element)
        return
    fields.setdefault(path, set()).update(value)
    for name, member in value.items():
        if type(member) in _NESTED:
            is_part = path == "event" and name in PARTS
            _add_fields(fields, PARTS[name] if is_part else f"{path}.{name}", member)


def _check_hash(path, data, expected):
    actual = hashlib.sha256(data).hexdigest()
    if actual != expected:
        raise Failure(INPUT, f"{path}: not the file that was built: sha256 {expected[:16]}... expected by {MANIFEST}, "
                             f"found {actual[:16]}... (were line ends changed?)")


def parse_filters(expressions):
    """(globs by key, globs by key of vectors that are left out)."""
    wanted, unwanted = {}, {}
    for expression in expressions:
        key, equals, value = expression.partition("=")
        if not equals:
            key, value = "id", expression
        filters = unwanted if key.endswith("!") else wanted
        key = key.removesuffix("!")
        if key not in FILTER_KEYS:
            raise Failure(USAGE, f"--filter {expression}: one of {', '.join(FILTER_KEYS)} expected before =, "
                                 f"found \"{key}\"")
        filters.setdefault(key, []).append(value)
    return wanted, unwanted


def _values(vector, key):
    if key == "flag":
        return list(vector["flags"])
    return [vector[key]] if key in vector else []


def _has(vector, key, globs):
    return any(fnmatch.fnmatchcase(value, glob) for value in _values(vector, key) for glob in globs)


def _matches(vector, wanted, unwanted):
    return (all(_has(vector, key, globs) for key, globs in wanted.items()) and
            not any(_has(vector, key, globs) for key, globs in unwanted.items()))


def choose(golden, expressions, level):
    """The vectors that match all filters. Raises Failure if there are none."""
    wanted, unwanted = parse_filters(expressions)
    for key, globs in [*wanted.items(), *unwanted.items()]:
        known = sorted({value for vector in golden.vectors for value in _values(vector, key)})
        for glob in globs:
            if not fnmatch.filter(known, glob):
                hint = "" if key == "id" else f"; there are {', '.join(known) or 'none'}"
                raise Failure(USAGE, f"--filter: no vector has {key}={glob}{hint}")
    chosen = [vector for vector in golden.vectors
              if (level == "should" or vector["level"] == "must") and _matches(vector, wanted, unwanted)]
    if not chosen:
        raise Failure(USAGE, "no vector matches --filter and --level")
    return chosen


def list_text(vectors):
    """The text that --list prints: one vector a line, columns separated by tabs."""
    columns = ("id", "group", "rule", "level", "verdict", "title")
    return "".join("\t".join(vector[column] for column in columns) + "\n" for vector in vectors)

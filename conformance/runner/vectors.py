# SPDX-License-Identifier: Apache-2.0
"""The golden vectors: loading them, checking that they are whole, and choosing among them."""
import fnmatch
import hashlib
import json
import os

from .failure import INPUT, USAGE, Failure, read_bytes
from .structures import is_structure

# Those of the project, and the list of them, which each folder of vectors has.
GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")
MANIFEST = "MANIFEST.tsv"
FILTER_KEYS = ("id", "rule", "group", "level", "verdict", "flag")


class Golden:
    """All vectors in the order of MANIFEST.tsv, as dictionaries of their JSON with `path`, the .etl or .bin, added."""

    def __init__(self, folder):
        self.folder = folder
        data = read_bytes(os.path.join(folder, MANIFEST))
        self.manifest_sha256 = hashlib.sha256(data).hexdigest()
        self.rows = {}
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            self._add_row(number, line)
        self.vectors = [self._load(identifier) for identifier in self.rows]
        self._by_id = {vector["id"]: vector for vector in self.vectors}
        self.flags = sorted({flag for vector in self.vectors for flag in vector["flags"]})
        self.fields = self._fields()

    def _add_row(self, number, line):
        if not line or line.startswith("#"):
            return
        cells = line.split("\t")
        if cells[0] == "id":
            return
        if len(cells) != 5:
            where = os.path.join(self.folder, MANIFEST)
            raise Failure(INPUT, f"{where}:{number}: 5 columns expected (id, group, size, two hashes), "
                                 f"found {len(cells)}")
        self.rows[cells[0]] = cells[1:]

    def _load(self, identifier):
        group = self.rows[identifier][0]
        path = os.path.join(self.folder, group, identifier)
        data = read_bytes(path + ".json")
        _check_hash(path + ".json", data, self.rows[identifier][3])
        try:
            vector = json.loads(data)
            vector.setdefault("flags", {})
            if vector["id"] != identifier or vector["group"] != group:
                raise ValueError(f"is of vector {vector['group']}/{vector['id']}")
            for key in ("title", "rule", "level", "verdict", "expect"):
                if key not in vector:
                    raise ValueError(f"has no \"{key}\"")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Failure(INPUT, f"{path}.json: not a vector: {error}") from error
        vector["path"] = path + ending(vector)
        return vector

    def _fields(self):
        """Every field that a record of some vector has, by kind of record: what there is to compare. Those of an object in
        a record are under the path that leads to it: "event.logfile.time_zone"."""
        fields = {"item": set()}
        for vector in self.vectors:
            for record in vector["expect"]:
                _add_fields(fields, record["rec"], record)
        for names in fields.values():
            names.difference_update(("rec", "recovery"))
        return fields

    @property
    def traces(self):
        """Those that are a trace, and no structure in memory."""
        return [vector for vector in self.vectors if not is_structure(vector)]

    def description(self, identifier):
        """The JSON of a vector."""
        return self._by_id[identifier]

    def image(self, identifier):
        """The bytes of a vector."""
        return read_bytes(self._by_id[identifier]["path"])

    def check_files(self, vectors):
        """A file that is not the one that was built would put the blame on the parser."""
        for vector in vectors:
            _check_hash(vector["path"], read_bytes(vector["path"]), self.rows[vector["id"]][2])


def ending(vector):
    """Of a vector's file: a structure in memory is no trace."""
    return ".bin" if is_structure(vector) else ".etl"


def _add_fields(fields, path, value):
    """Of an object or an array. Most members are neither, and are not worth a call: there are more than a million."""
    if isinstance(value, list):
        for element in value:
            if isinstance(element, (dict, list)):
                _add_fields(fields, path, element)
        return
    fields.setdefault(path, set()).update(value)
    for name, member in value.items():
        if isinstance(member, (dict, list)):
            _add_fields(fields, "item" if name == "items" else f"{path}.{name}", member)


def _check_hash(path, data, expected):
    actual = hashlib.sha256(data).hexdigest()
    if actual != expected:
        raise Failure(INPUT, f"{path}: not the file that was built: sha256 {expected[:16]}... expected by {MANIFEST}, "
                             f"found {actual[:16]}... (were line ends changed?)")


def parse_filters(expressions):
    """Globs by key."""
    filters = {}
    for expression in expressions:
        key, equals, value = expression.partition("=")
        if not equals:
            key, value = "id", expression
        if key not in FILTER_KEYS:
            raise Failure(USAGE, f"--filter {expression}: one of {', '.join(FILTER_KEYS)} expected before =, "
                                 f"found \"{key}\"")
        filters.setdefault(key, []).append(value)
    return filters


def _values(vector, key):
    return list(vector["flags"]) if key == "flag" else [vector[key]]


def _matches(vector, filters):
    return all(any(fnmatch.fnmatchcase(value, glob) for value in _values(vector, key) for glob in globs)
               for key, globs in filters.items())


def choose(golden, expressions, level):
    """The vectors that all filters let through; it is an error if there are none."""
    filters = parse_filters(expressions)
    for key, globs in filters.items():
        known = sorted({value for vector in golden.vectors for value in _values(vector, key)})
        for glob in globs:
            if not fnmatch.filter(known, glob):
                hint = "" if key == "id" else f"; there are {', '.join(known) or 'none'}"
                raise Failure(USAGE, f"--filter: no vector has {key}={glob}{hint}")
    chosen = [vector for vector in golden.vectors
              if (level == "should" or vector["level"] == "must") and _matches(vector, filters)]
    if not chosen:
        raise Failure(USAGE, "no vector is left by --filter and --level")
    return chosen


def list_text(vectors):
    """For --list: one vector a line, columns parted by tabs."""
    columns = ("id", "group", "rule", "level", "verdict", "title")
    return "".join("\t".join(vector[column] for column in columns) + "\n" for vector in vectors)

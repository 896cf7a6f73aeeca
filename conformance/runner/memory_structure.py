# SPDX-License-Identifier: Apache-2.0
"""Structures in memory: compares the members that a parser reports with those of the vector.

A parser prints one record a member, as vectors have them, or one object with all members, as `etlproof layout` does.
Compared are the leaves of both: members, elements and parts that hold a value, by their path, "EnableInfo[2].Level".
"""
from .number_text import same
from .parser_under_test import ALL

_CASES = ("parts", "elements")
_DEPTH = 3  # a part of an element of a member


def is_structure(vector):
    """Whether the vector is a structure in memory; otherwise it is a trace."""
    return "structure" in vector


def records_of(records):
    """The parser's records; an object with `members` and `findings` is split into records."""
    found = []
    for record in records:
        members = record.get("members")
        if "rec" in record or not isinstance(members, list):
            found.append(record)
            continue
        found += [{**member, "rec": "member"} for member in members if isinstance(member, dict) and _is_read(member)]
        findings = record.get("findings")
        if isinstance(findings, list):
            found += [{**finding, "rec": "finding"} for finding in findings if isinstance(finding, dict)]
    return found


def _is_read(member):
    """Whether a member is compared: not padding, and not one of the alternatives where sources disagree."""
    return member.get("taken", True) and not member.get("padding", False)


def leaves(records):
    """(path, leaf) for each member that holds a value."""
    found = []
    for record in records:
        if record.get("rec") == "member":
            _add_leaves(record, str(record.get("name")), found, _DEPTH)
    return found


def _add_leaves(member, path, found, depth):
    if depth == 0:
        return
    if member.keys().isdisjoint(_CASES):
        found.append((path, member))
        return
    inner = [(case, part) for case in _CASES if isinstance(member.get(case), list) for part in member[case]
             if isinstance(part, dict)]
    for number, (case, part) in enumerate(inner):
        name = f"{path}[{number}]" if case == "elements" else f"{path}.{part.get('name')}"
        _add_leaves(part, name, found, depth - 1)
    if not inner:
        found.append((path, member))


def _bits(value):
    """The bit fields by name; the value of a field that is only named is None."""
    if not isinstance(value, list):
        return value
    runs = [bit if isinstance(bit, dict) else {"name": bit} for bit in value]
    return {str(run.get("name")): run.get("value") for run in runs}


def _differ_bits(expected, actual):
    """Whether lists of bit fields differ. A value is not compared if the parser only names the field."""
    ours, theirs = _bits(expected), _bits(actual)
    if not isinstance(theirs, dict) or ours.keys() != theirs.keys():
        return True
    return any(value is not None and value != ours[name] for name, value in theirs.items())


def _spelt_alike(expected, actual):
    """The actual members under the names of the vector, since some members have two names."""
    names = {record["other_name"]: record["name"] for record in expected if "other_name" in record}
    if not names:
        return actual
    return [{**record, "name": names.get(str(record.get("name")), record.get("name"))} for record in actual]


def compare(expected, actual, fields, result):
    """Adds the differences in declared fields to `result`. A parser may report more members, and more about each."""
    places = {}
    for path, leaf in leaves(_spelt_alike(expected, actual)):
        places.setdefault(path, []).append(leaf)
    for path, leaf in leaves(expected):
        result.compared = True
        others = places.get(path)
        if not others:
            result.add(leaf, "member", None, {"name": path, **leaf}, None)
            continue
        other = next((one for one in others if same(leaf["offset"], one.get("offset"))), others[0])
        _compare_leaf(path, leaf, other, fields, result)


def _compare_leaf(path, leaf, other, fields, result):
    names = (name for name in leaf.keys() | ({"value"} & other.keys()) if leaf.get(name) != other.get(name))
    for name in sorted(names):
        ours, theirs = leaf.get(name), other.get(name)
        if name in ("rec", "name", "other_name") or not (fields is ALL or name in fields):
            continue
        if name == "value" and ours is None and "missing" not in leaf:
            continue  # the vector has no single number here, so the parser's value is not compared
        differs = _differ_bits(ours, theirs) if name == "bits" else not same(ours, theirs)
        if differs:
            result.add(leaf, "member", f"{path}.{name}", ours, theirs)

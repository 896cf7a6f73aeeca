# SPDX-License-Identifier: Apache-2.0
"""The text output of triage: the verdict first, then each bucket in a few lines."""

from etlproof.pages.wording import answer_text, member_name


def count(number, noun):
    return f"{number} {noun}" + ("" if number == 1 else "s")


def verdict(buckets, files, notes=()):
    """The verdict in one sentence."""
    failing = [bucket for bucket in buckets if bucket["status"] != "fixed"]
    fixed = len(buckets) - len(failing)
    inputs = {entry["sha256"] for bucket in failing for entry in bucket["inputs"]}
    if not failing:
        text = f"none of {count(files, 'file')} fails" + (" any more" if fixed else "")
    else:
        new = sum(bucket["status"] == "new" for bucket in failing)
        back = sum(bucket["status"] == "regressed" for bucket in failing)
        back = f", {back} fixed before and back" if back else ""
        text = (f"{count(len(failing), 'bucket')}, {new} of them new{back}: {len(inputs)} of {count(files, 'file')} "
                f"{'fails' if len(inputs) == 1 else 'fail'}")
    return "\n".join([text + (f"; {count(fixed, 'bucket')} fixed" if fixed else ""), *notes])


_ORDER = {"high": 0, "medium": 1, "low": 2}


def report(buckets):
    """The buckets, the worst first."""
    shown = sorted(buckets, key=lambda bucket: (bucket["status"] == "fixed", _ORDER[bucket["severity"]["level"]],
                                                bucket["id"]))
    return "\n\n".join(_bucket(bucket) for bucket in shown)


def _bucket(bucket):
    lines = [f"{bucket['severity']['level']}: {bucket['title']}  [{bucket['status']}]", f"    {bucket['id']}"]
    if bucket["status"] == "fixed":
        return "\n".join(lines)
    lines.append(f"    {bucket['severity']['why']}")
    if answer := answer_text(bucket):
        lines.append(f"    {answer}")
    if bucket["frame"] and bucket["frame"]["file"]:
        line = f":{bucket['frame']['line']}" if bucket["frame"]["line"] else ""
        lines.append(f"    at {bucket['frame']['file']}{line}")
    lines += [f"    {text}" for text in _explained(bucket["explain"])]
    flaky = " FLAKY:" if bucket["flaky"] else ""
    lines.append(f"    {bucket['target'] or bucket['parser']}:{flaky} {bucket['failed']} of {count(bucket['runs'], 'run')} "
                 f"failed, {count(len(bucket['inputs']), 'input')}")
    lines += [f"    {text}" for text in _inputs(bucket)]
    lines += [f"    {name}: {bucket['commands'][name]}" for name in ("reproduce", "debug") if bucket["commands"][name]]
    return "\n".join(lines + [f"    {text}" for text in _by_hand(bucket)])


def _explained(explain):
    if not explain or explain["offset"] is None:
        return
    rule = f" against {explain['rule']}" if explain["rule"] else ""
    inflated = " of the inflated buffer" if explain["space"] == "inflated" else ""
    yield f"the input: {member_name(explain) or 'the place'} at 0x{explain['offset']:x}{inflated}{rule}"
    yield f"    since {explain['why']}"
    yield f"a vector of it: {explain['vector']}" if explain["vector"] else f"no vector of it: {explain['vector_note']}"


def _inputs(bucket):
    first = bucket["inputs"][0]
    yield f"{first['path']} ({first['size']} bytes)"
    if bucket["smallest"] and bucket["smallest"]["size"] < bucket["smallest"]["from"]:
        smallest = bucket["smallest"]
        yield f"{smallest['path']} ({smallest['size']} bytes, minimised from {smallest['from']})"


def _by_hand(bucket):
    if bucket["merged"]:
        yield "by hand: with " + ", ".join(bucket["merged"])
    if bucket["split_from"]:
        yield f"by hand: split from {bucket['split_from']}"

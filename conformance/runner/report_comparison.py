# SPDX-License-Identifier: Apache-2.0
"""conformance/run --compare: what changed between two reports."""
from . import columns, report_jsonl
from .failure import FAILED, PASSED
from .report_text import parser_name
from .columns import FAILURES


def compare(old_path, new_path):
    """(text, exit code): 1 if anything got worse, or is not known yet because the new run was cut short."""
    old, new = report_jsonl.load(old_path), report_jsonl.load(new_path)
    before = {result["id"]: result for result in old.results}
    after = {result["id"]: result for result in new.results}
    changes = {"worse": [], "better": [], "changed": [], "new": [], "gone": []}
    for identifier, result in after.items():
        kind = kind_of_change(before.get(identifier), result)
        if kind:
            changes[kind].append(_line(before.get(identifier), result))
    changes["gone"] = [f"{identifier}: was {result['verdict']}" for identifier, result in before.items()
                       if identifier not in after]
    return _text(old, new, changes), FAILED if changes["worse"] or new.summary is None else PASSED


def kind_of_change(before, after):
    """How a result differs from the one before: "worse", "better", "changed", "new", or None if equal. `before` is None
    if the old report lacks the vector."""
    verdict = after["verdict"]
    if before is None:
        return "worse" if verdict in FAILURES else "new"
    was = before["verdict"]
    if was == verdict:
        return "changed" if columns.compared(before) != columns.compared(after) else None
    # A vector that passed and is now skipped or unsupported got worse too.
    if was == "pass" or (verdict in FAILURES and was not in FAILURES):
        return "worse"
    return "better" if verdict == "pass" else "changed"


def _line(before, after):
    was = before["verdict"] if before else "absent"
    detail = f": {after['detail']}" if after["detail"] else ""
    return f"{after['id']}: {was} -> {after['verdict']}{detail}"


def _text(old, new, changes):
    lines = [f"{parser_name(old.run)} ({old.run['started']}) -> {parser_name(new.run)} ({new.run['started']}): "
             + ", ".join(f"{len(rows)} {kind}" for kind, rows in changes.items())]
    for side, name in ((old, "old"), (new, "new")):
        if side.summary is None:
            lines.append(f"the {name} report was cut short")
    if old.run.get("manifest_sha256") != new.run.get("manifest_sha256"):
        lines.append("the two runs had different vectors")
    for kind, rows in changes.items():
        if rows:
            lines += ["", f"{kind}:", *(f"  {row}" for row in rows)]
    return "\n".join(lines) + "\n"

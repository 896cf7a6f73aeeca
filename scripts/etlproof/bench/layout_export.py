# SPDX-License-Identifier: Apache-2.0
"""Reads the layouts that `etlproof layout --export json` prints."""
import json
import subprocess


class Layout:
    """A structure of one version and architecture, without padding and without members that no reader uses."""

    def __init__(self, row):
        self.structure, self.windows, self.arch = row["structure"], row["windows"], row["arch"]
        self.size = row["size"]
        self.members = [member for member in row["members"] if member["taken"] and not member.get("padding")]
        self.pointer = 4 if self.arch == "x86" else 8
        self.kernel = self.structure != "ETW_UM_LOGGER_CONTEXT"

    def __str__(self):
        return f"{self.structure} {self.windows} {self.arch}"

    def shape(self):
        """What bytes can show of a layout: layouts of equal shape cannot be distinguished by bytes alone."""
        return self.structure, self.arch, self.size, self.members_read()

    def members_read(self):
        return frozenset((m["name"], m["kind"], m["offset"], m["size"], m["count"]) for m in self.members)


def read(tool):
    """All layouts, oldest version first, but those of ARM64: bytes cannot tell them from those of x64."""
    done = subprocess.run([tool, "layout", "--export", "json"], capture_output=True, check=True)
    return [Layout(row) for row in json.loads(done.stdout)["layouts"] if row["arch"] != "arm64"]

# SPDX-License-Identifier: Apache-2.0
"""The decoders that are mutated: of traces, of payloads, and of structures in memory. Each has its sources, tables and
vectors."""
import dataclasses
import os

from runner.memory_structure import is_structure

_DECODER = "decoder"
_CHECKED = "etl_memory_layout layout, etl_span structure, uint64_t offset, etl_findings *findings"
RULES = os.path.join(_DECODER, "format", "rules.def")


@dataclasses.dataclass(frozen=True)
class World:
    """`left_out` are sources and tables that are not mutated. `layers` are those of its rules; none: all that no other
    world has. The reader in the file `reader` returns findings from its function `outlet`: that is renamed to `inner`, and
    `filter` replaces it. `memory`: its vectors are structures in memory."""
    sources: str
    tables: str
    left_out: frozenset
    layers: frozenset
    reader: str
    outlet: str
    inner: str
    filter: str
    memory: bool

    def tells(self, vector):
        """Whether a vector belongs to this world."""
        return is_structure(vector) == self.memory

    def has(self, path):
        return os.path.dirname(path) in (self.sources, self.tables)


TRACES = World(
    os.path.join(_DECODER, "src"), os.path.join(_DECODER, "format"),
    frozenset({"format.c"}),  # names and texts, generated from the tables
    frozenset(),
    "reader.c", "etl_outcome etl_reader_next(etl_reader *r)", "static etl_outcome read_next(etl_reader *r)", """
etl_outcome etl_reader_next(etl_reader *r)
{
    etl_outcome outcome = read_next(r);
    leave_out(&r->findings);
    return outcome;
}
""", False)

_NEXT = "(etl_payload *payload, const etl_event *event, etl_findings *findings)"
PAYLOADS = World(
    os.path.join(_DECODER, "payload"), os.path.join(_DECODER, "format", "payload"),
    frozenset({"out_types.def"}),  # how the command shows values
    frozenset({"PAYLOAD"}),
    "payload.c", f"etl_payload_step etl_payload_next{_NEXT}", f"static etl_payload_step next_step{_NEXT}", f"""
etl_payload_step etl_payload_next{_NEXT}
{{
    const etl_payload_step step = next_step(payload, event, findings);
    leave_out(findings);
    return step;
}}
""", False)

# Not mutated: the ranking of guesses, which no vector tests, and the parsing of version names: vectors use the
# names of the tables.
STRUCTURES = World(
    os.path.join(_DECODER, "memory"), os.path.join(_DECODER, "format", "layouts"),
    frozenset({"clues.c", "guess_plan.c", "probes.h", "clues.def", "windows.c"}), frozenset({"MEMORY"}),
    "check.c", f"void etl_memory_check({_CHECKED})", f"static void check_all({_CHECKED})", f"""
void etl_memory_check({_CHECKED})
{{
    check_all(layout, structure, offset, findings);
    leave_out(findings);
}}
""", True)

WORLDS = (TRACES, PAYLOADS, STRUCTURES)


def world_of_layer(layer):
    """The world whose reader reports the rules of a layer."""
    return next((world for world in WORLDS if layer in world.layers), TRACES)


def world_of(path):
    """The world of a source or table."""
    return next(world for world in WORLDS if world.has(path))

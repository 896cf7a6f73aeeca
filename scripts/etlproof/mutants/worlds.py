# SPDX-License-Identifier: Apache-2.0
"""The decoders that are mutated: of traces, of payloads, and of structures in memory. Each has its sources, tables and
vectors."""
import dataclasses
import os

from runner.memory_structure import is_structure

_DECODER = "decoder"
_CHECKED = "etl_memory_layout layout, etl_span structure, uint64_t offset, etl_findings *findings"
RULES = os.path.join(_DECODER, "format", "rules.def")
COMMAND_GROUP = "WRITER"  # the group of rules that no decoder reports, only validate --profile writer


@dataclasses.dataclass(frozen=True)
class Outlet:
    """A function of the file `reader` that returns findings: it is renamed to `inner`, and `filter` replaces it. `rules`
    are those of its findings; none: all that no other outlet has."""
    reader: str
    outlet: str
    inner: str
    filter: str
    rules: frozenset = frozenset()


@dataclasses.dataclass(frozen=True)
class World:
    """`left_out` are sources and tables that are not mutated. `layers` are those of its rules; none: all that no other
    world has. `elsewhere` are rules of these layers that other code reports. `memory`: its vectors are structures in
    memory."""
    sources: str
    tables: str
    left_out: frozenset
    layers: frozenset
    outlets: tuple
    memory: bool
    elsewhere: frozenset = frozenset()

    def outlet_of(self, rule):
        """The outlet of a rule's findings; None if they have none here."""
        if rule in self.elsewhere:
            return None
        return next((outlet for outlet in self.outlets if rule in outlet.rules),
                    next(outlet for outlet in self.outlets if not outlet.rules))

    def tells(self, vector):
        """Whether a vector belongs to this world."""
        return is_structure(vector) == self.memory

    def has(self, path):
        return os.path.dirname(path) in (self.sources, self.tables)


TRACES = World(
    os.path.join(_DECODER, "src"), os.path.join(_DECODER, "format"),
    frozenset({"format.c"}),  # names and texts, generated from the tables
    frozenset(), (Outlet(
        "reader.c", "etl_outcome etl_reader_next(etl_reader *r)", "static etl_outcome read_next(etl_reader *r)", """
etl_outcome etl_reader_next(etl_reader *r)
{
    etl_outcome outcome = read_next(r);
    leave_out(&r->findings);
    return outcome;
}
"""),), False)

_NEXT = "(etl_payload *payload, const etl_event *event, etl_findings *findings)"
_TAKE = "(etl_schemas *schemas, const etl_event *event, etl_findings *findings)"
PAYLOADS = World(
    os.path.join(_DECODER, "payload"), os.path.join(_DECODER, "format", "payload"),
    frozenset({"out_types.def", "classic_events.def"}),  # how the command shows values; rows that real files test
    frozenset({"PAYLOAD"}), (Outlet(
        "payload.c", f"etl_payload_step etl_payload_next{_NEXT}", f"static etl_payload_step next_step{_NEXT}", f"""
etl_payload_step etl_payload_next{_NEXT}
{{
    const etl_payload_step step = next_step(payload, event, findings);
    leave_out(findings);
    return step;
}}
"""), Outlet(
        "schemas.c", f"bool etl_schemas_take{_TAKE}", f"static bool take_schema{_TAKE}", f"""
bool etl_schemas_take{_TAKE}
{{
    const bool taken = take_schema(schemas, event, findings);
    leave_out(findings);
    return taken;
}}
""", frozenset({"MET-007", "MET-008", "MET-009", "MET-010", "MET-011", "MET-012"}))), False,
    frozenset({"MET-013", "MET-014"}))  # of manifests, which the command reads

# Not mutated: the ranking of guesses, which no vector tests, and the parsing of version names: vectors use the
# names of the tables.
STRUCTURES = World(
    os.path.join(_DECODER, "memory"), os.path.join(_DECODER, "format", "layouts"),
    frozenset({"clues.c", "guess_plan.c", "probes.c", "probes.h", "clues.def", "windows.c"}), frozenset({"MEMORY"}),
    (Outlet("check.c", f"void etl_memory_check({_CHECKED})", f"static void check_all({_CHECKED})", f"""
void etl_memory_check({_CHECKED})
{{
    check_all(layout, structure, offset, findings);
    leave_out(findings);
}}
"""),), True)

WORLDS = (TRACES, PAYLOADS, STRUCTURES)


def world_of_layer(layer):
    """The world whose reader reports the rules of a layer."""
    return next((world for world in WORLDS if layer in world.layers), TRACES)


def world_of(path):
    """The world of a source or table."""
    return next(world for world in WORLDS if world.has(path))

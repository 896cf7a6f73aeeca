# SPDX-License-Identifier: Apache-2.0
"""Adapter of airbus-cert etl-parser and its fork etl-parser-ng; README.md explains what it declares."""
import json
from math import isfinite

import protocol
from protocol import hexadecimal, record, utc

etl = protocol.import_parser("ETL_PARSER_DIR", "etl.etl", "airbus-cert etl-parser")
import construct  # noqa: E402  (a dependency of etl-parser)
from etl import utils  # noqa: E402
from etl.error import EtlException  # noqa: E402
from etl.parsers.tracelogging import TagIn  # noqa: E402

# The fork etl-parser-ng has one name more, and another for the members of a GUID.
FORK = hasattr(utils, "FileTime")

DESCRIPTION = {
    "name": "etl-parser-ng" if FORK else "etl-parser",
    "version": protocol.version_of("etl-parser", etl),
    "language": "Python",
    "url": "https://github.com/dfirfpi/etl-parser-ng" if FORK else "https://github.com/airbus-cert/etl-parser",
    "order": "file",
    "records": {
        "trace": ["windows", "pointer_size", "logger_mode", "processors", "buffer_size", "buffers_written",
                  "events_lost", "end_utc"],
        "buffer": ["size", "compressed", "processor", "timestamp", "sequence_number", "state", "type",
                   "saved_offset", "offset_member", "current_offset", "logger_id"],
        "event": ["header_type", "size", "marker", "timestamp", "tid", "pid", "hook", "group", "type",
                  "version", "provider", "id", "channel", "level", "opcode", "task", "keyword", "activity",
                  "items", "message", "options", "data_size", "data", "event_name", "fields"],
        "item": ["type", "data"],
        "field": ["name", "type", "value", "elements"],
    },
    "metadata": ["tracelogging"],
    "partial": False,
    "header_types": {"0x0f": ["header_type", "size", "marker", "tid", "pid", "message", "options", "provider",
                              "data_size", "data"]},
}


def guid(value):
    members = value["_inner" if FORK else "inner"]
    tail = bytes(members.data4).hex()
    return f"{members.data1:08x}-{members.data2:04x}-{members.data3:04x}-{tail[:4]}-{tail[4:]}"


def trace_record(header):
    return record(
        "trace",
        windows=f"{header.Version & 0xFF}.{header.Version >> 8 & 0xFF}.{header.ProviderVersion}",
        pointer_size=header.PointerSize, logger_mode=hexadecimal(header.LogFileMode, 8),
        processors=header.NumberOfProcessors, buffer_size=header.BufferSize,
        buffers_written=header.BuffersWritten, events_lost=header.EventsLost,
        end_utc=utc(header.EndTime) if header.EndTime else None)


def buffer_record(header):
    node = header.wnode
    return record(
        "buffer", size=node.buffer_size, compressed=header.buffer_flag.ETW_BUFFER_FLAG_COMPRESSED,
        processor=node.client_context.processor_index, timestamp=str(node.timestamp),
        sequence_number=str(node.sequence_number), state=node.state, type=int(header.buffer_type),
        saved_offset=node.saved_offset, offset_member=header.offset, current_offset=node.current_offset,
        logger_id=node.client_context.logger_id)


def event_record(marker, size, data, **fields):
    return record("event", header_type=hexadecimal(int(marker.type.enum), 2), size=size,
                  marker=hexadecimal(marker.flags, 2), data_size=len(data), data=data.hex(), **fields)


def spelled(value):
    if isinstance(value, construct.Container):
        if "year" in value:
            return ("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}."
                    "{milliseconds:03}".format(**value))
        return guid(value)
    if isinstance(value, float) and not isfinite(value):
        return json.dumps(value)  # Infinity, -Infinity, NaN
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


TYPES = {tag.value: tag.name for tag in TagIn} | {TagIn.BOOL32.value: "BOOLEAN"}


def payload_field(field, value):
    number, is_array = field.tag_in & 0x1F, field.tag_in & (TagIn.CCOUNT.value | TagIn.VCCOUNT.value)
    if is_array:
        content = {"elements": [{"value": spelled(element)} for element in value]}
    else:
        content = {"value": bytes(value).hex() if number == TagIn.BINARY.value else spelled(value)}
    return {"name": field.name, "type": TYPES.get(number), **content}


def payload_fields(event):
    """The fields of a TraceLogging event; none if the parser gives up on them, by whatever exception."""
    try:
        values = event.parse_tracelogging()
    except Exception:
        return {}
    return {"event_name": values.get_name(),
            "fields": [payload_field(field, values[field.name]) for field in values.scheme.fields]}


def kernel_fields(marker, header):
    group = int(header.group)
    return {"hook": hexadecimal(group << 8 | header.type, 4), "group": group, "type": header.type,
            "version": marker.version}


class Observer(etl.IEtlFileObserver):
    """Turns the events that the parser passes to it into decode records."""

    def __init__(self, emit):
        self.emit = emit

    def on_system_trace(self, obj):
        header = obj.source.system_header
        self.emit(event_record(
            header.marker, header.header.size, obj.source.mof_data, timestamp=str(header.system_time),
            tid=obj.get_thread_id(), pid=obj.get_process_id(),
            **kernel_fields(header.marker, header.header)))

    def on_perfinfo_trace(self, obj):
        source = obj.source
        self.emit(event_record(
            source.marker, source.header.size, source.mof_data, timestamp=str(obj.get_timestamp()),
            **kernel_fields(source.marker, source.header)))

    def on_trace_record(self, event):
        header = event.source.event_header
        self.emit(event_record(
            header.marker, header.marker.version, event.source.user_data, timestamp=str(header.timestamp),
            tid=event.get_thread_id(), pid=event.get_process_id(), provider=guid(header.guid),
            type=header["class"].type, level=header["class"].level, version=header["class"].version))

    def on_event_record(self, event):
        header = event.source.event_header
        descriptor = header.event_descriptor
        items = [{"type": hexadecimal(item.ext_type), "data": item.data_item.hex()}
                 for item in event.source.extended_data or []]
        self.emit(event_record(
            header.marker, header.marker.version, event.source.user_data,
            timestamp=str(event.get_timestamp()), tid=event.get_thread_id(), pid=event.get_process_id(),
            provider=guid(header.provider_id), id=descriptor.Id, version=descriptor.Version,
            channel=descriptor.Channel, level=descriptor.Level, opcode=descriptor.Opcode,
            task=descriptor.Task, keyword=hexadecimal(descriptor.Keyword, 16),
            activity=guid(header.activity_id), items=items, **payload_fields(event)))

    def on_win_trace(self, event):
        header = event.source.event_header
        data = event.source.user_data
        self.emit(record(
            "event", header_type="0x0f", size=header.size, marker=hexadecimal(header.marker >> 8, 2),
            tid=event.get_thread_id(), pid=event.get_process_id(), message=header.event_id,
            options=hexadecimal(header.flags, 4), provider=guid(header.provider_id), data_size=len(data),
            data=data.hex()))


def report(contents, emit):
    """Reports the header buffer too, which the parser does not list with the other chunks."""
    file = etl.build_from_stream(contents)
    emit(trace_record(file.get_header().source))
    observer = Observer(emit)
    for chunk in [etl.EtlChunk.parse(contents), *file.chunks]:
        emit(buffer_record(chunk.header))
        etl.EtlFile(file.get_header(), [chunk]).parse(observer)


def parse(path, emit):
    with open(path, "rb") as file:
        contents = file.read()
    try:
        report(contents, emit)
    except (EtlException, construct.ConstructError) as error:
        raise protocol.Rejected(f"{type(error).__name__}: {error}") from error


if __name__ == "__main__":
    protocol.main(DESCRIPTION, parse)

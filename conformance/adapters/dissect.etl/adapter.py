# SPDX-License-Identifier: Apache-2.0
"""Adapter of fox-it dissect.etl; README.md explains which fields it declares. Run by ../protocol.py."""
import uuid

import protocol
from protocol import hexadecimal, record, utc

etl = protocol.import_parser("DISSECT_ETL_PATH", "dissect.etl.etl", "fox-it dissect.etl")
from dissect.etl.c_etl import BufferFlag, c_etl  # noqa: E402
from dissect.etl.exceptions import Error  # noqa: E402
from dissect.etl.headers.event import EventHeader  # noqa: E402
from dissect.etl.headers.headers import (  # noqa: E402
    EventInstanceGUIDHeader, EventTraceHeader, MessageTraceHeader)
from dissect.etl.headers.system import (  # noqa: E402
    CompactSystemHeader, PerfinfoTraceHeader, SystemHeader)

EVENT = ["offset", "space", "header_type", "size", "marker", "timestamp", "utc", "tid", "pid", "hook", "group",
         "type", "version", "provider", "id", "channel", "level", "opcode", "task", "keyword", "flags", "property",
         "activity", "items", "instance_id", "parent_instance_id", "parent_provider", "message", "options",
         "sequence", "data_size", "data"]
EVENT_HEADER = [name for name in EVENT if name != "provider"]

DESCRIPTION = {
    "name": "dissect.etl",
    "version": protocol.version_of("dissect.etl", etl),
    "language": "Python",
    "url": "https://github.com/fox-it/dissect.etl",
    "order": "file",
    "records": {
        "trace": ["windows", "pointer_size", "clock_type", "clock_frequency", "logger_mode", "processors",
                  "buffer_size", "buffers_written", "events_lost", "buffers_lost", "start_utc", "end_utc",
                  "logger_name", "log_file_name"],
        "buffer": ["offset", "size", "compressed", "processor", "timestamp", "sequence_number", "state",
                   "flags", "type", "saved_offset", "offset_member", "current_offset", "logger_id"],
        "event": EVENT,
        "item": ["type", "size", "guid", "sid", "value", "values", "instance_id", "parent_instance_id",
                 "parent_guid", "match_id", "addresses", "data"],
    },
    "header_types": {"0x12": EVENT_HEADER, "0x13": EVENT_HEADER},
    "partial": False,
}

BUFFER_HEADER_SIZE = len(c_etl.BufferHeader)

# Members of extended items: the parser's name, the name in decode records, how the value is spelled there.
ITEM_MEMBERS = {
    "Guid": ("guid", str),
    "Sid": ("sid", str),
    "SessionId": ("value", int),
    "InstanceId": ("instance_id", int),
    "ParentInstanceId": ("parent_instance_id", int),
    "ParentGuid": ("parent_guid", str),
    "MatchId": ("match_id", str),
    "Address": ("addresses", lambda addresses: [hexadecimal(address) for address in addresses]),
    "PebsIndex": ("value", str),
    "PmcCounters": ("values", lambda values: [str(value) for value in values]),
    "EventKey": ("value", str),
    "ProcessStartKey": ("value", str),
}


def trace_record(logfile):
    header = logfile.header
    version = header.version_information.VersionDetail
    return record(
        "trace", windows=f"{version.MajorVersion}.{version.MinorVersion}.{header.ProviderVersion}",
        pointer_size=logfile.pointer_size, clock_type=header.ReservedFlags,
        clock_frequency=str(logfile.perf_freq), logger_mode=hexadecimal(header.LogFileMode, 8),
        processors=header.NumberOfProcessors, buffer_size=header.BufferSize,
        buffers_written=logfile.buffers_written, events_lost=header.EventsLost,
        buffers_lost=header.BufferLost, start_utc=utc(logfile.start_time),
        end_utc=utc(logfile.end_time) if logfile.end_time else None,
        logger_name=logfile.logger_name, log_file_name=logfile.log_filename)


def buffer_record(buffer):
    header = buffer.header
    return record(
        "buffer", offset=str(buffer.offset), size=buffer.size,
        compressed=bool(header.BufferFlag & BufferFlag.COMPRESSED), processor=header.ProcessorIndex,
        timestamp=str(header.TimeDelta), sequence_number=str(header.SequenceNumber),
        state=header.ETW_BUFFER_STATE, flags=hexadecimal(int(header.BufferFlag), 4),
        type=int(header.BufferType), saved_offset=header.SavedOffset, offset_member=buffer.filled_bytes,
        current_offset=header.CurrentOffset, logger_id=header.LoggerId)


def kernel_fields(header):
    fields = {"hook": hexadecimal(header.hook_id, 4), "group": header.group, "type": header.opcode,
              "version": header.version}
    if not isinstance(header, PerfinfoTraceHeader):
        fields |= {"tid": header.thread_id, "pid": header.process_id}
    return fields


def classic_fields(header):
    """Version is the union of EVENT_TRACE_HEADER: Class.Type, Class.Level and Class.Version in one."""
    fields = {"tid": header.thread_id, "pid": header.process_id, "provider": str(header.provider_id),
              "type": header.version & 0xFF, "level": header.version >> 8 & 0xFF,
              "version": header.version >> 16}
    if isinstance(header, EventInstanceGUIDHeader):
        fields |= {"instance_id": header.header.InstanceId,
                   "parent_instance_id": header.header.ParentInstanceId,
                   "parent_provider": str(header.parent_guid)}
    return fields


def item_record(item):
    members = {}
    for key, value in item.data.items():
        if key in ITEM_MEMBERS:
            name, spell = ITEM_MEMBERS[key]
            members[name] = spell(value)
    return {"type": hexadecimal(item.ext_type), "size": item.size, **members, "data": item.raw_data.hex()}


def manifest_fields(header):
    descriptor = header.descriptor
    return {"tid": header.thread_id, "pid": header.process_id, "provider": str(header.provider_id),
            "id": descriptor.id, "version": descriptor.version, "channel": descriptor.channel,
            "level": descriptor.level, "opcode": descriptor.opcode, "task": descriptor.task,
            "keyword": hexadecimal(descriptor.keywords, 16), "flags": hexadecimal(header.header.Flags, 4),
            "property": hexadecimal(header.header.EventProperty, 4), "activity": str(header.activity_id),
            "items": [item_record(item) for item in header.header_extensions]}


def message_fields(header):
    provider = header.provider_id
    return {"tid": header.thread_id, "pid": header.process_id, "message": header.id,
            "options": hexadecimal(header.event_property, 4), "sequence": header.sequence_number,
            "provider": str(provider) if isinstance(provider, uuid.UUID) else None}


FIELDS_OF = {
    SystemHeader: kernel_fields,
    CompactSystemHeader: kernel_fields,
    PerfinfoTraceHeader: kernel_fields,
    EventTraceHeader: classic_fields,
    EventInstanceGUIDHeader: classic_fields,
    EventHeader: manifest_fields,
    MessageTraceHeader: message_fields,
}


def event_record(file, place, header):
    fields = FIELDS_OF.get(type(header))
    time = header.time_delta if fields else None
    data = bytes(header.payload)
    message = isinstance(header, MessageTraceHeader)
    header_type = c_etl.TRACE_HEADER_TYPE_MESSAGE if message else header.marker >> 16 & 0xFF
    return record(
        "event", **place, header_type=hexadecimal(header_type, 2), size=header.size,
        marker=hexadecimal(header.marker >> 24, 2), timestamp=None if time is None else str(time),
        utc=None if time is None else utc(file.get_filetime_for_event(time)),
        **(fields(header) if fields else {}), data_size=len(data), data=data.hex())


def report_buffer(file, buffer, emit):
    """Reports the events with their offsets. The parser gives only the aligned size of an event, so offsets are sums of
    sizes."""
    inflated = bool(buffer.header.BufferFlag & BufferFlag.COMPRESSED)
    at = BUFFER_HEADER_SIZE if inflated else buffer.data_offset
    for event in buffer:
        place = {"offset": str(at), "space": "inflated" if inflated else None}
        emit(event_record(file, place, event.header))
        at += event.aligned_size


def parse(path, emit):
    with open(path, "rb") as stream:
        try:
            file = etl.ETL(stream)
            emit(trace_record(file.logfile_header))
            for buffer in file.buffers():
                emit(buffer_record(buffer))
                report_buffer(file, buffer, emit)
        except (Error, EOFError) as error:
            raise protocol.Rejected(f"{type(error).__name__}: {error}") from error


if __name__ == "__main__":
    protocol.main(DESCRIPTION, parse)

// SPDX-License-Identifier: Apache-2.0
// Adapter of tracelogging-parser-js, whose package is called etl-js; README.md explains which fields it declares.
"use strict";
const fs = require("fs");
const readline = require("readline");

const folder = process.env.ETL_JS_DIR || "etl-js";
let parser;
try {
  parser = require(folder);
} catch (error) {
  if (error.code !== "MODULE_NOT_FOUND") throw error;
  process.stderr.write(`${process.argv[1]}: cannot import the parser (${error.code}); ETL_JS_DIR is its folder, now ` +
                       `${process.env.ETL_JS_DIR || "not set"}\n`);
  process.exit(66);
}

const DESCRIPTION = {
  name: "etl-js", version: require(`${folder}/package.json`).version, language: "JavaScript", order: "file",
  url: "https://github.com/MichaelGoulding/tracelogging-parser-js",
  metadata: ["tracelogging"], partial: false,
  header_types: {"0x0f": ["header_type", "size", "tid", "pid", "message", "options", "provider", "data_size", "data"]},
  records: {
    trace: ["windows", "pointer_size", "logger_mode", "processors", "buffer_size", "buffers_written", "events_lost", "end_utc"],
    buffer: ["size", "compressed", "processor", "timestamp", "sequence_number", "state", "flags", "type", "saved_offset",
             "offset_member", "current_offset", "logger_id"],
    event: ["header_type", "size", "timestamp", "tid", "pid", "hook", "group", "type", "version", "provider", "id", "channel",
            "level", "opcode", "task", "keyword", "flags", "property", "activity", "items", "message", "options", "data_size",
            "data", "event_name", "fields"],
    item: ["type", "data"],
    field: ["name", "type", "value", "elements"],
  },
};

const hex = (value, digits = 1) => "0x" + value.toString(16).padStart(digits, "0");
const bytes = (data) => Buffer.from(data).toString("hex");

function utc(filetime) {
  const milliseconds = filetime / 10000n - 11644473600000n;
  if (milliseconds > 253402300799999n) return undefined; // behind the year 9999
  const text = new Date(Number(milliseconds)).toISOString();
  return text.slice(0, 20) + (filetime % 10000000n).toString().padStart(7, "0") + "Z";
}

function traceRecord(header) {
  return {
    rec: "trace", windows: `${header.version & 0xff}.${header.version >> 8 & 0xff}.${header.providerVersion}`,
    pointer_size: header.pointerSize, logger_mode: hex(header.logFileMode, 8), processors: header.numberOfProcessors,
    buffer_size: header.bufferSize, buffers_written: header.buffersWritten, events_lost: header.eventsLost,
    end_utc: header.endTime ? utc(header.endTime) : undefined,
  };
}

function bufferRecord({ header }) {
  return {
    rec: "buffer", size: header.bufferSize, compressed: (header.bufferFlag & 0x40) !== 0, processor: header.processorIndex,
    timestamp: `${header.timestamp}`, sequence_number: `${header.sequenceNumber}`, state: header.state,
    flags: hex(header.bufferFlag, 4), type: header.bufferType, saved_offset: header.savedOffset,
    offset_member: header.offset, current_offset: header.currentOffset, logger_id: header.loggerId,
  };
}

const NAMES = Object.fromEntries(Object.entries(parser.TagIn).map(([name, number]) => [number, name]));
NAMES[parser.TagIn.BOOL32] = "BOOLEAN";

function systemTime(time) {
  const [month, day, hour, minute, second] =
    [time.month, time.day, time.hour, time.minute, time.second].map((number) => String(number).padStart(2, "0"));
  return `${time.year}-${month}-${day}T${hour}:${minute}:${second}.${String(time.milliseconds).padStart(3, "0")}`;
}

const sidText = (sid) => ["S", sid.revision, BigInt("0x" + bytes(sid.identifierAuthority)), ...sid.subAuthorities].join("-");

/* By what the parser returned: of two fields with one name, the first has the value of the last, maybe of another type. */
function spell(type, value) {
  if (value instanceof Uint8Array) return bytes(value);
  if (value?.identifierAuthority) return sidText(value);
  if (value?.milliseconds !== undefined) return systemTime(value);
  if (typeof value === "bigint" && type === parser.TagIn.FILETIME) return utc(value);
  return typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? `${value}` : value;
}

function fieldRecord({ name, tagIn }, values) {
  const type = tagIn & 0x1f, value = values[name];
  if (!Array.isArray(value)) return { name, type: NAMES[type], value: spell(type, value) };
  return { name, type: NAMES[type], elements: value.map((element) => ({ value: spell(type, element) })) };
}

function payloadOf({ traceLogging }) {
  if (!traceLogging) return {};
  const present = traceLogging.metadata.fields.filter(({ name }) => name in traceLogging.fields);
  return { event_name: traceLogging.name, fields: present.map((field) => fieldRecord(field, traceLogging.fields)) };
}

function headerOf(event) {
  const { recordType, marker, packet } = event;
  if (recordType === "EventRecord") {
    const descriptor = event.eventDescriptor;
    return {
      size: marker.version, provider: event.providerId, ...descriptor, keyword: hex(descriptor.keyword, 16),
      flags: hex(event.flags, 4), property: hex(event.eventProperty, 4), activity: event.activityId,
      items: (event.extendedData || []).map((item) => ({ type: hex(item.extType), data: bytes(item.dataItem) })),
    };
  }
  if (recordType === "TraceRecord") return { size: marker.version, provider: event.guid, ...event.traceClass };
  if (recordType === "WinTraceRecord")
    return { size: event.size, provider: event.providerId, message: event.eventId, options: hex(event.flags, 4) };
  return { size: packet.size, hook: hex(packet.group << 8 | packet.type, 4), group: packet.group, type: packet.type,
           version: marker.version };
}

function eventRecord(event) {
  const data = event.userData || event.mofData, time = event.timestamp ?? event.systemTime;
  return {
    rec: "event", header_type: event.marker ? hex(event.marker.type, 2) : "0x0f", tid: event.threadId, pid: event.processId,
    timestamp: time === undefined ? undefined : `${time}`, ...headerOf(event), data_size: data.length, data: bytes(data),
    ...payloadOf(event),
  };
}

/* The file is rejected if the parser throws an exception of its own. */
function parse(path) {
  const file = fs.readFileSync(path), events = [];
  try {
    const { header } = parser.parseEtlFile(file, { includeHeader: true, onEvent: (event) => events.push(eventRecord(event)) });
    return { records: [traceRecord(header), ...parser.parseChunks(file).map(bufferRecord), ...events], verdict: "accept" };
  } catch (error) {
    if (error instanceof parser.EtlError) return { records: [], verdict: "reject", reason: `rejected: ${error.message}` };
    throw error;
  }
}

const answer = (value) => process.stdout.write(JSON.stringify(value) + "\n");

if (process.argv[2] === "--describe") {
  answer(DESCRIPTION);
} else if (process.argv[2]) {
  const { records, verdict, reason } = parse(process.argv[2]);
  records.forEach(answer);
  if (reason) process.stderr.write(`${reason}\n`);
  process.exitCode = verdict === "accept" ? 0 : 1;
} else {
  readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const request = JSON.parse(line);
    if (request.cmd === "stop") process.exit(0);
    answer(request.cmd === "start" ? { ...DESCRIPTION, ready: request.version === 1 } :
           { id: request.id, ...parse(request.file) });
  });
}

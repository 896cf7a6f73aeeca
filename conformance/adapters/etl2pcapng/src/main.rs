// SPDX-License-Identifier: Apache-2.0
//! Adapter of etl2pcapng: reads a file as its `main` does, and prints decode records. README.md explains which fields it
//! declares.
use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::process::ExitCode;
use std::{env, fs::File};

use serde_json::{json, Value};

include!(concat!(env!("OUT_DIR"), "/module.rs"));
use etl::{EtlError, SystemTraceHeader, TraceEvent, TraceLogfileHeader, WmiBufferHeader};

fn description() -> Value {
    json!({
        "name": "etl2pcapng", "version": env!("ETL2PCAPNG_VERSION"), "language": "Rust",
        "url": "https://github.com/RavuAlHemio/etl2pcapng", "partial": false,
        "records": {
            "trace": ["windows", "pointer_size", "clock_type", "clock_frequency", "logger_mode", "processors", "buffer_size",
                      "buffers_written", "events_lost", "buffers_lost", "logger_name", "log_file_name"],
            "buffer": ["size", "processor", "timestamp", "sequence_number", "flags", "type", "saved_offset",
                       "offset_member", "current_offset", "logger_id"],
            "event": ["header_type", "size", "marker", "timestamp", "tid", "pid", "hook", "version", "provider", "id",
                      "channel", "level", "opcode", "task", "keyword", "flags", "property", "activity", "type"],
        },
    })
}

fn hex(value: impl Into<u64>) -> String {
    format!("{:#x}", value.into())
}

fn guid(value: impl ToString) -> String {
    value.to_string().to_lowercase()
}

fn trace(header: &TraceLogfileHeader, logger_name: &str, log_file_name: &str) -> Value {
    let [major, minor, ..] = header.version;
    json!({
        "rec": "trace", "windows": format!("{major}.{minor}.{}", header.provider_version),
        "pointer_size": header.pointer_size, "clock_type": header.reserved_flags,
        "clock_frequency": header.perf_freq.to_string(), "logger_mode": hex(header.log_file_mode),
        "processors": header.num_processors, "buffer_size": header.buffer_size,
        "buffers_written": header.buffers_written, "events_lost": header.events_lost,
        "buffers_lost": header.buffers_lost, "logger_name": logger_name, "log_file_name": log_file_name,
    })
}

fn buffer(header: &WmiBufferHeader) -> Value {
    json!({
        "rec": "buffer", "size": header.buffer_size, "processor": header.context.processor_index,
        "timestamp": header.time_stamp.to_string(), "sequence_number": header.sequence_number.to_string(),
        "flags": hex(header.buffer_flag), "type": header.buffer_type, "saved_offset": header.saved_offset,
        "offset_member": header.offset, "current_offset": header.current_offset,
        "logger_id": header.context.logger_id,
    })
}

fn system_event(header: &SystemTraceHeader) -> Value {
    json!({
        "rec": "event", "header_type": hex(u8::from(header.header_type)), "marker": hex(header.flags), "size": header.size,
        "timestamp": header.system_time.to_string(), "tid": header.thread_id, "pid": header.process_id,
        "hook": hex(header.hook_id), "type": header.hook_id & 0xff, "version": header.version & 0xff,
    })
}

fn event(header: &etl::EventHeader) -> Value {
    let descriptor = &header.event_descriptor;
    json!({
        "rec": "event", "header_type": hex(u8::from(header.header_type)), "marker": hex(header.marker_flags),
        "size": header.size, "timestamp": header.time_stamp.to_string(), "tid": header.thread_id, "pid": header.process_id,
        "provider": guid(&header.provider_id), "id": descriptor.id, "version": descriptor.version,
        "channel": descriptor.channel, "level": descriptor.level, "opcode": descriptor.opcode, "task": descriptor.task,
        "keyword": hex(descriptor.keyword), "flags": hex(header.flags), "property": hex(header.event_property),
        "activity": guid(&header.activity_id),
    })
}

fn classic_event(header: &etl::EventTraceHeader) -> Value {
    json!({
        "rec": "event", "header_type": hex(u8::from(header.header_type)), "marker": hex(header.marker_flags),
        "size": header.size, "timestamp": header.time_stamp.to_string(), "tid": header.thread_id, "pid": header.process_id,
        "provider": guid(&header.guid), "type": header.class_type, "level": header.class_level,
        "version": header.class_version,
    })
}

/// A closed pipe is no crash of the parser.
fn print(record: &Value) {
    let _ = writeln!(io::stdout().lock(), "{record}");
}

fn print_event(read: &TraceEvent) {
    match read {
        TraceEvent::TraceLogfileHeader(read) => {
            print(&trace(&read.logfile_header, &read.logger_name, &read.log_file_name));
            print(&system_event(&read.system_header));
        }
        TraceEvent::Unknown50(read) => print(&system_event(&read.system_header)),
        TraceEvent::Event(read) => print(&event(&read.header)),
        TraceEvent::EventTrace(read) => print(&classic_event(&read.header)),
    }
}

/// Reads buffers and events until the file ends, as `main` of etl2pcapng does.
fn read(file: File) -> Result<(), EtlError> {
    let mut reader = BufReader::new(file);
    while !reader.fill_buf()?.is_empty() {
        let read = etl::read_wmi_buffer(&mut reader, false)?;
        print(&buffer(&read.header));
        let mut events = Cursor::new(&read.payload);
        loop {
            print_event(&etl::read_event(&mut events)?);
            if events.position() == read.payload.len() as u64 {
                break;
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(argument) = env::args_os().nth(1) else {
        eprintln!("usage: etlproof-etl2pcapng --describe | FILE");
        return ExitCode::from(64);
    };
    if argument == "--describe" {
        print(&description());
        return ExitCode::SUCCESS;
    }
    match File::open(&argument).map(read) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("rejected: {error}");
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("{}: {error}", argument.to_string_lossy());
            ExitCode::from(66)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//! Adapter of etl2pcapng: reads a file as its `main` does, and prints decode records. README.md explains which fields it
//! declares.
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::process::ExitCode;
use std::{env, fs::File};

include!(concat!(env!("OUT_DIR"), "/module.rs"));
use etl::{EtlError, SystemTraceHeader, TraceEvent, TraceLogfileHeader, WmiBufferHeader};

const DESCRIPTION: &str = concat!(
    r#"{"name":"etl2pcapng","version":""#,
    env!("ETL2PCAPNG_VERSION"),
    r#"","language":"Rust","url":"https://github.com/RavuAlHemio/etl2pcapng","#,
    r#""partial":false,"records":{"trace":["windows","pointer_size","clock_type","clock_frequency","logger_mode","processors","#,
    r#""buffer_size","buffers_written","events_lost","buffers_lost","logger_name","log_file_name"],"#,
    r#""buffer":["size","processor","timestamp","sequence_number","flags","type","saved_offset","#,
    r#""offset_member","current_offset","logger_id"],"#,
    r#""event":["header_type","size","marker","timestamp","tid","pid","hook","version","provider","id","channel","#,
    r#""level","opcode","task","keyword","flags","property","activity","type"]}}"#
);

/// One record, a line of JSON.
struct Record(String);

impl Record {
    fn new(kind: &str) -> Self {
        Record(format!(r#"{{"rec":"{kind}""#))
    }
    fn number(mut self, name: &str, value: impl Into<u64>) -> Self {
        let _ = write!(self.0, r#","{name}":{}"#, value.into());
        self
    }
    fn text(mut self, name: &str, value: &str) -> Self {
        let _ = write!(self.0, r#","{name}":""#);
        for unit in value.chars() {
            let _ = match unit {
                '"' | '\\' => write!(self.0, "\\{unit}"),
                '\0'..='\x1f' => write!(self.0, "\\u{:04x}", unit as u32),
                _ => write!(self.0, "{unit}"),
            };
        }
        self.0.push('"');
        self
    }
    fn hex(self, name: &str, value: impl Into<u64>) -> Self {
        self.text(name, &format!("{:#x}", value.into()))
    }
    fn decimal(self, name: &str, value: i64) -> Self {
        self.text(name, &value.to_string())
    }
    fn print(self) {
        let _ = writeln!(io::stdout().lock(), "{}}}", self.0);
    }
}

fn print_trace(header: &TraceLogfileHeader, logger_name: &str, log_file_name: &str) {
    let [major, minor, ..] = header.version;
    Record::new("trace")
        .text("windows", &format!("{major}.{minor}.{}", header.provider_version))
        .number("pointer_size", header.pointer_size)
        .number("clock_type", header.reserved_flags)
        .decimal("clock_frequency", header.perf_freq)
        .hex("logger_mode", header.log_file_mode)
        .number("processors", header.num_processors)
        .number("buffer_size", header.buffer_size)
        .number("buffers_written", header.buffers_written)
        .number("events_lost", header.events_lost)
        .number("buffers_lost", header.buffers_lost)
        .text("logger_name", logger_name)
        .text("log_file_name", log_file_name)
        .print();
}

fn print_buffer(header: &WmiBufferHeader) {
    Record::new("buffer")
        .number("size", header.buffer_size)
        .number("processor", header.context.processor_index)
        .decimal("timestamp", header.time_stamp)
        .decimal("sequence_number", header.sequence_number)
        .hex("flags", header.buffer_flag)
        .number("type", header.buffer_type)
        .number("saved_offset", header.saved_offset)
        .number("offset_member", header.offset)
        .number("current_offset", header.current_offset)
        .number("logger_id", header.context.logger_id)
        .print();
}

fn print_system(header: &SystemTraceHeader) {
    Record::new("event")
        .hex("header_type", u8::from(header.header_type))
        .hex("marker", header.flags)
        .number("size", header.size)
        .decimal("timestamp", header.system_time)
        .number("tid", header.thread_id)
        .number("pid", header.process_id)
        .hex("hook", header.hook_id)
        .number("type", header.hook_id & 0xff)
        .number("version", header.version & 0xff)
        .print();
}

fn print_event(event: &TraceEvent) {
    match event {
        TraceEvent::TraceLogfileHeader(event) => {
            print_trace(&event.logfile_header, &event.logger_name, &event.log_file_name);
            print_system(&event.system_header);
        }
        TraceEvent::Unknown50(event) => print_system(&event.system_header),
        TraceEvent::Event(event) => {
            let (header, descriptor) = (&event.header, &event.header.event_descriptor);
            Record::new("event")
                .hex("header_type", u8::from(header.header_type))
                .hex("marker", header.marker_flags)
                .number("size", header.size)
                .decimal("timestamp", header.time_stamp)
                .number("tid", header.thread_id)
                .number("pid", header.process_id)
                .text("provider", &header.provider_id.to_string().to_lowercase())
                .number("id", descriptor.id)
                .number("version", descriptor.version)
                .number("channel", descriptor.channel)
                .number("level", descriptor.level)
                .number("opcode", descriptor.opcode)
                .number("task", descriptor.task)
                .hex("keyword", descriptor.keyword)
                .hex("flags", header.flags)
                .hex("property", header.event_property)
                .text("activity", &header.activity_id.to_string().to_lowercase())
                .print();
        }
        TraceEvent::EventTrace(event) => {
            let header = &event.header;
            Record::new("event")
                .hex("header_type", u8::from(header.header_type))
                .hex("marker", header.marker_flags)
                .number("size", header.size)
                .decimal("timestamp", header.time_stamp)
                .number("tid", header.thread_id)
                .number("pid", header.process_id)
                .text("provider", &header.guid.to_string().to_lowercase())
                .number("type", header.class_type)
                .number("level", header.class_level)
                .number("version", header.class_version)
                .print();
        }
    }
}

/// Reads buffers and events until the file ends, as `main` of etl2pcapng does.
fn read(file: File) -> Result<(), EtlError> {
    let mut reader = BufReader::new(file);
    while !reader.fill_buf()?.is_empty() {
        let buffer = etl::read_wmi_buffer(&mut reader, false)?;
        print_buffer(&buffer.header);
        let mut events = Cursor::new(&buffer.payload);
        loop {
            print_event(&etl::read_event(&mut events)?);
            if events.position() == buffer.payload.len() as u64 {
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
        println!("{DESCRIPTION}");
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

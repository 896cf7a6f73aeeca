/* SPDX-License-Identifier: Apache-2.0 */
/* Adapter of snail-server's ETL library: reads a file and prints decode records. README.md explains what it declares. */
#include <cstdint>
#include <filesystem>
#include <format>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <snail/etl/etl_file.hpp>
#include <snail/etl/parser/trace_headers/compact_trace.hpp>
#include <snail/etl/parser/trace_headers/event_header_trace.hpp>
#include <snail/etl/parser/trace_headers/full_header_trace.hpp>
#include <snail/etl/parser/trace_headers/instance_trace.hpp>
#include <snail/etl/parser/trace_headers/perfinfo_trace.hpp>
#include <snail/etl/parser/trace_headers/system_trace.hpp>

namespace {

using nlohmann::ordered_json;
using snail::etl::etl_file;
namespace parser = snail::etl::parser;

constexpr std::string_view description = R"({"name": "snail-server", "version": ")" SNAIL_VERSION R"(", "language": "C++",
    "url": "https://github.com/albertziegenhagel/snail-server", "order": "time", "partial": false, "records": {
    "trace": ["pointer_size", "clock_frequency", "logger_mode", "processors", "buffer_size", "buffers_written",
              "start_utc", "end_utc"],
    "event": ["header_type", "size", "marker", "timestamp", "tid", "pid", "hook", "group", "type", "version", "pebs",
              "pmc", "provider", "id", "channel", "level", "opcode", "task", "keyword", "flags", "property", "activity",
              "instance_id", "parent_instance_id", "parent_provider", "data_size", "data"]}})";

std::string hex(std::uint64_t value, int digits)
{
    return std::format("0x{:0{}x}", value, digits);
}

std::string hex(std::span<const std::byte> bytes)
{
    std::string digits;
    digits.reserve(2 * bytes.size()); /* throws for the span of almost 2^64 bytes that a small Size gives */
    for(const auto byte : bytes)
        digits += std::format("{:02x}", std::to_integer<unsigned>(byte));
    return digits;
}

std::string guid(const parser::guid_view& value)
{
    std::string tail;
    for(const auto byte : value.data_4())
        tail += std::format("{:02x}", byte);
    return std::format("{:08x}-{:04x}-{:04x}-{}", value.data_1(), value.data_2(), value.data_3(), tail.insert(4, "-"));
}

/* Prints the records of what the library reports. */
class printer : public snail::etl::event_observer
{
public:
    using bytes = std::span<const std::byte>;
    using file  = etl_file::header_data;

    void handle(const file&, const parser::system_trace_header_view& header, bytes data) override
    {
        print(header, data, {kernel(header), thread(header)});
    }

    void handle(const file&, const parser::compact_trace_header_view& header, bytes data) override
    {
        print(header, data, {kernel(header), thread(header)});
    }

    void handle(const file&, const parser::perfinfo_trace_header_view& header, bytes data) override
    {
        print(header, data, {kernel(header), counters(header)});
    }

    void handle(const file&, const parser::full_header_trace_header_view& header, bytes data) override
    {
        print(header, data, {classic(header), thread(header)});
    }

    void handle(const file&, const parser::instance_trace_header_view& header, bytes data) override
    {
        print(header, data, {classic(header), thread(header), {
            {"instance_id", header.instance_id()}, {"parent_instance_id", header.parent_instance_id()},
            {"parent_provider", guid(header.parent_guid())}}});
    }

    void handle(const file&, const parser::event_header_trace_header_view& header, bytes data) override
    {
        const auto descriptor = header.event_descriptor();
        print(header, data, {thread(header), {
            {"size", header.size()}, {"timestamp", std::to_string(header.timestamp())},
            {"provider", guid(header.provider_id())}, {"id", descriptor.id()}, {"version", descriptor.version()},
            {"channel", descriptor.channel()}, {"level", descriptor.level()}, {"opcode", descriptor.opcode()},
            {"task", descriptor.task()}, {"keyword", hex(descriptor.keyword(), 16)}, {"flags", hex(header.flags(), 4)},
            {"property", hex(header.event_property(), 4)}, {"activity", guid(header.activity_id())}}});
    }

private:
    static ordered_json kernel(const auto& header)
    {
        const auto packet = header.packet();
        const auto group  = static_cast<unsigned>(packet.group());
        return {{"hook", hex(group << 8 | packet.type(), 4)}, {"group", group}, {"type", packet.type()},
                {"version", header.version()}, {"size", packet.size()},
                {"timestamp", std::to_string(header.system_time())}};
    }

    static ordered_json classic(const auto& header)
    {
        const auto of_class = header.trace_class();
        return {{"provider", guid(header.guid())}, {"type", of_class.type()}, {"level", of_class.level()},
                {"version", of_class.version()}, {"size", header.size()},
                {"timestamp", std::to_string(header.timestamp())}};
    }

    static ordered_json thread(const auto& header)
    {
        return {{"tid", header.thread_id()}, {"pid", header.process_id()}};
    }

    static ordered_json counters(const parser::perfinfo_trace_header_view& header)
    {
        auto members = ordered_json::object();
        if(header.has_ext_pebs()) members["pebs"] = std::to_string(header.ext_pebs());
        for(std::size_t i = 0; i < header.ext_pmc_count(); ++i)
            members["pmc"].push_back(std::to_string(header.ext_pmc(i)));
        return members;
    }

    static void print(const auto& header, bytes data, const std::vector<ordered_json>& parts)
    {
        ordered_json record{{"rec", "event"}, {"header_type", hex(static_cast<std::uint8_t>(header.header_type()), 2)},
                            {"marker", hex(header.header_flags(), 2)}};
        for(const auto& part : parts)
            record.update(part);
        record.update({{"data_size", data.size()}, {"data", hex(data)}});
        std::cout << record << '\n';
    }
};

void print_trace(const etl_file::header_data& header)
{
    const auto   unknown = snail::common::from_nt_timestamp(snail::common::nt_duration(0));
    ordered_json record{
        {"rec", "trace"}, {"pointer_size", header.pointer_size}, {"clock_frequency", std::to_string(header.qpc_frequency)},
        {"logger_mode", hex(header.log_file_mode.data().to_ulong(), 8)}, {"processors", header.number_of_processors},
        {"buffer_size", header.buffer_size}, {"buffers_written", header.number_of_buffers},
        {"start_utc", std::format("{:%FT%T}Z", header.start_time)}};
    if(header.end_time != unknown) record["end_utc"] = std::format("{:%FT%T}Z", header.end_time);
    std::cout << record << '\n';
}

/* The exit status: 0 accepted, 1 rejected. */
int read(const char* path)
try
{
    etl_file file(path);
    print_trace(file.header());
    printer observer;
    file.process(observer);
    return 0;
}
catch(const std::runtime_error& error)
{
    /* With this type, and a text, the library says that it does not take a file. */
    std::cerr << "rejected: " << error.what() << '\n';
    return 1;
}

} // namespace

int main(int argc, char** argv)
{
    if(argc != 2) {
        std::cerr << "usage: " << argv[0] << " --describe | FILE\n";
        return 64;
    }
    if(std::string_view(argv[1]) == "--describe") {
        std::cout << ordered_json::parse(description) << '\n';
        return 0;
    }
    if(!std::ifstream(argv[1], std::ios::binary)) {
        std::cerr << argv[0] << ": cannot read " << argv[1] << '\n';
        return 66;
    }
    return read(argv[1]);
}

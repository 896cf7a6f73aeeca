/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapter of snail-server's ETL library: reads a file and prints decode records. README.md explains which fields it
 * declares.
 */
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <format>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <snail/etl/etl_file.hpp>
#include <snail/etl/parser/trace_headers/compact_trace.hpp>
#include <snail/etl/parser/trace_headers/event_header_trace.hpp>
#include <snail/etl/parser/trace_headers/full_header_trace.hpp>
#include <snail/etl/parser/trace_headers/instance_trace.hpp>
#include <snail/etl/parser/trace_headers/perfinfo_trace.hpp>
#include <snail/etl/parser/trace_headers/system_trace.hpp>

namespace {

using snail::etl::etl_file;
namespace parser = snail::etl::parser;

constexpr int exit_reject     = 1;
constexpr int exit_usage      = 64;
constexpr int exit_unreadable = 66;

constexpr std::string_view description =
    R"({"name":"snail-server","version":")" SNAIL_VERSION R"(","language":"C++",)"
    R"("url":"https://github.com/albertziegenhagel/snail-server","order":"time","partial":false,"records":{)"
    R"("trace":["pointer_size","clock_frequency","logger_mode","processors","buffer_size","buffers_written",)"
    R"("start_utc","end_utc"],)"
    R"("event":["header_type","size","marker","timestamp","tid","pid","hook","group","type","version","pebs","pmc",)"
    R"("provider","id","channel","level","opcode","task","keyword","flags","property","activity","instance_id",)"
    R"("parent_instance_id","parent_provider","data_size","data"]}})";

/* One record: a JSON object on a line of its own. None of the values needs escaping. */
class record
{
public:
    explicit record(std::string_view kind) :
        line_(std::format(R"({{"rec":"{}")", kind))
    {}

    void number(std::string_view name, std::uint32_t value) { line_ += std::format(R"(,"{}":{})", name, value); }
    void text(std::string_view name, std::string_view value) { line_ += std::format(R"(,"{}":"{}")", name, value); }
    void decimal(std::string_view name, std::uint64_t value) { text(name, std::to_string(value)); }
    void hex(std::string_view name, std::uint64_t value, int digits)
    {
        text(name, std::format("0x{:0{}x}", value, digits));
    }

    void decimals(std::string_view name, std::span<const std::uint64_t> values)
    {
        std::string separator;
        line_ += std::format(R"(,"{}":[)", name);
        for(const auto value : values)
        {
            line_ += std::format(R"({}"{}")", separator, value);
            separator = ",";
        }
        line_ += ']';
    }

    void guid(std::string_view name, const parser::guid_view& value)
    {
        const auto tail = value.data_4();
        text(name, std::format("{:08x}-{:04x}-{:04x}-{:02x}{:02x}-{:02x}{:02x}{:02x}{:02x}{:02x}{:02x}", value.data_1(),
                               value.data_2(), value.data_3(), tail[0], tail[1], tail[2], tail[3], tail[4], tail[5],
                               tail[6], tail[7]));
    }

    void data(std::span<const std::byte> bytes)
    {
        static constexpr std::string_view digits = "0123456789abcdef";
        std::string dump;
        dump.reserve(bytes.size() * 2);
        for(const auto byte : bytes)
        {
            dump += digits[std::to_integer<std::size_t>(byte >> 4)];
            dump += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
        }
        number("data_size", static_cast<std::uint32_t>(bytes.size()));
        text("data", dump);
    }

    void print() { std::cout << line_ << "}\n"; }

private:
    std::string line_;
};

std::string utc(snail::common::nt_sys_time time)
{
    return std::format("{:%FT%T}Z", time);
}

/* Members that SYSTEM, COMPACT and PERFINFO share. */
template<typename Header>
void kernel_members(record& out, const Header& header)
{
    const auto packet = header.packet();
    const auto group  = static_cast<std::uint32_t>(packet.group());
    out.hex("hook", group << 8 | packet.type(), 4);
    out.number("group", group);
    out.number("type", packet.type());
    out.number("version", header.version());
    out.number("size", packet.size());
    out.decimal("timestamp", header.system_time());
}

/* Members that FULL_HEADER and INSTANCE share. */
template<typename Header>
void classic_members(record& out, const Header& header)
{
    const auto trace_class = header.trace_class();
    out.guid("provider", header.guid());
    out.number("type", trace_class.type());
    out.number("level", trace_class.level());
    out.number("version", trace_class.version());
    out.number("size", header.size());
    out.decimal("timestamp", header.timestamp());
}

template<typename Header>
void thread_members(record& out, const Header& header)
{
    out.number("tid", header.thread_id());
    out.number("pid", header.process_id());
}

void counter_members(record& out, const parser::perfinfo_trace_header_view& header)
{
    if(header.has_ext_pebs()) out.decimal("pebs", header.ext_pebs());
    std::vector<std::uint64_t> counters;
    for(std::size_t i = 0; i < header.ext_pmc_count(); ++i)
        counters.push_back(header.ext_pmc(i));
    if(!counters.empty()) out.decimals("pmc", counters);
}

template<typename Header>
record begin_event(const Header& header)
{
    record out("event");
    out.hex("header_type", static_cast<std::uint8_t>(header.header_type()), 2);
    out.hex("marker", header.header_flags(), 2);
    return out;
}

void end_event(record& out, std::span<const std::byte> user_data)
{
    out.data(user_data);
    out.print();
}

/* Prints the records of what the library reports. */
class printer : public snail::etl::event_observer
{
public:
    using bytes = std::span<const std::byte>;
    using file  = etl_file::header_data;

    void handle(const file&, const parser::system_trace_header_view& header, bytes user_data) override
    {
        auto out = begin_event(header);
        kernel_members(out, header);
        thread_members(out, header);
        end_event(out, user_data);
    }

    void handle(const file&, const parser::compact_trace_header_view& header, bytes user_data) override
    {
        auto out = begin_event(header);
        kernel_members(out, header);
        thread_members(out, header);
        end_event(out, user_data);
    }

    void handle(const file&, const parser::perfinfo_trace_header_view& header, bytes user_data) override
    {
        auto out = begin_event(header);
        kernel_members(out, header);
        counter_members(out, header);
        end_event(out, user_data);
    }

    void handle(const file&, const parser::full_header_trace_header_view& header, bytes user_data) override
    {
        auto out = begin_event(header);
        classic_members(out, header);
        thread_members(out, header);
        end_event(out, user_data);
    }

    void handle(const file&, const parser::instance_trace_header_view& header, bytes user_data) override
    {
        auto out = begin_event(header);
        classic_members(out, header);
        thread_members(out, header);
        out.number("instance_id", header.instance_id());
        out.number("parent_instance_id", header.parent_instance_id());
        out.guid("parent_provider", header.parent_guid());
        end_event(out, user_data);
    }

    void handle(const file&, const parser::event_header_trace_header_view& header, bytes user_data) override
    {
        auto       out        = begin_event(header);
        const auto descriptor = header.event_descriptor();
        out.number("size", header.size());
        out.decimal("timestamp", header.timestamp());
        thread_members(out, header);
        out.guid("provider", header.provider_id());
        out.number("id", descriptor.id());
        out.number("version", descriptor.version());
        out.number("channel", descriptor.channel());
        out.number("level", descriptor.level());
        out.number("opcode", descriptor.opcode());
        out.number("task", descriptor.task());
        out.hex("keyword", descriptor.keyword(), 16);
        out.hex("flags", header.flags(), 4);
        out.hex("property", header.event_property(), 4);
        out.guid("activity", header.activity_id());
        end_event(out, user_data);
    }
};

void print_trace(const etl_file::header_data& header)
{
    record out("trace");
    out.number("pointer_size", header.pointer_size);
    out.decimal("clock_frequency", header.qpc_frequency);
    out.hex("logger_mode", header.log_file_mode.data().to_ulong(), 8);
    out.number("processors", header.number_of_processors);
    out.number("buffer_size", header.buffer_size);
    out.number("buffers_written", header.number_of_buffers);
    out.text("start_utc", utc(header.start_time));
    if(header.end_time != snail::common::from_nt_timestamp(snail::common::nt_duration(0)))
        out.text("end_utc", utc(header.end_time));
    out.print();
}

int answer(const char* path)
{
    int verdict = 0;
    try
    {
        etl_file file(path);
        print_trace(file.header());
        printer observer;
        file.process(observer);
    }
    catch(const std::runtime_error& error)
    {
        /* With this type, and a text, the library says that it does not take a file. */
        std::cerr << "rejected: " << error.what() << '\n';
        verdict = exit_reject;
    }
    return verdict;
}

} // namespace

int main(int argc, char** argv)
{
    if(argc != 2)
    {
        std::cerr << "usage: " << argv[0] << " --describe | FILE\n";
        return exit_usage;
    }
    if(std::string_view(argv[1]) == "--describe")
    {
        std::cout << description << '\n';
        return 0;
    }
    if(!std::ifstream(argv[1], std::ios::binary))
    {
        std::cerr << argv[0] << ": cannot read " << argv[1] << '\n';
        return exit_unreadable;
    }
    return answer(argv[1]);
}

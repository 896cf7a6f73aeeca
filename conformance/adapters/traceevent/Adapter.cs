// SPDX-License-Identifier: Apache-2.0
// Adapter of TraceEvent: reads a file with ETWTraceEventSource and prints decode records. README.md explains which fields it
// declares. Not compiled or run by this project, which has no Windows.
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Json;
using Microsoft.Diagnostics.Tracing;

const int Reject = 1, Usage = 64, Unreadable = 66;

string[] eventHeader = ["processor", "timestamp", "tid", "pid", "provider", "id", "version", "channel", "level", "opcode", "task",
                        "keyword", "activity", "data_size", "data", "event_name", "fields"];
string[] classic = ["processor", "timestamp", "tid", "pid", "data_size", "data"];

var description = new Dictionary<string, object>
{
    ["name"] = "TraceEvent",
    ["version"] = typeof(ETWTraceEventSource).Assembly.GetName().Version!.ToString(3),
    ["language"] = "C#",
    ["url"] = "https://github.com/microsoft/perfview",
    ["order"] = "time",
    ["partial"] = false,
    ["records"] = new Dictionary<string, string[]>
    {
        ["trace"] = ["pointer_size", "processors", "events_lost"],
        ["event"] = classic,
        ["field"] = ["name", "value"],
    },
    ["header_types"] = new Dictionary<string, string[]> { ["0x12"] = eventHeader, ["0x13"] = eventHeader },
    ["metadata"] = new[] { "tracelogging", "trace-event-info", "manifest" },
};

void Print(Dictionary<string, object?> record) =>
    Console.Out.WriteLine(JsonSerializer.Serialize(record.Where(member => member.Value != null).ToDictionary()));

// A value in the spelling of decode records.
static object? Spell(object? value) => value switch
{
    null or bool or string => value,
    byte[] bytes => Convert.ToHexString(bytes).ToLowerInvariant(),
    Guid guid => guid.ToString("D"),
    DateTime time => time.ToUniversalTime().ToString("yyyy-MM-dd'T'HH:mm:ss.fffffff'Z'", CultureInfo.InvariantCulture),
    IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
    _ => value.ToString(),
};

static List<Dictionary<string, object?>> Fields(TraceEvent data) =>
    data.PayloadNames.Select((name, index) => new Dictionary<string, object?>
    {
        ["name"] = name,
        ["value"] = Spell(data.PayloadValue(index)),
    }).ToList();

void PrintEvent(TraceEvent data)
{
    var record = new Dictionary<string, object?>
    {
        ["rec"] = "event",
        ["processor"] = data.ProcessorNumber,
        ["timestamp"] = data.TimeStampQPC.ToString(CultureInfo.InvariantCulture),
        ["tid"] = data.ThreadID,
        ["pid"] = data.ProcessID,
        ["data_size"] = data.EventDataLength,
        ["data"] = Convert.ToHexString(data.EventData()).ToLowerInvariant(),
    };
    if (!data.IsClassicProvider)
    {
        record["provider"] = data.ProviderGuid.ToString("D");
        record["id"] = (ushort)data.ID;
        record["version"] = data.Version;
        record["channel"] = (byte)data.Channel;
        record["level"] = (byte)data.Level;
        record["opcode"] = (byte)data.Opcode;
        record["task"] = (ushort)data.Task;
        record["keyword"] = $"0x{(ulong)data.Keywords:x16}";
        record["activity"] = data.ActivityID.ToString("D");
        record["event_name"] = data.EventName;
        record["fields"] = Fields(data);
    }
    Print(record);
}

if (args.Length != 1)
{
    Console.Error.WriteLine("usage: etlproof-traceevent --describe | FILE");
    return Usage;
}
if (args[0] == "--describe")
{
    Console.Out.WriteLine(JsonSerializer.Serialize(description));
    return 0;
}
if (!File.Exists(args[0]))
{
    Console.Error.WriteLine($"{args[0]}: no such file");
    return Unreadable;
}
try
{
    using var source = new ETWTraceEventSource(args[0]);
    Print(new()
    {
        ["rec"] = "trace",
        ["pointer_size"] = source.PointerSize,
        ["processors"] = source.NumberOfProcessors,
        ["events_lost"] = source.EventsLost,
    });
    source.AllEvents += PrintEvent;
    source.Process();
    return 0;
}
catch (Exception error) when (error is ApplicationException or ExternalException)
{
    Console.Error.WriteLine($"rejected: {error.Message}"); // how the library reports an error of OpenTrace and ProcessTrace
    return Reject;
}

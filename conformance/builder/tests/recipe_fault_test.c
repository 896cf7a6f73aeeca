/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Broken recipes and their error messages. The @ in a text is not part of the recipe: it marks the position of the error.
 */
#include "recipe_fault_fixture.h"

#define LETTERS64 "abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh"
#define SIGNS16 "- ~ - ~ - ~ - ~ - ~ - ~ - ~ - ~ "
#define PARENTHESES16 "(((((((((((((((("
#define SET(value) ACCEPTED("set e.data = " value)
#define NUMBER(value) ACCEPTED("patch bytes at 0 = u64(" value ")")
#define ALSO "also e.Size = 1 also e.Flags = 1 "
#define PATCH(body) ACCEPTED("patch " body)
#define LOOP(list) HEAD TRACE "repeat over n in " list " { }\n"

static const struct {
    const char *text, *message;
} faults[] = {
    /* words */
    {HEAD "@\x01", "expected a word, a number, a string or a sign, found byte 0x01"},
    {HEAD " @!", "expected a word, a number, a string or a sign, found '!'"},
    {HEAD "# a comment with @ is skipped\n@\xC3", "expected a word, a number, a string or a sign, found byte 0xc3"},
    {HEAD "@:", "expected a word, a number, a string or a sign, found ':'"},
    {"recipe @\"abc", "expected a string that ends on its line, found no closing quote"},
    {"recipe @\"abc\n\"", "expected a string that ends on its line, found no closing quote"},
    {"recipe @\"abc\\", "expected a string that ends on its line, found no closing quote"},
    {"recipe @\"abc\\\"", "expected a string that ends on its line, found no closing quote"},
    {"recipe \"a\tb@\x02\"", "expected a string of printable characters, found byte 0x02"},
    {"recipe \"ab\\@\x7F\"", "expected a string of printable characters, found byte 0x7f"},
    {HEAD TRACE "vector v@\x01 {", "expected a name, found byte 0x01"},
    {NUMBER("12@g"), "expected a digit of the number, found 'g'"},
    {NUMBER("0@x"), "expected a digit of the number, found 'x'"},
    {NUMBER("0@xg"), "expected a digit of the number, found 'x'"},
    {NUMBER("0x1@g"), "expected a digit of the number, found 'g'"},
    {NUMBER("1@a"), "expected a digit of the number, found 'a'"},
    {NUMBER("@18446744073709551616"), "expected a number of at most 64 bits, found a larger one"},
    {NUMBER("@0x10000000000000000"), "expected a number of at most 64 bits, found a larger one"},
    /* blocks */
    {"@", "expected \"recipe\", found the end of the recipe"},
    {"@trace { }", "expected \"recipe\", found \"trace\""},
    {"recipe @word", "expected a string, found \"word\""},
    {"recipe \"x\"@", "expected a vector, found the end of the recipe"},
    {HEAD "source @1", "expected a string, found \"1\""},
    {HEAD "rule @1", "expected a rule, such as SIZ-001, found \"1\""},
    {HEAD "rule @SIZ-999", "expected a rule of rules.def, found \"SIZ-999\""},
    {HEAD "repeat over n in 9 { rule @\"SIZ-00{n}\" }", "expected a rule of rules.def, found \"SIZ-009\""},
    {HEAD "metadata @nothing", "expected a kind of metadata.def, found \"nothing\""},
    {HEAD "level @may", "expected \"must\" or \"should\", found \"may\""},
    {HEAD "@event",
     "expected \"source\", \"rule\", \"level\", \"trace\", \"memory\", \"repeat\" or \"vector\", found \"event\""},
    {HEAD TRACE "repeat over n in 1 { @accept }",
     "expected \"source\", \"rule\", \"level\", \"trace\", \"memory\", \"repeat\", \"vector\" or \"}\", found \"accept\""},
    {HEAD TRACE "repeat over n in 1 { @",
     "expected \"source\", \"rule\", \"level\", \"trace\", \"memory\", \"repeat\", \"vector\" or \"}\", "
     "found the end of the recipe"},
    {HEAD "@\"" LETTERS64 LETTERS64 "\"",
     "expected \"source\", \"rule\", \"level\", \"trace\", \"memory\", \"repeat\" or \"vector\", found "
     "\"abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabc"},
    {HEAD "@\"\xC3\xA4\x80\"",
     "expected \"source\", \"rule\", \"level\", \"trace\", \"memory\", \"repeat\" or \"vector\", found \"???\""},
    /* copies */
    {HEAD "trace { buffer b copies @0 { } }", "expected at least one copy, found 0"},
    {HEAD "trace { buffer b { event e MESSAGE copies @0 { } } }", "expected at least one copy, found 0"},
    {HEAD "trace { buffer b { event e MESSAGE copies 0xFFFFFFFFFFFFFFFF { } @} }",
     "expected a recipe that needs at most 256 MiB, found one that needs more"},
    {HEAD "trace { buffer @copies { } }", "expected a name that is not taken, found \"copies\""},
    {HEAD "trace { buffer b copies 2 { } @event b MESSAGE { } }",
     "expected \"buffer\", \"header\", \"logfile\", \"bytes\", \"no logfile\" or \"}\", found \"event\""},
    {HEAD "trace { buffer b copies 2 { event e MESSAGE { } } buffer @e { } }",
     "expected a name that is not taken, found \"e\""},
    /* repeat */
    {HEAD "repeat @n in 1 { }", "expected \"over\", found \"n\""},
    {HEAD "repeat over @1", "expected a loop variable, found \"1\""},
    {HEAD "repeat over (a, @1)", "expected a loop variable, found \"1\""},
    {HEAD "repeat over (a, b @in", "expected \")\", found \"in\""},
    {HEAD "repeat over a@, b in 1", "expected \"in\", found \",\""},
    {HEAD "repeat over (a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,@q)", "expected at most 16 loop variables, found more"},
    {LOOP("1 @2"), "expected \"{\", found \"2\""},
    {LOOP("@5 .. 4"), "expected a range that counts up, found 5 .. 4 step 1"},
    {LOOP("@0 .. 4 step 0"), "expected a range that counts up, found 0 .. 4 step 0"},
    {LOOP("@\"a\" .. 4"), "expected a number, found a text"},
    {LOOP("0 .. @hex(\"\")"), "expected a number, found bytes"},
    {HEAD TRACE "repeat over n in 0 .. 0xFFFFFFFFFFFFFFFF @{ }", "expected at most 8192 elements, found more"},
    {HEAD "repeat over (a, b) in @1", "expected \"(\", found \"1\""},
    {HEAD "repeat over (a, b) in (1@)", "expected \",\", found \")\""},
    {HEAD "repeat over (a, b) in (1, 2@, 3)", "expected \")\", found \",\""},
    {HEAD "repeat over a in 0 .. 299 { repeat over b in 0 .. 299 { @} }",
     "expected at most 65536 turns of all repeats, found more"},
    /* traces */
    {HEAD "trace @buffer", "expected \"{\", found \"buffer\""},
    {OF_TRACE("pointer_size @5"), "expected a pointer size of 4 or 8, found 5"},
    {OF_TRACE("@event e"),
     "expected \"buffer\", \"header\", \"logfile\", \"bytes\", \"no logfile\" or \"}\", found \"event\""},
    {OF_TRACE("buffer b { } @pointer_size 4"),
     "expected \"buffer\", \"header\", \"logfile\", \"bytes\", \"no logfile\" or \"}\", found \"pointer_size\""},
    {OF_TRACE("no @header"), "expected \"logfile\", found \"header\""},
    {OF_TRACE("no logfile @header { }"), "expected a trace with a logfile header, found \"no logfile\""},
    {OF_TRACE("no logfile @logfile { }"), "expected a trace with a logfile header, found \"no logfile\""},
    {OF_TRACE("buffer @1"), "expected a name, found \"1\""},
    {OF_TRACE("buffer @header { }"), "expected a name that is not taken, found \"header\""},
    {OF_TRACE("buffer b { event @b SYSTEM64 { } }"), "expected a name that is not taken, found \"b\""},
    {OF_TRACE("buffer b { event @logfile SYSTEM64 { } }"), "expected a name that is not taken, found \"logfile\""},
    {OF_TRACE("buffer @Flags { }"), "expected a name that is not taken, found \"Flags\""},
    {OF_TRACE("buffer @lost { }"), "expected a name that is not taken, found \"lost\""},
    {OF_TRACE("buffer @source { }"), "expected a name that is not taken, found \"source\""},
    {OF_TRACE("buffer @from { }"), "expected a name that is not taken, found \"from\""},
    {OF_TRACE("buffer @as { }"), "expected a name that is not taken, found \"as\""},
    {OF_TRACE("buffer @trace { }"), "expected a name that is not taken, found \"trace\""},
    {OF_TRACE("buffer @end { }"), "expected a name that is not taken, found \"end\""},
    {OF_TRACE("buffer @" LETTERS64 " { }"), "expected a name of at most 63 letters, found a longer one"},
    {OF_TRACE("buffer a23456789b123456789c123456789d123456789e123456789f1234567 { @logfile { } }"),
     "expected a buffer with a shorter name, found \"a23456789b123456789c123456789d123456789e123456789f1234567\""},
    {OF_TRACE("buffer b { logfile { } @logfile { } }"), "expected a name that is not taken, found \"b_logfile\""},
    {OF_TRACE("buffer b @event"), "expected \"{\", found \"event\""},
    {OF_TRACE("buffer b { event e @SYSTEM65 { } }"),
     "expected a type of header_types.def, or one in parentheses, found \"SYSTEM65\""},
    {OF_TRACE("buffer b { event e @(256) { } }"), "expected a type of at most 255, found 256"},
    {OF_TRACE("buffer b { event e (1@{ } }"), "expected \")\", found \"{\""},
    {OF_TRACE("buffer b { event e EVENT_HEADER64 { item i @SYSTEM64 { } } }"),
     "expected a type of item_types.def, or one in parentheses, found \"SYSTEM64\""},
    {OF_TRACE("buffer b { event e EVENT_HEADER64 { item i @(65536) { } } }"),
     "expected a type of at most 65535, found 65536"},
    {OF_TRACE("buffer b { event e SYSTEM64 { @item i SID { } } }"),
     "expected an event with an EVENT_HEADER, found an item of another event"},
    {OF_TRACE("buffer b { bytes x damaged { @item i SID { } } }"),
     "expected an event with an EVENT_HEADER, found an item of another event"},
    {OF_TRACE("bytes x @odd { }"), "expected a kind of region, such as damaged, slack or tail, found \"odd\""},
    {OF_TRACE("bytes x @1 { }"), "expected a kind of region, found \"1\""},
    {OF_TRACE("bytes x buffer-@1 { }"), "expected a kind of region, found \"1\""},
    {OF_TRACE("bytes x @slack { }"), "expected damaged or tail, found \"slack\""},
    {OF_TRACE("buffer b { bytes x @tail { } }"), "expected damaged or slack, found \"tail\""},
    {OF_TRACE("buffer b { @1 = 2 }"), "expected a member, found \"1\""},
    {OF_TRACE("buffer b { State.@1 = 2 }"), "expected a member, found \"1\""},
    {OF_TRACE("buffer b { State @2 }"), "expected \"=\", found \"2\""},
    {OF_TRACE("buffer b { @data = hex(\"\") }"), "expected a member of WMI_BUFFER_HEADER_61, found \"data\""},
    {OF_TRACE("logfile { @Foo = 1 }"), "expected a member of SYSTEM_TRACE_HEADER or TRACE_LOGFILE_HEADER64, found \"Foo\""},
    {OF_TRACE("pointer_size 4 logfile { @Foo = 1 }"),
     "expected a member of SYSTEM_TRACE_HEADER or TRACE_LOGFILE_HEADER32, found \"Foo\""},
    {OF_TRACE("buffer b { event e EVENT_HEADER64 { @pebs = 1 } }"), "expected a member of EVENT_HEADER, found \"pebs\""},
    {OF_TRACE("buffer b { event e EVENT_HEADER64 { @guid = 1 } }"), "expected a member of EVENT_HEADER, found \"guid\""},
    {OF_TRACE("buffer b { event e EVENT_HEADER64 { @names = 1 } }"), "expected a member of EVENT_HEADER, found \"names\""},
    {OF_TRACE("buffer b { event e EVENT_HEADER64 { item i SID { @Size = 1 } } }"),
     "expected a member of EXTENDED_DATA_ITEM, found \"Size\""},
    {OF_TRACE("buffer b { bytes x damaged { @Size = 1 } }"),
     "expected \"data\" or \"padding\", the only properties of raw bytes, found \"Size\""},
    {OF_TRACE("buffer b { bytes x damaged { @pebs = 1 } }"),
     "expected \"data\" or \"padding\", the only properties of raw bytes, found \"pebs\""},
    {OF_TRACE("bytes x tail { @compress = \"lazy\" }"),
     "expected \"data\", the only properties of raw bytes, found \"compress\""},
    {OF_TRACE("buffer b { State = @0x100000000 }"), "expected a number that fits in 4 bytes, found 4294967296"},
    {OF_TRACE("buffer b { BufferFlag = @-0x8001 }"), "expected a number that fits in 2 bytes, found -32769"},
    {OF_TRACE("buffer b { State = @\"Flush\" }"), "expected 4 bytes for State, found a text of 5 bytes"},
    {OF_TRACE("buffer b { State = @u16(1) }"), "expected 4 bytes for State, found 2 bytes"},
    {OF_TRACE("logfile { TimeZone = @1 }"), "expected 172 bytes for TimeZone, found a number"},
    {OF_TRACE("logfile { logger_name = @1 }"), "expected a string, found \"1\""},
    {OF_TRACE("logfile { logger_name = @\"a\\x00b\" }"), "expected a string without \\x00, found one in it"},
    {OF_TRACE("logfile { names = @\"a\" }"), "expected bytes, such as hex(\"01 02\"), found a text"},
    {OF_TRACE("buffer b { slack = @1 }"), "expected bytes, such as hex(\"01 02\"), found a number"},
    {OF_TRACE("buffer b { compress = @\"best\" }"),
     "expected \"literal\", \"greedy\", \"lazy\" or bytes, found another value"},
    {OF_TRACE("buffer b { compress = @1 }"), "expected \"literal\", \"greedy\", \"lazy\" or bytes, found another value"},
    {OF_TRACE("buffer b { event e PERFINFO64 { pmc = @1 } }"), "expected \"(\", found \"1\""},
    {OF_TRACE("buffer b { event e PERFINFO64 { pmc = (1, 2, 3, 4, 5, 6, 7, @8) } }"),
     "expected at most 7 counters, found more"},
    {OF_TRACE("buffer b { event e PERFINFO64 { pmc = (1@; } }"),
     "expected a word, a number, a string or a sign, found ';'"},
    {OF_TRACE("buffer b { event e MESSAGE { sequence = @0x100000000 } }"),
     "expected a number that fits in 4 bytes, found 4294967296"},
    {OF_TRACE("buffer b { event e MESSAGE { guid = @1 } }"),
     "expected a GUID such as \"68fdd900-4a3e-11d1-84f4-0000f80464e3\", found another value"},
    {OF_TRACE("buffer b { event e EVENT_HEADER64 { ProviderId = @\"68fdd900\" } }"),
     "expected a GUID such as \"68fdd900-4a3e-11d1-84f4-0000f80464e3\", found another value"},
    {OF_TRACE("buffer b { event e EVENT_HEADER64 { data = count(@b) } }"),
     "expected a value that does not depend on the layout, found \"b\""},
    {OF_TRACE("buffer b { event e EVENT_HEADER64 { data = count(file(@)) } }"),
     "expected a value that does not depend on the layout, found file()"},
    /* values */
    {SET("@)"), "expected a value, found \")\""},
    {SET("(hex(\"\") @, 1"), "expected \")\", found \",\""},
    {SET("@foo(1)"), "expected a function, found \"foo\""},
    {NUMBER("@foo"), "expected a loop variable, or a name of the trace, found \"foo\""},
    {NUMBER("Flags.@FOO"), "expected a name of Flags, found \"FOO\""},
    {NUMBER("Flags.@1"), "expected a name of the table, found \"1\""},
    {NUMBER("1 @/ 0"), "expected a divisor other than 0, found 0"},
    {NUMBER("1 @% 0"), "expected a divisor other than 0, found 0"},
    {NUMBER("1 + @\"a\""), "expected a number, found a text"},
    {NUMBER("\"a\" @+ 1"), "expected a number, found a text"},
    {NUMBER("-@\"a\""), "expected a number, found a text"},
    {NUMBER("~@hex(\"\")"), "expected a number, found bytes"},
    {SET("1 @++ hex(\"\")"), "expected bytes or texts on both sides of ++, found a number"},
    {SET("hex(\"\") @++ 1"), "expected bytes or texts on both sides of ++, found a number"},
    {SET("zeros(0x1000000) @++ zeros(1)"), "expected at most 16 MiB, found more"},
    {NUMBER(SIGNS16 SIGNS16 SIGNS16 "- ~ - ~ - ~ - ~ - ~ - ~ - ~ - @~ 1"),
     "expected at most 64 blocks, parentheses or signs in one another, found more"},
    {NUMBER(PARENTHESES16 PARENTHESES16 PARENTHESES16 "(((((((((((((((@((1"),
     "expected at most 64 blocks, parentheses or signs in one another, found more"},
    {SET("@1"), "expected bytes, such as hex(\"01 02\"), found a number"},
    {SET("count(@\"a\")"), "expected a number, found a text"},
    {SET("count(@0x1000001)"), "expected a number of bytes, at most 16 MiB, found a larger one"},
    {SET("@count()"), "expected 1 argument of count, found 0"},
    {SET("@count(1, 2)"), "expected 1 argument of count, found 2"},
    {SET("@zeros(1, 2)"), "expected 1 argument of zeros, found 2"},
    {SET("@fill(1)"), "expected 2 arguments of fill, found 1"},
    {SET("@noise(1)"), "expected 2 arguments of noise, found 1"},
    {SET("@guid()"), "expected 1 argument of guid, found 0"},
    {SET("@u8()"), "expected 1 to 256 arguments of u8, found 0"},
    {SET("@sid(1)"), "expected 2 to 17 arguments of sid, found 1"},
    {SET("@sid(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18)"), "expected 2 to 17 arguments of sid, found 18"},
    {SET("@schema()"), "expected 1 to 256 arguments of schema, found 0"},
    {SET("@field(\"a\")"), "expected 2 to 3 arguments of field, found 1"},
    {SET("@traits()"), "expected 1 to 3 arguments of traits, found 0"},
    {SET("@hex()"), "expected 1 argument of hex, found 0"},
    {SET("@ascii(\"a\", \"b\")"), "expected 1 argument of ascii, found 2"},
    {SET("count(8, @)"), "expected a value, found \")\""},
    {SET("count(@, 8)"), "expected a value, found \",\""},
    {SET("count(1 @2)"), "expected \",\", found \"2\""},
    {SET("hex(@1)"), "expected a string, found a number"},
    {SET("hex(@\"0\")"), "expected pairs of hex digits, found \"0\""},
    {SET("hex(@\"00 0g 00\")"), "expected pairs of hex digits, found \"0g 00\""},
    {SET("hex(@\"0 0\")"), "expected pairs of hex digits, found \"0 0\""},
    {SET("u8(1, @256)"), "expected a number that fits in 1 byte, found 256"},
    {SET("u8(@-129)"), "expected a number that fits in 1 byte, found -129"},
    {SET("u16(@65536)"), "expected a number that fits in 2 bytes, found 65536"},
    {SET("fill(1, @256)"), "expected a number that fits in 1 byte, found 256"},
    {SET("sid(@256, 5)"), "expected a number that fits in 1 byte, found 256"},
    {SET("sid(1, @0x1000000000000)"), "expected a number that fits in 6 bytes, found 281474976710656"},
    {SET("sid(1, 5, @0x100000000)"), "expected a number that fits in 4 bytes, found 4294967296"},
    {SET("guid(@\"68fdd9004-a3e-11d1-84f4-0000f80464e3\")"),
     "expected a GUID such as \"68fdd900-4a3e-11d1-84f4-0000f80464e3\", found another value"},
    {SET("guid(@\"68fdd900-4a3e-11d1-84f4-0000f80464eg\")"),
     "expected a GUID such as \"68fdd900-4a3e-11d1-84f4-0000f80464e3\", found another value"},
    {SET("guid(@\"68fdd900-4a3e-11d1-84f4-0000f80464e33\")"),
     "expected a GUID such as \"68fdd900-4a3e-11d1-84f4-0000f80464e3\", found another value"},
    {SET("traits(\"p\", @\"x\")"), "expected a GUID such as \"68fdd900-4a3e-11d1-84f4-0000f80464e3\", found another value"},
    {SET("schema(\"s\", @\"x\")"), "expected field(name, type), found a text"},
    {SET("@property(\"p\", 4)"), "expected 3 to 7 arguments of property, found 2"},
    {SET("property(\"p\", @65536, 0)"), "expected a number that fits in 2 bytes, found 65536"},
    {SET("@event_info(guid(\"10000000-0000-0000-0000-000000000000\"), 1, 0, \"\", \"\", \"\")"),
     "expected 7 to 256 arguments of event_info, found 6"},
    {SET("event_info(@\"x\", 1, 0, \"\", \"\", \"\", 1)"),
     "expected a GUID such as \"68fdd900-4a3e-11d1-84f4-0000f80464e3\", found another value"},
    {SET("event_info(zeros(16), 1, 0, \"\", \"\", \"\", 1, @\"x\")"), "expected property(name, in, out), found a text"},
    {SET("event_info(zeros(16), 1, 0, \"\", \"\", \"\", 1, @zeros(23))"),
     "expected property(name, in, out), found 23 bytes"},
    {SET("@map_info(zeros(16), 1)"), "expected 3 to 256 arguments of map_info, found 2"},
    {SET("@map_info(zeros(16), 1, \"m\", 1)"), "expected a text behind each value of map_info, found none behind the last"},
    {SET("field(\"s\", @256)"), "expected a number that fits in 1 byte, found 256"},
    {SET("ascii(@\"{n}\")"), "expected a loop variable in braces, found \"n\""},
    {SET("ascii(@\"{n\")"), "expected a closing brace, found none (a plain opening brace is \\x7b)"},
    {SET("ascii(@\"\\q\")"), "expected one of the escapes \\\" \\\\ \\n \\t \\xNN, found another"},
    {SET("ascii(@\"\\x4\")"), "expected one of the escapes \\\" \\\\ \\n \\t \\xNN, found another"},
    {SET("ascii(@\"\\x4g\")"), "expected one of the escapes \\\" \\\\ \\n \\t \\xNN, found another"},
    {SET("ascii(@\"\\xg4\")"), "expected one of the escapes \\\" \\\\ \\n \\t \\xNN, found another"},
    {HEAD TRACE "repeat over n in 1 { source @\"{n:4x}\" }",
     "expected {name} of a number or text, or a form such as {name:#06x} of a number, found {n:4x}"},
    {HEAD TRACE "repeat over n in 1 { source @\"{n:}\" }",
     "expected {name} of a number or text, or a form such as {name:#06x} of a number, found {n:}"},
    {HEAD TRACE "repeat over n in \"a\" { source @\"{n:}\" }",
     "expected {name} of a number or text, or a form such as {name:#06x} of a number, found {n:}"},
    {HEAD TRACE "repeat over n in 1 { source @\"{n:#d}\" }",
     "expected {name} of a number or text, or a form such as {name:#06x} of a number, found {n:#d}"},
    {HEAD TRACE "repeat over n in 1 { source @\"{n:065x}\" }",
     "expected {name} of a number or text, or a form such as {name:#06x} of a number, found {n:065x}"},
    {HEAD TRACE "repeat over n in \"a\" { source @\"{n:x}\" }",
     "expected {name} of a number or text, or a form such as {name:#06x} of a number, found {n:x}"},
    {HEAD TRACE "repeat over n in hex(\"\") { source @\"{n}\" }",
     "expected {name} of a number or text, or a form such as {name:#06x} of a number, found {n}"},
    {HEAD TRACE "repeat over n in 1 { source \"{n}\" } source @\"{n}\"", "expected a loop variable in braces, found \"n\""},
    /* places */
    {NUMBER("e.@Foo"), "expected a member of EVENT_HEADER, found \"Foo\""},
    {NUMBER("e.@1"), "expected a member, found \"1\""},
    {NUMBER("c.@Foo"), "expected a member of WMI_BUFFER_HEADER_61, found \"Foo\""},
    {NUMBER("i.@Foo"), "expected a member of EXTENDED_DATA_ITEM, found \"Foo\""},
    {NUMBER("t.@Size"), "expected \"data\", the only properties of raw bytes, found \"Size\""},
    {NUMBER("@end e"), "expected a loop variable, or a name of the trace, found \"end\""},
    {NUMBER("end(@1)"), "expected a name of the trace, found \"1\""},
    {NUMBER("end(@x)"), "expected a loop variable, or a name of the trace, found \"x\""},
    {NUMBER("end(e@.Size)"), "expected \")\", found \".\""},
    {NUMBER("data(@b)"), "expected an event or an item, found \"b\""},
    {NUMBER("data(@t)"), "expected an event or an item, found \"t\""},
    {NUMBER("extent(@e)"), "expected a buffer, found \"e\""},
    {NUMBER("extent(@t)"), "expected a buffer, found \"t\""},
    {NUMBER("stream(@b)"), "expected a compressed buffer, found \"b\""},
    {NUMBER("stream_end(@f)"), "expected a compressed buffer, found \"f\""},
    {NUMBER("value(e@)"), "expected \".\", found \")\""},
    {NUMBER("value(@1)"), "expected a name of the trace, found \"1\""},
    {NUMBER("file(@1)"), "expected \")\", found \"1\""},
    {NUMBER("sizeof(@1)"), "expected a structure, found \"1\""},
    {NUMBER("sizeof(@FOO)"), "expected a structure of structures.def, found \"FOO\""},
    {NUMBER("offsetof(@FOO.Size)"), "expected a structure of structures.def, found \"FOO\""},
    {NUMBER("offsetof(EVENT_HEADER@)"), "expected \".\", found \")\""},
    {NUMBER("offsetof(EVENT_HEADER.@Foo)"), "expected a member of EVENT_HEADER, found \"Foo\""},
    /* vectors */
    {HEAD "vector @v { }", "expected a trace or a structure in memory before the first vector, found none"},
    {HEAD TRACE "vector@", "expected an id, found the end of the recipe"},
    {HEAD TRACE "vector @V { }", "expected an id of a-z, 0-9 and -, found \"V\""},
    {HEAD TRACE "vector @v_1 { }", "expected an id of a-z, 0-9 and -, found \"v_1\""},
    {HEAD TRACE "vector @-v { }", "expected an id that does not start with -, found \"-v\""},
    {HEAD TRACE "vector @- { }", "expected an id that does not start with -, found \"-\""},
    {HEAD TRACE "vector @v{n} { }", "expected a loop variable in braces, found \"n\""},
    {HEAD TRACE "vector @" LETTERS64 LETTERS64 " { }", "expected an id of at most 100 letters, found a longer one"},
    {ACCEPTED("") "vector @v { }", "expected an id that is not taken, found \"v\""},
    {HEAD TRACE "vector v @title", "expected \"{\", found \"title\""},
    {ACCEPTED("@titel \"x\""), "expected a statement of a vector, or \"}\", found \"titel\""},
    {ACCEPTED("lost e @titel \"x\""), "expected a loop variable, or a name of the trace, found \"titel\""},
    {HEAD TRACE "vector v { accept @", "expected a statement of a vector, or \"}\", found the end of the recipe"},
    {HEAD TRACE "vector @v { accept }", "expected a title, found none"},
    {HEAD TRACE "vector @v { title \"\" accept }", "expected a title, found none"},
    {HEAD TRACE "vector v { title @\"t\\nw\" accept }",
     "expected a title of printable characters on one line, found byte 0x0a"},
    {HEAD TRACE "vector @v { title \"t\" }", "expected \"accept\", \"reject\" or \"either FLAG\", found none"},
    {"recipe \"r\" rule SIZ-001 " TRACE "vector @v { title \"t\" accept }", "expected a source, found none"},
    {"recipe \"r\" source \"s\" " TRACE "vector @v { title \"t\" accept }", "expected a rule, found none"},
    {HEAD TRACE "vector @v { title \"t\" accept rule BUF-001 }",
     "expected a rule of this folder's group, found BUF-001 of group buffer-header"},
    {HEAD TRACE "vector @v { title \"t\" metadata manifest accept }",
     "expected no metadata, since the rule is not about payloads"},
    {HEAD TRACE "vector @v { title \"t\" reject }", "expected a patch, since the vector is \"reject\", found none"},
    {ACCEPTED("@reject"), "expected one verdict, found a second one"},
    {ACCEPTED("@either opaque-size"), "expected one verdict, found a second one"},
    {VECTOR("either @nothing"), "expected a flag of flags.def, found \"nothing\""},
    {ACCEPTED("set @x.Size = 1"), "expected a name of the trace, found \"x\""},
    {ACCEPTED("set e @= 1"), "expected \".\", found \"=\""},
    {ACCEPTED("set e.@Foo = 1"), "expected a member of EVENT_HEADER, found \"Foo\""},
    {ACCEPTED("set e.Size = size(@e)"), "expected a value that does not depend on the layout, found \"e\""},
    {HEAD TRACE "vector @v { title \"t\" accept set e.data = zeros(65536 - 0x50 - 24) }",
     "expected an event of at most 65,535 bytes, or one whose Size is set, found \"e\" of 65536"},
    {HEAD TRACE "vector @v { title \"t\" accept set i.data = zeros(65529) set e.Size = 1 }",
     "expected an item of at most 65,535 bytes, or one whose TotalSize is set, found \"i\" of 65544"},
    {HEAD TRACE "vector @v { title \"t\" accept set logfile.MajorVersion = 5 set logfile.MinorVersion = 2 }",
     "expected a file of 6.0 or later, since \"c\" is compressed, found an older one"},
    {HEAD TRACE "vector @v { title \"t\" accept set b.spare = zeros(1) }",
     "expected a compressed buffer, since \"b\" has spare bytes, found a plain one"},
    {HEAD TRACE "vector @v { title \"t\" accept set c.slack = zeros(1) }",
     "expected a plain buffer, since \"c\" has slack, found a compressed one"},
    /* patches */
    {PATCH("@1"),
     "expected \"bytes\", \"cut\", \"append\", \"insert\", \"remove\", \"move\" or a name of the trace, found \"1\""},
    {PATCH("@x.Size = 1"), "expected a loop variable, or a name of the trace, found \"x\""},
    {PATCH("e @= 1"), "expected \".\", found \"=\""},
    {PATCH("e.@Foo = 1"), "expected a member of EVENT_HEADER, found \"Foo\""},
    {PATCH("e.Size = @65536"), "expected a number that fits in 2 bytes, found 65536"},
    {PATCH("e.Size = 1 @patch e.Size = 2"), "expected at most one patch, found a second one (the first is on line 8)"},
    {PATCH("e.Size = 1 " ALSO ALSO ALSO ALSO "@also e.Size = 2"), "expected at most 8 further changes, found more"},
    {ACCEPTED("also bytes @e = hex(\"\")"), "expected \"at\", found \"e\""},
    {ACCEPTED("also e.@Foo = 1"), "expected a member of EVENT_HEADER, found \"Foo\""},
    {PATCH("bytes @e = hex(\"\")"), "expected \"at\", found \"e\""},
    {PATCH("bytes at e @1"), "expected \"=\", found \"1\""},
    {PATCH("bytes at e = @1"), "expected bytes, such as hex(\"01 02\"), found a number"},
    {PATCH("bytes at @\"x\" = hex(\"\")"), "expected a number, found a text"},
    {PATCH("insert @e = hex(\"\")"), "expected \"at\", found \"e\""},
    {PATCH("cut @e"), "expected \"at\", found \"e\""},
    {PATCH("cut at @f"), "expected a place in the file to cut at, found one in an inflated buffer"},
    {PATCH("append @hex(\"\")"), "expected \"=\", found \"hex\""},
    {PATCH("remove e @end(e)"), "expected \"..\", found \"end\""},
    {PATCH("remove e .. @e - 1"), "expected a place at or after the first one and in the same bytes, found another"},
    {PATCH("remove @e .. e"), "expected bytes to remove, found none"},
    {PATCH("remove e .. @f"), "expected a place at or after the first one and in the same bytes, found another"},
    {PATCH("move @b by 1"), "expected an event, found \"b\""},
    {PATCH("move @i by 1"), "expected an event, found \"i\""},
    {PATCH("move e @1"), "expected \"by\", found \"1\""},
    /* claims */
    {ACCEPTED("finding @foo"), "expected a rule of rules.def, found \"foo\""},
    {ACCEPTED("finding @SIZ-004 at e"), "expected a rule with findings, found a rule of how to read"},
    {ACCEPTED("finding SIZ-001 @e"), "expected \"at\", found \"e\""},
    {ACCEPTED("finding SIZ-001 at e in @x"), "expected a loop variable, or a name of the trace, found \"x\""},
    {ACCEPTED("finding SIZ-001 at e expected @1"), "expected a string, found \"1\""},
    {ACCEPTED("finding SIZ-001 at e actual @1"), "expected a string, found \"1\""},
    {ACCEPTED("finding SIZ-001 at e without @loses 1"), "expected \"values\", found \"loses\""},
    {ACCEPTED("finding SIZ-001 at e without values @actual \"1\""),
     "expected a statement of a vector, or \"}\", found \"actual\""},
    {ACCEPTED("finding SIZ-001 at e loses @\"a\""), "expected a number, found a text"},
    {ACCEPTED("finding SIZ-001 at e does @nothing"), "expected an action of actions.def, found \"nothing\""},
    {ACCEPTED("finding SIZ-001 at e does stop @loses 1"), "expected a statement of a vector, or \"}\", found \"loses\""},
    {ACCEPTED("lost @1"), "expected a name of the trace, found \"1\""},
    {ACCEPTED("lost @x"), "expected a loop variable, or a name of the trace, found \"x\""},
    {ACCEPTED("lost e f @from e"), "expected one event before \"from\", found more"},
    {ACCEPTED("lost e as @x"), "expected a kind of region, such as damaged, slack or tail, found \"x\""},
    {ACCEPTED("opaque @x"), "expected a loop variable, or a name of the trace, found \"x\""},
    {ACCEPTED("expect @x.id = 1"), "expected a loop variable, or a name of the trace, found \"x\""},
    {ACCEPTED("expect e @= 1"), "expected \".\", found \"=\""},
    {ACCEPTED("expect e.@1 = 1"), "expected a field, found \"1\""},
    {ACCEPTED("expect e.id @1"), "expected \"=\", found \"1\""},
    {ACCEPTED("region e @end(e) slack"), "expected \"..\", found \"end\""},
    {ACCEPTED("region e .. @f slack"), "expected a place at or after the first one and in the same bytes, found another"},
    {ACCEPTED("region e .. @b slack"), "expected a place at or after the first one and in the same bytes, found another"},
    {ACCEPTED("region e .. end(e) @x"), "expected a kind of region, such as damaged, slack or tail, found \"x\""},
};

/* A text: a head, and one line repeated many times. */
static void check_many(const char *head, const char *part, unsigned times, const char *tail, const char *message)
{
    const size_t size = strlen(part);
    char *text = calloc(1, strlen(head) + times * size + strlen(tail) + 1);
    build_recipe_error error;
    if (text == NULL)
        abort();
    (void)strcpy(text, head);
    for (size_t i = 0, at = strlen(head); i < times; i++, at += size)
        memcpy(text + at, part, size);
    memcpy(text + strlen(head) + times * size, tail, strlen(tail));
    CHECK(!build_recipe_read(text, strlen(text), NAME, BUILD_RECIPE_WORK_MAX, take_any, NULL, &error));
    CHECK_TEXT(message, error.text);
    free(text);
}

static void test_limits(void)
{
    check_many(ACCEPTED("") "vector w { title \"t\" accept ", "lost e ", 4097, "}",
               "expected at most 4096 claims, found more");
    check_many(ACCEPTED("") "vector w { title \"t\" accept ", "finding SIZ-001 at e ", 4097, "}",
               "expected at most 4096 findings, found more");
    check_many(ACCEPTED("") "vector w { title \"t\" accept set e.data = u8(", "1, ", 256, "1)}",
               "expected at most 256 arguments, found more");
    check_many(HEAD, "repeat over n in 1 { ", 65, "",
               "expected at most 64 blocks, parentheses or signs in one another, found more");
    check_many(HEAD "trace { bytes x tail { ", "data = zeros(0x1000000) ", 17, "} }",
               "expected a recipe that needs at most 256 MiB, found one that needs more");
    check_many(HEAD "repeat over d in zeros(0x1000000) { trace { bytes x tail { ", "data = d ", 16, "} } }",
               "expected a recipe that needs at most 256 MiB, found one that needs more");
    check_many(HEAD "repeat over n in 0 .. 63 { repeat over d in zeros(0x1000000) { ", "source \"x\" ", 1, "} }",
               "expected a recipe that makes at most 1024 MiB, found one that makes more");
    check_many(HEAD "trace { buffer b { BufferSize = 0x1000000 } } repeat over n in 0 .. 63 { vector v{n} { title \"t\" ",
               "accept ", 1, "} }", "expected a recipe that makes at most 1024 MiB, found one that makes more");
#define TURNS HEAD "repeat over n in 0 .. 127 { repeat over m in 0 .. 255 { "
    check_many(TURNS, "trace { } ", 1, "} }", "expected a recipe that makes at most 1024 MiB, found one that makes more");
    check_many(TURNS, "memory ETW_GUID_ENTRY \"2004\" \"x64\" { } ", 1, "} }",
               "expected a recipe that makes at most 1024 MiB, found one that makes more");
    check_many(TURNS, "source \"x\" ", 100, "} }",
               "expected a recipe that makes at most 1024 MiB, found one that makes more");
    check_many(HEAD TRACE "repeat over n in 0 .. 8191 { vector v{n} { title \"t\" accept } } vector w { ", "", 0, "",
               "expected at most 8192 vectors in a recipe, found more");
    check_many(HEAD TRACE "repeat over n in \"", "0123456789abcdef", 1 << 16,
               "\" { source \"{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}{n}\" }",
               "expected at most 16 MiB, found more");
}

/* A trace counts as 64 KiB of work: 1 MiB allows sixteen, and 2 MiB seventeen. */
static void test_work(void)
{
    static const char text[] = HEAD "repeat over n in 1 .. 16 { trace { } } " TRACE "vector v { title \"t\" accept }";
    build_recipe_error error;
    CHECK(!build_recipe_read(text, strlen(text), NAME, 1 << 20, take_any, NULL, &error));
    CHECK_TEXT("expected a recipe that makes at most 1 MiB, found one that makes more", error.text);
    CHECK(build_recipe_read(text, strlen(text), NAME, 2 << 20, take_any, NULL, &error));
}

static bool stop(void *context, const build_vector *vector)
{
    CHECK_TEXT("v", vector->id);
    ++*(unsigned *)context;
    return false;
}

static void test_sink_that_stops(void)
{
    static const char text[] = ACCEPTED("") "vector w { title \"t\" accept }";
    unsigned count = 0;
    build_recipe_error error = {.line = 7};
    CHECK(!build_recipe_read(text, strlen(text), NAME, BUILD_RECIPE_WORK_MAX, stop, &count, &error));
    CHECK_UINT(0, error.line);
    CHECK_UINT(1, count);
}

/* A NUL does not end a recipe. */
static void test_nul(void)
{
    static const char text[] = "recipe \"r\"\n \0";
    build_recipe_error error;
    CHECK(!build_recipe_read(text, sizeof text - 1, NAME, BUILD_RECIPE_WORK_MAX, take_any, NULL, &error));
    CHECK_TEXT("expected a word, a number, a string or a sign, found byte 0x00", error.text);
    CHECK_UINT(2, error.line);
    CHECK_UINT(2, error.column);
}

int main(void)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        check_fault(NAME, faults[i].text, faults[i].message);
    test_limits();
    test_work();
    test_sink_that_stops();
    test_nul();
    return test_result();
}

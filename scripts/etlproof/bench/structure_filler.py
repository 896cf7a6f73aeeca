# SPDX-License-Identifier: Apache-2.0
"""Fills a structure of a layout with values as a structure in use might have them."""
import datetime
import functools
import operator
import uuid

from runner import format_facts
from . import memory_facts
from .memory_worlds import SYSTEMTIME

NEVER_NULL = {"LoggerThread", "SiloState", "GetCpuClock", "SecurityDescriptor", "ProcessorBuffers", "LoggerHeader"}
OFTEN_NULL = {"FilterData", "ServerSilo", "HostEntry", "LockOwner", "TransitionConsumer", "PmcData", "LbrData", "IptData",
              "StackCache", "SoftRestartContext", "CompressionTarget", "CompressionWorkspace", "PlaceholderList",
              "DecodeControlList", "BufferCallback", "CallbackContext", "PeriodicCaptureStateTimer", "LastDroppedTime",
              "FlushingLastDroppedTime", "BufferMdl", "EnableFlagArray", "SequencePtr", "LoggerExtension",
              "(buffer for compressed data)"}
# The usual modes of a session.
MODES = [format_facts.constants("logger_modes.def", "ETL_LOGGER_MODE")[name] for name in (
    "FILE_MODE_SEQUENTIAL", "FILE_MODE_CIRCULAR", "FILE_MODE_APPEND", "FILE_MODE_NEWFILE", "REAL_TIME_MODE",
    "BUFFERING_MODE", "ADD_HEADER_MODE", "SECURE_MODE", "FILE_MODE_PREALLOCATE", "SYSTEM_LOGGER_MODE",
    "NO_PER_PROCESSOR_BUFFERING", "COMPRESSED_MODE", "USE_KBYTES_FOR_SIZE")]
NAME_LENGTHS = {"LogFileName": 0.5, "LogFilePattern": 0.1, "NewLogFileName": 0.06, "RealtimeLogfileName": 0.25}
BUFFER_HEADER = format_facts.size_of("WMI_BUFFER_HEADER_61")
FILETIME_EPOCH = datetime.datetime(1601, 1, 1)


class Session:
    """The values that the members of one structure share."""

    def __init__(self, rng, world):
        self.clock = rng.choice(world.clocks)
        self.buffer = rng.choice(world.buffer_sizes)
        self.least = rng.choice([2, 4, 8, 16, 20, 64])
        self.most = self.least + rng.choice([0, 2, 20, 22, 100])
        self.buffers = rng.randint(self.least, self.most)
        self.peak = rng.randint(self.buffers, self.most)
        self.available = rng.randint(0, self.buffers)
        self.written = rng.choice([0, rng.randint(1, 50), rng.randint(1, 200000)])
        self.live = rng.random() < 0.5
        day = datetime.datetime(rng.randint(*world.years), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23))
        self.start = (day - FILETIME_EPOCH) // datetime.timedelta(microseconds=1) * 10 + rng.randint(0, 10**10)
        self.ticks = rng.randint(10**7, 10**13)


class Filler:
    def __init__(self, layout, world, rng):
        self.layout, self.world, self.rng = layout, world, rng
        self.session = Session(rng, world)
        self.address = self.pool(16 if layout.pointer == 8 else 8)
        self.bytes = bytearray(layout.size)

    # Addresses

    def pool(self, step=0):
        side = "kernel" if self.layout.kernel else "user"
        base, size = self.rng.choice(getattr(self.world, f"{side}_{self.layout.arch}"))
        return base + self.rng.randrange(size) // (step or 2 * self.layout.pointer) * (step or 2 * self.layout.pointer)

    def code(self):
        side = "code" if self.layout.kernel else "user_code"
        base, size = getattr(self.world, f"{side}_{self.layout.arch}")
        return base + self.rng.randrange(size) // self.world.code_step * self.world.code_step

    def maybe(self, share):
        return self.rng.random() < share

    def put(self, offset, size, value):
        self.bytes[offset:offset + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    def put_pointer(self, offset, value):
        self.put(offset, self.layout.pointer, value)

    def put_parts(self, offset, kind, **values):
        """Sets the named parts of a member that is a structure; the other parts keep their bytes."""
        parts = memory_facts.parts_of(kind, self.layout.arch)
        for name, value in values.items():
            at, size = parts[name]
            self.put(offset + at, size, value)

    # Kinds

    def list_entry(self, offset, empty=None):
        draw = self.rng.random()
        if empty or (empty is None and draw < self.world.empty_list):
            links = [self.address + offset] * 2
        elif draw < self.world.empty_list + self.world.single_list:
            links = [self.pool()] * 2
        else:
            links = [self.pool(), self.pool()]
        self.put_parts(offset, "LIST_ENTRY", Flink=links[0], Blink=links[1])

    def pointer_value(self, name):
        share = 1.0 if name in NEVER_NULL else self.world.optional if name in OFTEN_NULL else self.world.usual
        if not self.maybe(share):
            return 0
        return self.code() if name in ("GetCpuClock", "BufferCallback") else self.pool()

    def string(self, offset, name):
        text = self.rng.choice(self.world.names)
        if name != "LoggerName":
            if not self.maybe(NAME_LENGTHS.get(name, 0.3)):
                return
            text = "\\??\\C:\\Windows\\System32\\LogFiles\\WMI\\" + text + ".etl"
        length = len(text.encode("utf-16-le"))
        self.put_parts(offset, "UNICODE_STRING", Length=length, MaximumLength=length + self.rng.choice([0, 2, 2, 64]),
                       Buffer=self.pool())

    def guid(self):
        if self.maybe(self.world.odd_guid):
            return self.rng.randbytes(16)
        value = bytearray(uuid.UUID(int=self.rng.getrandbits(128), version=self.rng.choice([1, 4, 4, 4, 5])).bytes_le)
        return bytes(value)

    def enable_info(self, offset):
        """Fills eight entries behind `offset`; the member at `offset` combines all of them."""
        infos, taken, size = [], set(), memory_facts.size_in_memory("TRACE_ENABLE_INFO", self.layout.arch)
        used = self.rng.choice([1, 1, 1, 2, 3, 8]) if self.maybe(self.world.enabled) else 0
        for place in range(8):
            if place < used:
                infos.append(self.one_enabled(taken))
            else:
                infos.append(self.left_behind() if self.maybe(self.world.stale) else {})
        self.rng.shuffle(infos)
        self.bytes[offset + size:offset + size * 9] = bytes(8 * size)
        for place, info in enumerate(infos, 1):
            self.put_parts(offset + place * size, "TRACE_ENABLE_INFO", **info)
        on = [info for info in infos if info.get("IsEnabled")]
        if on:
            self.bytes[offset:offset + size] = bytes(size)
            self.put_parts(offset, "TRACE_ENABLE_INFO", IsEnabled=1, Level=max(info["Level"] for info in on),
                           MatchAnyKeyword=functools.reduce(operator.or_, [info["MatchAnyKeyword"] for info in on]),
                           MatchAllKeyword=functools.reduce(operator.and_, [info["MatchAllKeyword"] for info in on]))

    def one_enabled(self, taken):
        logger = self.rng.choice([i for i in range(1, 64) if i not in taken])
        taken.add(logger)
        any_keyword = self.rng.choice([0, 0xFFFFFFFFFFFFFFFF, 0x8000000000000000, self.rng.getrandbits(16),
                                       self.rng.getrandbits(63)])
        return {"IsEnabled": 1, "Level": self.rng.choice([2, 4, 5, 5, 255]), "LoggerId": logger,
                "EnableProperty": self.rng.choice([0, 0, 1, 4, 0x40]), "MatchAnyKeyword": any_keyword,
                "MatchAllKeyword": self.rng.choice([0, 0, 0, any_keyword])}

    def left_behind(self):
        return {"Level": 4, "LoggerId": self.rng.randint(1, 63), "MatchAnyKeyword": self.rng.getrandbits(32)}

    def handle(self):
        draw = self.rng.random()
        if draw < 0.3:
            return 0
        value = self.rng.randint(1, 0x4000) * 4
        if draw < 0.6 and self.layout.kernel:
            value |= 0xFFFFFFFF80000000
        return value

    def dispatcher(self, offset, size, kind):
        """DISPATCHER_HEADER of wdm.h: type, three more bytes (the third is the size in dwords), state, list."""
        self.bytes[offset:offset + size] = bytes(size)
        self.put(offset, 1, kind)
        self.put(offset + 2, 1, size // 4)
        self.put(offset + 4, 4, self.rng.choice([0, 1]))
        self.list_entry(offset + 8, empty=self.maybe(0.8))

    def opaque(self, offset, size, text):
        kinds = {"KEVENT": 0, "KMUTANT": 2, "KSEMAPHORE": 5, "KTIMER": 8}
        if text in kinds:
            return self.dispatcher(offset, size, kinds[text])
        if text in ("KSPIN_LOCK", "EX_PUSH_LOCK", "CONDITION_VARIABLE") and self.maybe(0.9):
            return None
        if text in ("KDPC", "WORK_QUEUE_ITEM", "SLIST_HEADER", "SECURITY_CLIENT_CONTEXT", "CRITICAL_SECTION"):
            return self.words(offset, size, [0, 0, self.pool(), self.rng.getrandbits(16), self.code()])
        if self.maybe(0.5):
            self.bytes[offset:offset + size] = self.rng.randbytes(size)
        return None

    def words(self, offset, size, values):
        for at in range(offset, offset + size - self.layout.pointer + 1, self.layout.pointer):
            self.put_pointer(at, self.rng.choice(values))

    def last_enable(self, offset):
        if self.layout.windows != "6.0-late":
            self.put_parts(offset, "ETW_LAST_ENABLE_INFO",
                           EnableFlags=self.rng.choice([0, self.rng.randint(1, 9), self.rng.getrandbits(40)]))
        elif self.maybe(self.world.legacy):
            self.put_parts(offset, "ETW_LAST_ENABLE_INFO",
                           EnableFlags=self.rng.choice([0xFFFFFFFF, 0x1F, self.rng.getrandbits(32)]),
                           LoggerId=self.rng.randint(1, 63), Level=5, Enabled_InternalFlag=1)

    # Numbers

    def number(self, name, size):
        known = self.numbers().get(name)
        if known is not None:
            return known
        if "Lost" in name or name == "FailureReason":
            return self.rng.randint(1, 40) if self.maybe(self.world.lost) else 0
        if name in ("EventMarker", "ErrorMarker", "SizeMask", "EnableFlags", "StackTraceFilter", "MatchId"):
            return self.rng.getrandbits(8 * size)
        if "Offset" in name or "Size" in name or "Usage" in name or "size" in name:
            return self.rng.choice([0, self.rng.randrange(1 << (20 if size == 4 else 30))])
        if "Time" in name or "Duration" in name or "Qpc" in name:
            return self.rng.choice([0, self.rng.randrange(1 << min(8 * size - 2, 40))])
        return self.rng.choice([0, 0, 1, self.rng.randint(2, 100), self.rng.randint(2, 60000)])

    def numbers(self):
        rng, s = self.rng, self.session
        on = int(s.live)
        return {
            "LoggerId": rng.randint(1, 63) if self.maybe(0.95) else 0, "BufferSize": s.buffer,
            "MaximumEventSize": max(s.buffer - rng.choice([BUFFER_HEADER, BUFFER_HEADER, BUFFER_HEADER, 0x80]), 0x100),
            "(unknown 32-bit page-aligned buffer size)": -(-s.buffer // 0x1000) * 0x1000,
            "MinimumBuffers": s.least, "MaximumBuffers": s.most, "NumberOfBuffers": s.buffers,
            "BuffersAvailable": s.available, "PeakBuffersCount": s.peak, "BuffersWritten": s.written,
            "NumberOfProcessors": rng.choice([1, 2, 4, 8, 12, 64]), "ClockType": s.clock, "UsePerfClock": s.clock,
            "GetCpuClock": {SYSTEMTIME: 0}.get(s.clock, s.clock),  # from 2004 on, where 0 is the system time
            "CollectionOn": 1 if self.maybe(0.95) else 0, "AcceptNewEvents": 1, "Wow": 0,
            "KernelTraceOn": rng.choice([0, 0, 1]),
            "RealtimeLoggerContextFreed": 0, "NewConsumer": rng.choice([0, 0, 1]), "HostSilo": rng.choice([0, 1]),
            "LegacyProviderEnabled": int(self.maybe(self.world.legacy)), "CompressionOn": rng.choice([0, 0, 1]),
            "CompressionWorkItemState": rng.choice([0, 0, 1]), "CompressionResumptionMode": rng.choice([0, 0, 1, 2]),
            "PeriodicCaptureStateTimerState": rng.choice([0, 0, 1]), "PoolType": rng.choice([0, 1, 512]),
            "MaximumIrql": rng.choice([0, 2, 15]), "NumConsumers": rng.choice([0, 0, 1, 2]), "DecodeControlCount": 0,
            "SwitchingInProgress": 0, "PerfLogInTransition": 0, "FileCounter": rng.choice([0, 0, 3]),
            "FlushTimer": rng.choice([0, 1, 5, 60]), "FlushThreshold": rng.choice([0, 0, 4]),
            "RealTimeBuffersDelivered": rng.randint(1, 30000) if s.live else 0,
            "RealtimeBuffersSaved": on * rng.choice([0, 3]),
            "RefCount": rng.choice([1, 1, 2, 3, rng.randint(4, 300)]), "LoggerMode": self.mode(), "Flags": self.flags(),
            "RequestFlag": 1 << rng.randrange(4) if self.maybe(0.1) else 0, "StartTime": s.start,
            "ReferenceSystemTime": s.start, "ReferenceTimeStamp": s.ticks, "LastFlushedBuffer": rng.choice([0, s.written]),
            "BufferAgeLimit": -150000000, "LocalSequence": rng.choice([0, rng.randint(1, 99999)]),
            "BufferSequenceNumber": rng.choice([0, s.written]), "MaximumFileSize": rng.choice([0, 0, 1, 20, 100, 4096]),
        }

    def mode(self):
        value = 0
        for bit in self.rng.sample(MODES, self.rng.randint(1, 3)):
            value |= bit
        return value

    def flags(self):
        bits = dict(memory_facts.bits_in_memory("FLAGS", self.layout.windows))
        index = bits.pop("SystemLoggerIndex", 0)
        value = self.rng.getrandbits(16) & self.rng.getrandbits(16) & functools.reduce(operator.or_, bits.values())
        if index:
            value |= self.rng.choice([0, index, index & -index])
        return value

    # Members

    def fill_one(self, member, offset, size):
        kind, name = member["kind"], member["name"]
        if kind == "POINTER":
            self.put(offset, size, self.pointer_value(name) if name != "RealtimeLogfileHandle" else self.handle())
        elif kind == "FAST_REF":
            self.put(offset, size, self.pool() | self.rng.randrange(size) if self.maybe(0.8) else 0)
        elif kind == "LIST_ENTRY":
            self.list_entry(offset, empty=False if name == "GuidList" else None)
        elif kind == "UNICODE_STRING":
            self.string(offset, name)
        elif kind == "GUID":
            self.bytes[offset:offset + 16] = self.guid()
        elif kind == "HANDLE":
            self.put(offset, size, self.handle())
        elif kind == "STATUS" or name == "LoggerStatus":
            self.put(offset, size, self.rng.choice([0x103, 0xC000009A, 0xC0000188]) if self.maybe(self.world.failed) else 0)
        elif kind in ("SIGNED", "UNSIGNED"):
            self.put(offset, size, self.number(name, size))
        else:
            self.fill_rest(member, offset, size)

    def fill_rest(self, member, offset, size):
        kind, rng = member["kind"], self.rng
        if kind == "ETW_REF_CLOCK" and (member["name"] == "ReferenceTime" or self.maybe(0.4)):
            self.put_parts(offset, "ETW_REF_CLOCK", StartTime=self.session.start, StartPerfClock=self.session.ticks)
        elif kind == "RTL_BITMAP" and self.maybe(0.4):
            self.put_parts(offset, "RTL_BITMAP", SizeOfBitMap=0x10000, Buffer=self.pool())
        elif kind in ("ETW_BUFFER_QUEUE", "ETW_BUFFER_QUEUE_1607"):
            self.words(offset, size, [self.pool(), self.pool(), self.pool()])
        elif kind == "TRACE_ENABLE_CONTEXT" and self.maybe(self.world.legacy):
            self.put_parts(offset, "TRACE_ENABLE_CONTEXT", LoggerId=rng.randint(1, 63), Level=5, InternalFlag=1,
                           EnableFlags=rng.choice([0xFFFFFFFF, 0x1F]))
        elif kind == "ETW_LAST_ENABLE_INFO":
            self.last_enable(offset)
        elif kind == "BYTES":
            self.opaque(offset, size, member["type"])

    def fill(self):
        """Returns the bytes of the structure and their address."""
        starts = set()
        for member in self.layout.members:
            if member["name"] == "ProviderEnableInfo":
                self.enable_info(member["offset"])
            elif member["name"] != "EnableInfo" and (member["offset"] not in starts or member["kind"] == "FAST_REF"):
                size = member["size"] // member["count"]
                for index in range(member["count"]):
                    self.fill_one(member, member["offset"] + index * size, size)
            starts.add(member["offset"])
        self.fill_gaps()
        if self.maybe(self.world.half):
            cut = self.rng.randint(self.layout.size // 2, self.layout.size)
            self.bytes[cut:] = bytes(self.layout.size - cut)
        return bytes(self.bytes), self.address

    def fill_gaps(self):
        end = 0
        for member in self.layout.members + [{"offset": self.layout.size, "size": 0}]:
            if member["offset"] > end and self.maybe(self.world.garbage):
                self.bytes[end:member["offset"]] = self.rng.randbytes(member["offset"] - end)
            end = max(end, member["offset"] + member["size"])


def build(layout, world, rng):
    return Filler(layout, world, rng).fill()

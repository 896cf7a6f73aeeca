# SPDX-License-Identifier: Apache-2.0
"""Three made-up machines, which differ in the addresses of their pools, in how often members are set, in names and in
noise. The first was used to set the scores, the wrong guesses about the second were inspected, and the third is only
measured."""
from runner.format_facts import constants

RAW, PERFCOUNTER, SYSTEMTIME, CPUCYCLE = (constants("clock_types.def", "ETL_CLOCK_TYPE")[name] for name in (
    "RAW", "PERFCOUNTER", "SYSTEMTIME", "CPUCYCLE"))


class World:
    kernel_x64 = [(0xFFFFFA8000000000, 1 << 33), (0xFFFFA10000000000, 1 << 34)]
    code_x64 = (0xFFFFF80100000000, 1 << 26)
    kernel_x86 = [(0x84000000, 1 << 25), (0x8A000000, 1 << 26)]
    code_x86 = (0x82600000, 1 << 23)
    user_x64 = [(0x000001F000000000, 1 << 32)]
    user_code_x64 = (0x00007FF900000000, 1 << 28)
    user_x86 = [(0x00300000, 1 << 22), (0x02000000, 1 << 24)]
    user_code_x86 = (0x76000000, 1 << 25)
    code_step = 16
    names = ["NT Kernel Logger", "Circular Kernel Context Logger", "EventLog-System", "EventLog-Application", "DiagLog",
             "WdiContextLog", "UBPM", "LwtNetLog", "SQMLogger", "Tpm"]
    buffer_sizes = [0x1000, 0x2000, 0x4000, 0x8000, 0x10000, 0x20000, 0x40000]
    years = (2008, 2021)
    optional = 0.08   # a pointer that is usually null is set
    usual = 0.75      # a pointer that is usually set is set
    empty_list = 0.55
    single_list = 0.15
    enabled = 0.5     # a provider is enabled by a session
    stale = 0.1       # a slot was used by a session that has ended
    odd_guid = 0.03
    garbage = 0.03    # padding is not zero
    half = 0.03       # a structure is not initialised, or is being destroyed
    lost = 0.06       # a counter of losses is not 0
    failed = 0.05
    clocks = [PERFCOUNTER, PERFCOUNTER, PERFCOUNTER, PERFCOUNTER, SYSTEMTIME, SYSTEMTIME, CPUCYCLE]
    legacy = 0.5      # a provider of the first kind was enabled, where that can be seen
    blocks = 0.9      # the structure lies in a block of a pool or a heap, not at an arbitrary address
    noises = ["random", "zeros", "text", "pointers", "pool"]


class Seen(World):
    kernel_x64 = [(0xFFFF800000000000, 1 << 40), (0xFFFFC40000000000, 1 << 36), (0xFFFFE00000000000, 1 << 35)]
    code_x64 = (0xFFFFF80700000000, 1 << 30)
    kernel_x86 = [(0x80000000, 1 << 28), (0xA0000000, 1 << 27), (0xC0000000, 1 << 29)]
    code_x86 = (0x80500000, 1 << 22)
    user_x64 = [(0x0000020000000000, 1 << 38), (0x0000000000400000, 1 << 24)]
    user_code_x64 = (0x00007FFD00000000, 1 << 30)
    user_x86 = [(0x00010000, 1 << 26), (0x10000000, 1 << 28)]
    user_code_x86 = (0x6F000000, 1 << 27)
    code_step = 4
    names = ["a", "Audio", "ContosoTelemetrySessionOfTheThirdShift", "PerfTrack", "MSMQ", "ReadyBoot", "Стрим", "xperf-14",
             "NetCore-Diagnostics-0b8b6a0a-7d0e-4b62-b2f7-6d4f1f6a1c55"]
    buffer_sizes = [0x400, 0xC00, 0x6000, 0x10000, 0x80000, 0x100000, 0x4000]
    years = (2001, 2030)
    optional = 0.2
    usual = 0.6
    empty_list = 0.4
    single_list = 0.25
    enabled = 0.4
    stale = 0.2
    odd_guid = 0.08
    garbage = 0.08
    half = 0.08
    lost = 0.12
    failed = 0.1
    clocks = [PERFCOUNTER, PERFCOUNTER, SYSTEMTIME, CPUCYCLE, RAW]
    legacy = 0.5
    blocks = 0.8
    noises = ["random", "zeros", "text16", "pointers", "pool", "counters"]


class HeldOut(World):
    kernel_x64 = [(0xFFFF9D0000000000, 1 << 38), (0xFFFFB78000000000, 1 << 33), (0xFFFFF8A000000000, 1 << 35)]
    code_x64 = (0xFFFFF80000000000, 1 << 32)
    kernel_x86 = [(0x88000000, 1 << 26), (0x94000000, 1 << 25), (0xE1000000, 1 << 27)]
    code_x86 = (0x81800000, 1 << 23)
    user_x64 = [(0x0000000000100000, 1 << 26), (0x0000014000000000, 1 << 36)]
    user_code_x64 = (0x00007FFA00000000, 1 << 31)
    user_x86 = [(0x00150000, 1 << 24), (0x05000000, 1 << 27)]
    user_code_x86 = (0x77000000, 1 << 25)
    code_step = 8
    names = ["BootCKCL", "Microsoft-Windows-Setup", "8", "WFP-IPsec Trace", "ScreenOnPowerStudyTraceSession", "Größe",
             "umstartup", "SCM", "MSDTC_TRACE_SESSION", "COM+ {D7A2B1F4-7C2E-4C0B-9B5B-0A3A5B1B8D11}"]
    buffer_sizes = [0x800, 0x1000, 0x5000, 0x8000, 0x40000, 0x100000, 0x400000]
    years = (2003, 2026)
    optional = 0.22
    usual = 0.55
    empty_list = 0.35
    single_list = 0.3
    enabled = 0.35
    stale = 0.25
    odd_guid = 0.06
    garbage = 0.1
    half = 0.06
    lost = 0.15
    failed = 0.12
    clocks = [PERFCOUNTER, SYSTEMTIME, SYSTEMTIME, CPUCYCLE, CPUCYCLE, RAW]
    legacy = 0.4
    blocks = 0.75
    noises = ["random", "zeros", "text", "text16", "pointers", "pool", "counters"]


TUNED, SEEN, HELD_OUT = World(), Seen(), HeldOut()

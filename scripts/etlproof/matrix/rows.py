# SPDX-License-Identifier: Apache-2.0
"""The rows of the matrix: one compiler, machine and C standard each."""
from typing import NamedTuple


class Row(NamedTuple):
    name: str
    title: str
    compiler: str
    packages: str                    # of Debian, which provide the compiler and the emulator
    options: tuple[str, ...] = ()    # for CMake
    emulator: tuple[str, ...] = ()   # the command that runs the programs of the row
    left_out: tuple[str, ...] = ()   # tests that the row cannot run, by the start of their names
    suffix: str = ""                 # of its programs
    script: str = ""                 # compares what the programs print with those of the first row


# qemu-user cannot start a program of the machine that it emulates. Under qemu-i386 7.2, a child process hangs.
_STARTS_PROGRAMS = "minimise-command-process"
_FORK = ("fuzz-", "engine-afl", "engine-libfuzzer")
# A static program cannot load the mutator.
_LOADS = ("engine-afl-mutator",)


def _standard(name, compiler, standard):
    title = f"{compiler}, C{standard}"
    return Row(name, title, compiler, compiler, (f"-DCMAKE_C_STANDARD={standard}",))


def _machine(name, title, triple, emulator, *left_out):
    return Row(name, title, f"{triple}-gcc", f"gcc-{triple} libc6-dev-{name}-cross qemu-user-static",
               ("-DCMAKE_SYSTEM_NAME=Linux",), (*emulator.split(), "-L", f"/usr/{triple}"), (_STARTS_PROGRAMS, *left_out))


# With lld, since the linker must see all of a program at once. Without -fcf-protection, which the release has: clang 14
# jumps between the entries of its tables if they begin with endbr64.
_CFI = "-flto -fsanitize=cfi -fvisibility=hidden -fno-sanitize-trap=cfi"

ROWS = (
    _standard("gcc", "gcc", 11),
    _standard("gcc-c17", "gcc", 17),
    _standard("gcc-c23", "gcc", 23),
    _standard("clang", "clang", 11),
    _standard("clang-19", "clang-19", 23),
    _machine("i386", "32-bit x86", "i686-linux-gnu", "qemu-i386-static", *_FORK),
    _machine("armhf", "32-bit ARM", "arm-linux-gnueabihf", "qemu-arm-static"),
    # The build signs its return addresses. Their usual cipher takes most of the time of an emulated program.
    _machine("arm64", "64-bit ARM", "aarch64-linux-gnu", "qemu-aarch64-static -cpu max,pauth-impdef=on"),
    _machine("s390x", "64-bit, big-endian", "s390x-linux-gnu", "qemu-s390x-static"),
    Row("musl", "musl, static", "musl-gcc", "musl-tools", ("-DCMAKE_EXE_LINKER_FLAGS=-static",), left_out=_LOADS),
    Row("static-pie", "glibc, static and position-independent", "gcc", "gcc",
        ("-DCMAKE_EXE_LINKER_FLAGS=-static-pie",), left_out=_LOADS),
    Row("cfi", "clang with control-flow integrity", "clang", "clang lld libclang-rt-dev",
        (f"-DCMAKE_C_FLAGS={_CFI}", "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld", "-DCMAKE_AR=/usr/bin/llvm-ar",
         "-DCMAKE_RANLIB=/usr/bin/llvm-ranlib", "-DETLPROOF_HARDEN=OFF", "-DETLPROOF_HARNESS=OFF")),
    Row("tsan", "gcc with ThreadSanitizer", "gcc", "gcc", ("-DETLPROOF_SANITIZE=thread", "-DETLPROOF_HARNESS=OFF")),
    Row("windows", "Windows, mingw-w64 and wine", "x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64 wine",
        ("-DCMAKE_SYSTEM_NAME=Windows",), ("wine",), suffix=".exe", script="compare-windows"),
)

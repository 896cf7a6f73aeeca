#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A toy parser: finds buffers and events, and reports where they are and how long."""
import json
import struct
import sys


def events(file, buffer):
    size, extent = struct.unpack_from("<I44xI", file, buffer)
    at, end = buffer + 72, buffer + min(size, extent)
    if end > len(file):
        sys.exit(1)  # reject
    while at + 8 <= end:
        first, kind, marker, second = struct.unpack_from("<HBBH", file, at)
        kind = 0x0F if marker == 0x90 else kind  # a WPP message
        size = first if kind in (0x0A, 0x0B, 0x0F, 0x12, 0x13, 0x14, 0x15) else second
        if not 8 <= size <= end - at:
            sys.exit(1)  # reject
        yield {"rec": "event", "offset": str(at), "header_type": f"0x{kind:02x}", "size": size}
        at += (size + 7) & ~7  # events start at multiples of 8


if sys.argv[1] == "--describe":
    print('{"name": "toy", "version": "1", "records": {"event": ["offset", "header_type", "size"]}}')
    sys.exit(0)
file, buffer = open(sys.argv[1], "rb").read(), 0
while buffer + 72 <= len(file):
    for event in events(file, buffer):
        print(json.dumps(event))
    buffer += max(72, *struct.unpack_from("<I", file, buffer))

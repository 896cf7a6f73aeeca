# SPDX-License-Identifier: Apache-2.0
"""Inflates plain LZ77 XPRESS (MS-XCA), so that a report can show the bytes of a compressed buffer; writes such streams."""

_LITERALS = 32  # bytes for which one flag word stands


def inflate(stream, limit):
    """At most `limit` bytes. For a damaged stream, the bytes before its fault; the vector describes the fault."""
    out = bytearray()
    reader = _Reader(stream)
    flags = count = 0
    try:
        while len(out) < limit:
            if count == 0:
                flags, count = reader.number(4), 32
            count -= 1
            if flags >> count & 1:
                length, distance = reader.match()
                if distance > len(out):
                    break
                for _ in range(min(length, limit - len(out))):
                    out.append(out[-distance])
            else:
                out.append(reader.number(1))
    except EOFError:
        pass
    return bytes(out)


def stream_of(data):
    """The longest stream that inflates to the data: each byte is a literal."""
    return b"".join(bytes(4) + data[at:at + _LITERALS] for at in range(0, len(data), _LITERALS))


class _Reader:
    def __init__(self, stream):
        self.stream, self.at = stream, 0
        self.half = None  # the high half of the last shared byte, until it is used

    def number(self, size):
        if self.at + size > len(self.stream):
            raise EOFError
        self.at += size
        return int.from_bytes(self.stream[self.at - size:self.at], "little")

    def match(self):
        word = self.number(2)
        length = word & 7
        if length == 7:
            length += self._nibble()
            if length == 7 + 15:
                length += self.number(1)
                if length == 7 + 15 + 255:
                    length = self.number(2) or self.number(4)
        return length + 3, (word >> 3) + 1

    def _nibble(self):
        if self.half is None:
            byte = self.number(1)
            self.half = byte >> 4
            return byte & 15
        half, self.half = self.half, None
        return half

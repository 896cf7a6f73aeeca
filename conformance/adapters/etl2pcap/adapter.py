# SPDX-License-Identifier: Apache-2.0
"""Adapter of aaptel's etl2pcap; README.md explains what it declares. Run by ../protocol.py."""
import protocol

etl2pcap = protocol.import_parser("ETL2PCAP_DIR", "etl2pcap", "aaptel's etl2pcap")

DESCRIPTION = {
    "name": "etl2pcap",
    "version": protocol.version_of("etl2pcap", etl2pcap),
    "language": "Python",
    "url": "https://github.com/aaptel/etl2pcap",
    "verdict": True,
    "records": {},
}


def parse(path, _):
    with open(path, "rb") as file:
        contents = file.read()
    for _ in etl2pcap.etl_frames(contents):
        pass


if __name__ == "__main__":
    protocol.main(DESCRIPTION, parse)

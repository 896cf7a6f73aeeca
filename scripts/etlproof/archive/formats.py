# SPDX-License-Identifier: Apache-2.0
"""The forms of a package of vectors. Each packs entries, which have a name, a flag and bytes, into the bytes of one file,
with the time of the commit on all of them."""
import base64
import calendar
import gzip
import hashlib
import io
import json
import os
import tarfile
import zipfile
from typing import Callable, NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
SUMMARY = "Vectors for parsers of Windows Event Trace Log (ETL) files, and the runner"
COMMAND = "etlproof-conformance"
PACKAGE = "etlproof_vectors"  # of the wheel


class Form(NamedTuple):
    name: str  # of the file
    pack: Callable[[list, str, tuple], bytes]


def _asset(name):
    with open(os.path.join(HERE, name), "rb") as file:
        return file.read()


def _tar(rows, when):
    """`rows`: (name, executable, data)"""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, executable, data in rows:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), 0o755 if executable else 0o644, calendar.timegm(when)
            archive.addfile(entry, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), mtime=0)


def tar_gz(entries, version, when):
    return _tar([(f"etlproof-vectors-{version}/{name}", *rest) for name, *rest in entries], when)


def npm(entries, version, when):
    package = {"name": "etlproof-vectors", "version": version, "description": SUMMARY, "license": "Apache-2.0",
               "main": "index.js", "bin": {COMMAND: "conformance/run"}, "engines": {"node": ">=18"}}
    own = [("package.json", False, json.dumps(package, indent=2).encode() + b"\n"),
           ("index.js", False, _asset("npm_index.js")), *entries]
    return _tar([(f"package/{name}", *rest) for name, *rest in own], when)


def wheel(entries, version, when):
    """The members of dist-info are those of the binary distribution format of Python, PEP 427."""
    info = f"{PACKAGE}-{version}.dist-info"
    files = [(f"{PACKAGE}/{name}", *rest) for name, *rest in entries]
    files += [(f"{PACKAGE}/__init__.py", False, _asset("wheel_init.py")),
              (f"{info}/METADATA", False, (f"Metadata-Version: 2.1\nName: etlproof-vectors\nVersion: {version}\n"
                                           f"Summary: {SUMMARY}\nLicense: Apache-2.0\n"
                                           "Requires-Python: >=3.11\n").encode()),
              (f"{info}/WHEEL", False, b"Wheel-Version: 1.0\nGenerator: etlproof\nRoot-Is-Purelib: true\n"
                                       b"Tag: py3-none-any\n"),
              (f"{info}/entry_points.txt", False, f"[console_scripts]\n{COMMAND} = {PACKAGE}:main\n".encode())]
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, _, data in files)
    files.append((f"{info}/RECORD", False, f"{record}{info}/RECORD,,\n".encode()))
    return _zip(files, when)


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _zip(rows, when):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, executable, data in rows:
            entry = zipfile.ZipInfo(name, when[:6])
            entry.external_attr = (0o755 if executable else 0o644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


FORMATS = {"tar.gz": Form("etlproof-vectors-{version}.tar.gz", tar_gz),
           "npm": Form("etlproof-vectors-{version}.tgz", npm),
           "wheel": Form(PACKAGE + "-{version}-py3-none-any.whl", wheel)}

# SPDX-License-Identifier: Apache-2.0
"""Builds vectors from recipes with etlproof-build: those of golden/ for conformance/rebuild, and the large vectors, which
are not stored, for every run that asks for them.

recipes-large/MANIFEST.tsv has the SHA-256 of each file that recipes-large/ gives.
"""
import hashlib
import os
import shutil
import subprocess

from .failure import FAILED, INPUT, INTERNAL, OUTPUT, Failure, Writing, read_bytes
from .vectors import LINES, MANIFEST, MANIFEST_COLUMNS, manifest_name, read_folder

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECIPES = os.path.join(_HERE, "recipes")
LARGE = os.path.join(_HERE, "recipes-large")
# Folders that hold the vectors in another form. Git's has every version of them.
SOURCES = (RECIPES, LARGE, os.path.join(os.path.dirname(_HERE), ".git"))


def find_builder(path=None):
    """The path of etlproof-build: `path`, else the newest in build/*/bin, else that on PATH."""
    if path is None:
        builds = os.path.join(_HERE, "..", "build")
        found = [os.path.join(builds, name, "bin", "etlproof-build") for name in os.listdir(builds)] if os.path.isdir(
            builds) else []
        path = max(filter(os.path.isfile, found), key=os.path.getmtime, default=None) or shutil.which("etlproof-build")
    if path is None or not os.path.isfile(path):
        raise Failure(INPUT, f"{path or 'etlproof-build'}: not found; build it first, or name it with --build")
    return os.path.abspath(path)


def find_recipes(folder):
    recipes = sorted(os.path.join(root, name) for root, _, names in os.walk(folder)
                     for name in names if name.endswith(".recipe"))
    if not recipes:
        raise Failure(INPUT, f"{folder}: no *.recipe file")
    return recipes


def run_builder(command):
    """What the command prints."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise Failure(INPUT, f"{command[0]}: cannot be started: {error.strerror}") from error
    if done.returncode != 0:
        code = done.returncode if done.returncode in (FAILED, INPUT, OUTPUT) else INTERNAL
        raise Failure(code, f"{os.path.basename(command[0])} ended with {done.returncode}")
    return done.stdout.decode("utf-8")


def build_all(builder, recipes, folder):
    """The vectors by id, with a manifest beside them. The builder refuses an id that is used twice."""
    run_builder([builder, "--all", folder, *recipes])
    vectors = {vector["id"]: vector for vector in read_folder(folder)}
    _write_manifest(folder, vectors)
    return vectors


def _write_manifest(folder, vectors):
    """Writes a row for each file: its path below the folder and its SHA-256. The runner keeps this order of vectors."""
    hashes = {name.replace(os.sep, "/"): hashlib.sha256(read_bytes(os.path.join(folder, name))).hexdigest()
              for name in files_in(folder)}
    for vector in vectors.values():
        if hashes.get(manifest_name(vector)) != vector["sha256"] or os.path.getsize(vector["path"]) != vector["size"]:
            raise Failure(INTERNAL, f"{vector['path']}: not the size or hash that its expectation has")
    in_order_of_ids = sorted(hashes.items(), key=lambda row: (os.path.splitext(os.path.basename(row[0])), row))
    rows = ["\t".join(row) for row in (MANIFEST_COLUMNS, *in_order_of_ids)]
    with open(os.path.join(folder, MANIFEST), "w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(rows) + "\n")


def files_in(folder):
    """The files of vectors below the folder, as paths relative to it."""
    paths = {os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names}
    return {path for path in paths if path == MANIFEST or path.endswith((".etl", ".bin", LINES))}


def build_large(folder, builder=None):
    """Builds the large vectors in a folder, unless they are there. Raises Failure if they are not those of the manifest."""
    manifest = os.path.join(folder, MANIFEST)
    expected = read_bytes(os.path.join(LARGE, MANIFEST))
    if os.path.isfile(manifest) and read_bytes(manifest) == expected:
        return
    with Writing(folder):
        os.makedirs(folder, exist_ok=True)
        for name in files_in(folder):
            os.remove(os.path.join(folder, name))
    build_all(find_builder(builder), find_recipes(LARGE), folder)
    if read_bytes(manifest) != expected:
        raise Failure(INPUT, f"{folder}: not the vectors of {os.path.join(LARGE, MANIFEST)}; build etlproof again, or "
                             "update the manifest with conformance/rebuild --write")

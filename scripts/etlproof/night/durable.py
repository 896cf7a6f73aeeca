# SPDX-License-Identifier: Apache-2.0
"""Writes files that are complete after a kill, and survive a loss of power."""
import os

from runner import atomic_file
from runner.failure import OUTPUT, Failure


def sync_folder(folder):
    """Makes sure that the names in a folder are on the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write(path, data):
    """Replaces the file in one step; the name is on the disk only after sync_folder()."""
    atomic_file.write(path, data, durable=True)


def make_folders(*folders):
    for folder in folders:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise Failure(OUTPUT, f"{folder}: cannot make the folder: {error.strerror}") from error

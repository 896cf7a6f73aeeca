# SPDX-License-Identifier: Apache-2.0
"""Files that are whole after a kill, and still there after the power was cut."""
import os

from runner.failure import OUTPUT, Failure

NEW = ".new"  # the ending of what is not whole yet


def sync_folder(folder):
    """The names in a folder reach the disk by themselves some time; after this they have."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write(path, data):
    """In one step; the name is on the disk after sync_folder() only."""
    try:
        with open(path + NEW, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + NEW, path)
    except OSError as error:
        raise Failure(OUTPUT, f"{path}: cannot write: {error.strerror}") from error


def make_folders(*folders):
    for folder in folders:
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise Failure(OUTPUT, f"{folder}: cannot make it: {error.strerror}") from error

"""What we wrote into which file of which host: kept in the state folder, one small JSON file for each."""

from __future__ import annotations

import os

from msgspec import DecodeError, ValidationError, json

from commonplace import files
from commonplace.hosts.nouns import Places, Written

FOLDER = "commonplace/hosts"
_NAME = 12  # characters of the digest of a path


def find_record(where: Places, host: str, real: str) -> Written | None:
    """What we wrote into this file; None if nothing, or if nobody knows any more."""
    seen = files.read_foreign(_path(where, host, real))
    if seen.data is None:
        return None
    try:
        record = json.decode(seen.data, type=Written)
    except (DecodeError, ValidationError):
        return None  # half a record is none: our part is then found by its names
    return record if (record.host, record.path) == (host, real) else None


def records(where: Places) -> tuple[Written, ...]:
    """All records, sorted by host and path."""
    found = []
    for name in files.kept_names(f"{where.state}/{FOLDER}"):
        if name.startswith("."):
            continue  # an older version that a kill has left
        data = files.read_foreign(f"{where.state}/{FOLDER}/{name}").data
        try:
            found.append(json.decode(data or b"", type=Written))
        except (DecodeError, ValidationError):
            continue
    return tuple(sorted(found, key=lambda one: (one.host, one.path)))


def keep_record(where: Places, record: Written) -> None:
    """Write a record in the place of an earlier one."""
    seen = files.read_foreign(_path(where, record.host, record.path))
    files.write_foreign(seen, json.encode(record) + b"\n")


def tidy_records(where: Places) -> None:
    """Remove what a kill has left of older versions."""
    if os.path.isdir(f"{where.state}/{FOLDER}"):
        files.tidy(f"{where.state}/{FOLDER}")


def drop_record(where: Places, host: str, real: str) -> None:
    """Forget what we wrote into this file, once it is undone."""
    files.remove_foreign(files.read_foreign(_path(where, host, real)))


def _path(where: Places, host: str, real: str) -> str:
    name = f"{host}-{files.digest(os.fsencode(real))[:_NAME]}.json"
    return os.path.join(where.state, FOLDER, name)

"""Archives: one zip file with a manifest of digests, and at its end the digest of every byte before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from msgspec import Struct, json

from commonplace.errors import BackupDamaged, BadArgument
from commonplace.storage import files

if TYPE_CHECKING:
    from zipfile import ZipFile
ARCHIVE_MAGIC = b"PK\x03\x04"
MANIFEST_NAME = "manifest.json"
_SEAL = b"sha256:"  # the comment of the zip file: this and the digest of all bytes before the digest
_DIGEST_CHARS = 64
_PIECE_BYTES = 1 << 20


class ArchivedFile(Struct, frozen=True):
    """A member: its path, the SHA-256 of its content, and its bytes."""

    path: str
    sha256: str
    size: int


class ArchiveManifest(Struct, frozen=True, tag_field="schema", tag="commonplace.archive.v1"):
    """What an archive holds, by path; and what it was narrowed to: `scope`, `entity`, `since`, `until`."""

    filters: dict[str, str]
    files: tuple[ArchivedFile, ...]


class Archive(Struct, frozen=True):
    """An open archive, all bytes of which are as they were written; `read` gives the content of a member."""

    manifest: ArchiveManifest
    read: Callable[[str], bytes]


def content_sha256(data: bytes) -> str:
    """The digest of some bytes as `sha256sum` prints it."""
    from hashlib import sha256

    return sha256(data).hexdigest()


def write_archive(path: str, members: Iterable[tuple[str, bytes]], filters: dict[str, str]) -> ArchiveManifest:
    """Write members, as (path, content); equal ones give equal bytes. Raises BadArgument where there is a file."""
    from zipfile import ZipFile

    if os.path.lexists(path):
        raise BadArgument(f"{path!r} exists already", path=path, hint="name another file; nothing was written")
    archived: list[ArchivedFile] = []
    with files.stream_new_file(*os.path.split(os.path.abspath(path))) as file:
        with ZipFile(file, "w") as archive:
            for name, data in members:
                _add_member(archive, name, data)
                archived.append(ArchivedFile(name, content_sha256(data), len(data)))
            manifest = ArchiveManifest(filters, tuple(archived))
            _add_member(archive, MANIFEST_NAME, json.format(json.encode(manifest)) + b"\n")
            archive.comment = _SEAL + b"0" * _DIGEST_CHARS
        digest = _digest_of_rest(file)
        file.seek(-_DIGEST_CHARS, os.SEEK_END)
        file.write(digest)
    return manifest


def _add_member(archive: ZipFile, path: str, data: bytes) -> None:
    from zipfile import ZIP_DEFLATED, ZipInfo

    info = ZipInfo(path)  # of 1980, like all
    info.external_attr = 0o600 << 16
    archive.writestr(info, data, ZIP_DEFLATED)


@contextmanager
def open_archive(path: str) -> Iterator[Archive]:
    """Open an archive, after all of it was compared with its digest. Raises NotFound, BadArgument for what is none, and
    BackupDamaged with the place of what is not as it was written."""
    from zipfile import ZipFile

    with files.open_user_file(path) as (file, _identity):
        magic, seal = file.read(len(ARCHIVE_MAGIC)), b""
        if file.seek(0, os.SEEK_END) > len(_SEAL) + _DIGEST_CHARS:
            file.seek(-len(_SEAL) - _DIGEST_CHARS, os.SEEK_END)
            seal = file.read()
        if magic != ARCHIVE_MAGIC and not seal.startswith(_SEAL):
            raise BadArgument(f"{path!r} is no archive of `commonplace export`", path=path)
        if seal != _SEAL + _digest_of_rest(file):
            raise BackupDamaged(path, _find_damage(file), "take another copy of the archive, or export again")
        with ZipFile(file) as archive:
            yield Archive(json.decode(archive.read(MANIFEST_NAME), type=ArchiveManifest), archive.read)


def _digest_of_rest(file: IO[bytes]) -> bytes:
    """The digest of all bytes but those in which it is written."""
    from hashlib import sha256

    digest, rest = sha256(), file.seek(0, os.SEEK_END) - _DIGEST_CHARS
    file.seek(0)
    while piece := file.read(min(rest, _PIECE_BYTES)):
        digest.update(piece)
        rest -= len(piece)
    return digest.hexdigest().encode()


def _find_damage(file: IO[bytes]) -> str:
    """The first member that cannot be read."""
    from struct import error
    from zipfile import BadZipFile, ZipFile
    from zlib import error as zlib_error

    part = "the archive itself"
    try:
        with ZipFile(file) as archive:
            for name in archive.namelist():
                part = f"its member {name!r}"
                archive.read(name)
    except (BadZipFile, zlib_error, error, EOFError, KeyError, ValueError, NotImplementedError, RuntimeError, OSError):
        return f"{part} cannot be read"
    return "the archive itself has other bytes around its members"

"""Archives: one zip file with a manifest of digests, and at its end the digest of every byte before."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from msgspec import Struct, json

from commonplace.errors import BackupDamaged, BadArgument
from commonplace.storage import files

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo
ARCHIVE_MAGIC = b"PK\x03\x04"
MANIFEST_NAME = "manifest.json"
_SEAL = b"sha256:"  # the comment of the zip file: this and the digest of all bytes before the digest
_DIGEST_CHARS = 64
_PIECE_BYTES = 1 << 20
_FIXED_TIME = (1980, 1, 1, 0, 0, 0)
_DAMAGED_HINT = "take another copy of the archive, or export again"


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
    """An open archive, all bytes of which are as they were written."""

    manifest: ArchiveManifest
    zip_file: Any

    def read(self, path: str) -> bytes:
        """The content of a member."""
        return bytes(self.zip_file.read(path))


def write_archive(
    path: str, members: Iterable[tuple[str, Iterable[bytes]]], filters: dict[str, str]
) -> ArchiveManifest:
    """Write members in their order, as (path, pieces of the content); the same members give the same bytes.

    Raises BadArgument where there is a file already.
    """
    from zipfile import ZIP_DEFLATED, ZipFile

    if os.path.lexists(path):
        raise BadArgument(f"{path!r} exists already", path=path, hint="name another file; nothing was written")
    folder, name = os.path.split(os.path.abspath(path))
    with files.stream_new_file(folder, name) as file:
        with ZipFile(file, "w", ZIP_DEFLATED) as archive:
            archived = tuple(_add_member(archive, member, pieces) for member, pieces in members)
            manifest = ArchiveManifest(filters, archived)
            archive.writestr(_member_info(MANIFEST_NAME), json.format(json.encode(manifest)) + b"\n")
            archive.comment = _SEAL + b"0" * _DIGEST_CHARS
        digest = _digest_of_rest(file)
        file.seek(-_DIGEST_CHARS, os.SEEK_END)
        file.write(digest)
    files.fsync_path(path)
    return manifest


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
            raise BackupDamaged(path, _find_damage(file), _DAMAGED_HINT)
        with ZipFile(file) as archive:
            yield Archive(json.decode(archive.read(MANIFEST_NAME), type=ArchiveManifest), archive)


def _add_member(archive: ZipFile, path: str, pieces: Iterable[bytes]) -> ArchivedFile:
    from hashlib import sha256

    digest, size = sha256(), 0
    with archive.open(_member_info(path), "w", force_zip64=True) as member:
        for piece in pieces:
            digest.update(piece)
            size += member.write(piece)
    return ArchivedFile(path, digest.hexdigest(), size)


def _member_info(path: str) -> ZipInfo:
    from zipfile import ZIP_DEFLATED, ZipInfo

    info = ZipInfo(path, _FIXED_TIME)
    info.compress_type, info.external_attr, info.create_system = ZIP_DEFLATED, 0o600 << 16, 3
    return info


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
    """The first member that is not as the manifest has it."""
    from hashlib import sha256
    from struct import error
    from zipfile import BadZipFile, ZipFile
    from zlib import error as zlib_error

    part = "the archive itself"
    try:
        with ZipFile(file) as archive:
            part = f"its {MANIFEST_NAME}"
            manifest = json.decode(archive.read(MANIFEST_NAME), type=ArchiveManifest)
            for one in manifest.files:
                part = f"its member {one.path!r}"
                if sha256(archive.read(one.path)).hexdigest() != one.sha256:
                    return f"{part} does not have the digest of the manifest"
    except (BadZipFile, zlib_error, error, EOFError, KeyError, ValueError, NotImplementedError, RuntimeError, OSError):
        return f"{part} cannot be read"
    return "the archive itself has other bytes around its members"

"""The way to a file: folder by folder below the root, links not followed, errors of the system as errors of ours."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from commonplace.errors import UNWRITABLE, NotFound, OutsideWorkspace, WorkspaceNotFound, WorkspaceUnusable

# Links are not followed, a FIFO does not block, a device is no tty.
SAFE_OPEN_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_DISK_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE})


def content_digest(data: bytes) -> str:
    """The digest of some bytes: 32 hex characters of BLAKE2b."""
    from hashlib import blake2b  # loads OpenSSL, 2.5 ms that a recall over unchanged files need not pay

    return blake2b(data, digest_size=16).hexdigest()


def text_digest(text: str) -> str:
    """Return the digest of a text, also of one with lone surrogates."""
    return content_digest(text.encode("utf-8", "surrogatepass"))


def normalize_path(relative: str) -> str:
    """The one spelling of a path below the root: no empty parts, no `.`. Raises OutsideWorkspace."""
    return "/".join(split_path(relative))


def split_path(relative: str) -> list[str]:
    """The parts of a path below the root. Raises OutsideWorkspace for one that could leave it."""
    if relative.startswith("/"):
        raise OutsideWorkspace(relative, "it is an absolute path")
    if "\0" in relative:
        raise OutsideWorkspace(relative, "its name holds a NUL")
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OutsideWorkspace(relative, "it climbs with `..`")
    if not parts:
        raise OutsideWorkspace(relative, "it names no file")
    return parts


def printable_path(path: str) -> str:
    """A path as text: that of a file whose name is not valid UTF-8 is another."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def is_missing(root: str, relative: str) -> bool:
    """Whether nothing exists at a path, through links; cheaper than opening it."""
    return not os.path.lexists(os.path.join(root, relative))


@contextmanager
def open_parent(root: str, relative: str, *, create: bool = False) -> Iterator[tuple[int, str]]:
    """The open folder that holds `relative`, and the name in it."""
    *folders, name = split_path(relative)
    with open_folder(root, folders, relative, create=create) as descriptor:
        yield descriptor, name


def find_repository(path: str) -> str:
    """The top of the git working tree that a folder is in; empty if it is in none."""
    folder = os.path.realpath(path)
    while not os.path.lexists(f"{folder}/.git"):
        if folder == os.path.dirname(folder):
            return ""
        folder = os.path.dirname(folder)
    return folder


@contextmanager
def scan_folder(path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
    """The entries of a folder, to be looked at from there, which takes a quarter less time. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(descriptor) as found:
            yield found
    finally:
        os.close(descriptor)


def walk_paths(
    root: str, *, skipped_folders: Collection[str] = (), folder_errors: list[OSError] | None = None
) -> Iterator[str]:
    """The paths below a folder, relative to it: its files in order, then each folder, ending in `/`, and what it holds.

    Links are not followed; one to a folder is left out. `folder_errors` collects the folders that cannot be read.
    """
    for folder, folders, names in os.walk(root, onerror=None if folder_errors is None else folder_errors.append):
        folders[:] = sorted(name for name in folders if name not in skipped_folders)
        below = "" if folder == root else f"{os.path.relpath(folder, root)}/"
        if below:
            yield below
        yield from (below + name for name in sorted(names))


def clear_folder(root: str, kept_folder: str = "") -> None:
    """Remove everything below a folder, but one folder in it if that is named. Links are not followed."""
    kept = f"{kept_folder}/"
    for path in reversed([*walk_paths(root)]):
        if path.startswith(kept) or kept.startswith(path):
            continue
        if path.endswith("/"):
            os.rmdir(f"{root}/{path}")
        else:
            os.unlink(f"{root}/{path}")


@contextmanager
def open_folder(root: str, folders: list[str], relative: str, *, create: bool = False) -> Iterator[int]:
    """The open folder at the end of these folders, closed again afterwards; what goes wrong inside is explained."""
    with translate_os_errors(relative):
        descriptor = _open_resolved_folder(root, folders, relative, create=create)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


def _open_resolved_folder(root: str, folders: list[str], relative: str, *, create: bool) -> int:
    try:
        return _descend(root, folders, create=create)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
    # A folder on the way is a link: where does it lead? What is then opened is walked again without following links.
    real_root, real = os.path.realpath(root), os.path.realpath(os.path.join(root, *folders))
    if not real.startswith(real_root.rstrip("/") + "/"):
        raise OutsideWorkspace(relative, "a link on the way leads out of the workspace")
    try:
        return _descend(real_root, real[len(real_root) :].strip("/").split("/"), create=create)
    except NotADirectoryError as error:
        if not create:
            raise
        raise not_a_folder_error(relative) from error


def not_a_folder_error(path: str) -> OutsideWorkspace:
    """The error for a path where a folder is needed and something else exists."""
    return OutsideWorkspace(path, "a part of its path is not a folder", "move that aside")


def _descend(root: str, folders: list[str], *, create: bool) -> int:
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise WorkspaceNotFound(root) from error
    try:
        for folder in folders:
            below = _open_subfolder(descriptor, folder, create=create)
            os.close(descriptor)
            descriptor = below
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _open_subfolder(descriptor: int, folder: str, *, create: bool) -> int:
    try:
        return os.open(folder, _FOLDER_FLAGS, dir_fd=descriptor)
    except FileNotFoundError:
        if not create:
            raise
    try:
        os.mkdir(folder, 0o700, dir_fd=descriptor)
    except FileExistsError:
        pass  # another process made it in between: that is what was wanted
    else:
        os.fsync(descriptor)
    return os.open(folder, _FOLDER_FLAGS, dir_fd=descriptor)


@contextmanager
def translate_os_errors(path: str) -> Iterator[None]:
    """Turn what the operating system says into an error of ours."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFound("file", path) from error
    except UnicodeEncodeError as error:
        raise OutsideWorkspace(path, "its name cannot be a file name") from error
    except OSError as error:
        why, is_unwritable = (error.strerror or str(error)).lower(), error.errno in UNWRITABLE
        if error.errno in _DISK_ERRNOS:
            raise WorkspaceUnusable(path, why, is_unwritable=is_unwritable) from error
        why = "it is a symbolic link" if error.errno == errno.ELOOP else why
        raise OutsideWorkspace(path, why, is_unwritable=is_unwritable) from error


def make_folders(path: str) -> None:
    """Make a folder, and those above it, where they are missing; each is on disk before anything is put into it."""
    if os.path.isdir(path):
        return
    parent = os.path.dirname(path.rstrip("/")) or "."
    make_folders(parent)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path) from None
        return  # another process made it in between
    fsync_path(os.path.realpath(parent))


def fsync_path(path: str) -> None:
    """Bring a file or folder that somebody else wrote to the disk, by its path."""
    descriptor = os.open(path, os.O_RDONLY | SAFE_OPEN_FLAGS)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def require_plain_file(status: os.stat_result, relative: str) -> os.stat_result:
    """The stat result of an open file. Raises OutsideWorkspace if it is not a regular file."""
    if stat.S_ISREG(status.st_mode):
        return status
    kind = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "not a regular file"
    raise OutsideWorkspace(relative, f"it is {kind}")


def find_plain_file(folder: int, name: str, relative: str) -> os.stat_result | None:
    """The stat result of a name in an open folder; None if there is none. Raises OutsideWorkspace."""
    try:
        return require_plain_file(os.stat(name, dir_fd=folder, follow_symlinks=False), relative)
    except FileNotFoundError:
        return None


def plain_file_size(folder: int, name: str) -> int | None:
    """The size of a regular file in an open folder; None for anything else, and if it does not exist."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:  # a temporary file got its name since the folder was read
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None

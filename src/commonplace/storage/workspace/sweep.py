"""Sweep a workspace for its Markdown files by names and stamps, again only where the system reports changes."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import compress
from operator import is_, is_not
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from commonplace.errors import WorkspaceNotFound, WorkspaceUnusable
from commonplace.model import Problem
from commonplace.storage import files

if TYPE_CHECKING:
    from commonplace.storage.files import FolderWatcher
FileStamp = tuple[int, int, int, int]  # size, mtime in ns, ctime in ns, inode

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


class Sweep(Struct, frozen=True):
    """The Markdown files by path below the root (sorted, with `/`), and what cannot be read; which folders were looked
    through (the root is empty, others end in `/`), whether a file has another name, under which it may change, and
    which links there are, also hidden ones: a link may lead through others."""

    files: dict[str, FileStamp]
    problems: tuple[Problem, ...] = ()
    folders: frozenset[str] = frozenset()
    is_linked: bool = False
    links: frozenset[str] = frozenset()


def sweep_files(root: str, ignore: tuple[str, ...] = ()) -> Sweep:
    """All `*.md` files below the root, in any case. Raises WorkspaceNotFound, WorkspaceUnusable (too many open files).

    Hidden names, `node_modules`, `__pycache__` and what matches a glob of `ignore` (on the path below the root, `*`
    crosses `/`, a folder goes with all it holds) are skipped. A link is not followed: what it names within the root is
    found there, what lies outside is a problem.
    """
    if not os.path.isdir(root):
        raise WorkspaceNotFound(root)
    scan = _FolderScan(root, _compile_ignore_globs(ignore), [""])
    folders: list[str] = []
    while scan.waiting:
        folder = scan.waiting.pop()
        folders.append(folder)
        try:
            with files.scan_folder(f"{root}/{folder}") as entries:
                _scan_folder_entries(entries, folder, scan)
        except FileNotFoundError:
            continue  # gone since its parent was read
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise WorkspaceUnusable(f"{root}/{folder}", (error.strerror or "").lower()) from error
            message = f"this folder cannot be read: {error.strerror}"
            scan.problems.append(Problem("unreadable", message, folder.rstrip("/")))
    problems = tuple(sorted(scan.problems, key=lambda problem: (problem.path, problem.code)))
    stamps = dict(sorted(scan.stamps.items()))
    return Sweep(stamps, problems, frozenset(folders), bool(scan.linked), frozenset(scan.links))


def refresh_sweep(
    root: str, previous: Sweep, is_new_by_path: Mapping[str, bool], ignore: tuple[str, ...] = ()
) -> Sweep | None:
    """The result of a sweep if nothing has changed since the previous one except the names at these paths, none of
    which is or was a folder; true means that a name was created meanwhile and exists.

    None where what happened to one of them may matter to others, so that only a sweep can tell.
    """
    odd = previous.links.union(problem.path for problem in previous.problems)
    ignored = _compile_ignore_globs(ignore)
    fresh: dict[str, FileStamp | None] = {}
    for path, is_new in is_new_by_path.items():
        if path in odd or files.printable_path(path) != path:
            return None
        try:
            status = os.lstat(f"{root}/{path}")
        except FileNotFoundError:
            if is_new:
                return None
            fresh[path] = None
            continue
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            return None
        name = path.rpartition("/")[2]
        is_ours = _is_markdown_name(name) and not _is_ignored_entry(name, path, ignored)
        fresh[path] = _stamp_of_status(status) if is_ours else None
    gone = [path for path, stamp in fresh.items() if stamp is None and path in previous.files]
    found = previous.files | {path: stamp for path, stamp in fresh.items() if stamp is not None}
    if gone or len(found) > len(previous.files):
        found = {path: found[path] for path in sorted(found) if path not in gone}
    return structs.replace(previous, files=found)


def restamped_paths(previous: Sweep, current: Sweep) -> list[str] | None:
    """The files, the same in both, whose stamps are of a later look than the one before, though they may be equal.

    None where they are not the same, or all were looked at: of very many it takes long to compare the stamps. Where
    there are none only the very same look tells that no more was looked at.
    """
    if not current.files and current is not previous:
        return None
    if len(previous.files) != len(current.files) or not all(map(is_, previous.files, current.files)):
        return None
    return list(compress(current.files, map(is_not, previous.files.values(), current.files.values())))


class _FolderScan(Struct, frozen=True):
    """The root, the folders that wait (ending in `/`, the root empty), and the files, problems and links so far."""

    root: str
    ignored: Callable[[str], object] | None
    waiting: list[str]
    stamps: dict[str, FileStamp] = {}
    problems: list[Problem] = []
    linked: list[str] = []
    links: list[str] = []


def _scan_folder_entries(dir_entries: Iterator[os.DirEntry[str]], folder: str, folder_scan: _FolderScan) -> None:
    ignored = folder_scan.ignored
    for entry in dir_entries:
        name = entry.name
        path = folder + name
        if _is_ignored_entry(name, path, ignored):
            if entry.is_symlink():
                folder_scan.links.append(path)
            continue
        is_markdown = _is_markdown_name(name)
        if is_markdown and (name.isascii() or files.printable_path(name) == name):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if stat.S_ISREG(status.st_mode):
                folder_scan.stamps[path] = _stamp_of_status(status)
                if status.st_nlink > 1:
                    folder_scan.linked.append(path)
                continue
        problem = _scan_other_entry(entry, path, folder_scan, is_markdown=is_markdown)
        if problem is not None:
            folder_scan.problems.append(problem)


def _scan_other_entry(
    directory_entry: os.DirEntry[str], path: str, folder_scan: _FolderScan, *, is_markdown: bool
) -> Problem | None:
    """Process an entry that is not a Markdown file: a folder is queued, a link or device may be a problem."""
    is_folder = directory_entry.is_dir(follow_symlinks=False)
    if (is_markdown or is_folder) and (readable := files.printable_path(path)) != path:
        return Problem("bad-name", "this name is not valid UTF-8", readable, hint="rename it")
    if is_folder:
        folder_scan.waiting.append(f"{path}/")
        return None
    if directory_entry.is_symlink():
        folder_scan.links.append(path)
        root = folder_scan.root
        inside = f"{os.path.realpath(root).rstrip('/')}/"
        is_read = is_markdown or directory_entry.is_dir()
        if not is_read or f"{os.path.realpath(f'{root}/{path}')}/".startswith(inside):
            return None
        return Problem("symlink-outside", "this link leads out of the workspace and is not followed", path)
    return Problem("not-a-file", "this is a pipe, socket or device and is not opened", path) if is_markdown else None


def _stamp_of_status(status: os.stat_result) -> FileStamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _is_markdown_name(name: str) -> bool:
    return name[-3:].lower() == ".md"


def _is_ignored_entry(name: str, path: str, ignored: Callable[[str], object] | None) -> bool:
    return name[0] == "." or name in SKIPPED_FOLDERS or bool(ignored and ignored(path))


def _compile_ignore_globs(globs: tuple[str, ...]) -> Callable[[str], object] | None:
    if not globs:
        return None
    import fnmatch
    import re

    return re.compile("|".join(fnmatch.translate(glob.rstrip("/")) for glob in globs)).match


SWEEPS_BEFORE_WATCHING = 3  # sweeps; who asks for no more, as one command, is not worth the trouble
MAX_UNVERIFIED_S = 1.0  # so long the word of the system is enough; then the files are looked at whatever it says
WATCH_RETRY_S = 60.0  # before a system that would not watch is asked again: until it says no, others lose watches


class IncrementalSweep:
    """The Markdown files of one workspace, as `sweep` finds them; `close` it at the end.

    After the first few times the system is asked to report changes in the folders: as long as it reports none, what was
    found last stands, and of changed files only those are looked at. Folders are watched before they are looked at, and
    earlier reports forgotten: what happens meanwhile counts as happening after.
    """

    def __init__(self, root: str, ignore: tuple[str, ...] = ()) -> None:
        self._root, self._ignore = root, ignore
        self._sweep_count = 0
        self._folders: frozenset[str] = frozenset()  # that were swept last
        self._notices: FolderWatcher | None = None
        self._last_sweep: Sweep | None = None
        # Of the root: a folder above it may be moved, and then nothing in it happens.
        self._root_identity: tuple[int, ...] = ()
        self._valid_until = 0.0  # what was found stands
        self._retry_watch_at = 0.0  # not before that watching is tried

    def sweep(self) -> Sweep:
        """The current files. Raises WorkspaceNotFound."""
        now = time.monotonic()
        try:
            root = os.stat(self._root)
            place: tuple[int, ...] = (root.st_dev, root.st_ino)
        except OSError:
            place = ()
        stands, self._last_sweep = self._last_sweep, None  # what is reported here is not reported again
        told = self._notices.read_changes() if self._notices is not None else None
        if stands and told is not None and now < self._valid_until and place and place == self._root_identity:
            self._last_sweep = self._refresh_from_notices(stands, told) if told else stands
            if self._last_sweep is not None:
                return self._last_sweep
        is_watched = self._ensure_watched(now)
        self._root_identity = place
        self._sweep_count += 1
        sweep = sweep_files(self._root, self._ignore)
        if sweep.folders != self._folders:
            self._folders = sweep.folders
        elif is_watched and not sweep.is_linked and not any(one.code == "unreadable" for one in sweep.problems):
            self._last_sweep, self._valid_until = sweep, now + MAX_UNVERIFIED_S
        return sweep

    def close(self) -> None:
        """Watch no more."""
        if self._notices is not None:
            self._notices.close()
        self._notices = self._last_sweep = None

    def _refresh_from_notices(self, previous: Sweep, is_new_by_path: Mapping[str, bool]) -> Sweep | None:
        """The current files, updated for changes at these paths since the last sweep; None if that is uncertain."""
        above = len(self._root) + 1
        new_paths = {path[above:]: is_new for path, is_new in is_new_by_path.items()}
        seen = refresh_sweep(self._root, previous, new_paths, self._ignore)
        is_quiet = self._notices is not None and self._notices.read_changes() == {}
        return seen if is_quiet else None  # else there is more, or it came meanwhile

    def _ensure_watched(self, monotonic_s: float) -> bool:
        """Watch the folders in which files were last found, including those that were created again."""
        if self._sweep_count < SWEEPS_BEFORE_WATCHING or monotonic_s < self._retry_watch_at:
            return False
        try:
            # Where there are no descriptors left it cannot be read.
            from commonplace.storage.files import FolderWatcher

            self._notices = self._notices or FolderWatcher()
            return self._notices.watch({f"{self._root}/{folder}" for folder in self._folders})
        except OSError:
            self.close()
            self._retry_watch_at = monotonic_s + WATCH_RETRY_S
            return False

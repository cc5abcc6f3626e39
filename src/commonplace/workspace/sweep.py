"""What Markdown files there are: a walk over the folders of a workspace that reads names and stamps, never contents."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from itertools import compress
from operator import is_, is_not

from msgspec import Struct, structs

from commonplace import files
from commonplace.errors import WorkspaceNotFound
from commonplace.model import Problem

Stamp = tuple[int, int, int, int]  # size, mtime in ns, ctime in ns, inode

SKIPPED = frozenset({"node_modules", "__pycache__"})


class Sweep(Struct, frozen=True):
    """The Markdown files by path below the root (sorted, with `/`), and what cannot be read; which folders were looked
    through (the root is empty, others end in `/`), whether a file has another name, under which it may change, and
    which links there are, also hidden ones: a link may lead through others."""

    files: dict[str, Stamp]
    problems: tuple[Problem, ...] = ()
    folders: frozenset[str] = frozenset()
    is_linked: bool = False
    links: frozenset[str] = frozenset()


def sweep(root: str, ignore: tuple[str, ...] = ()) -> Sweep:
    """All `*.md` below the root, whatever their case. Raises WorkspaceNotFound.

    Hidden names, `node_modules`, `__pycache__` and what matches a glob of `ignore` (on the path below the root, `*`
    crosses `/`, a folder goes with all it holds) are passed over. A link is not followed: what it names within the
    root is found there, what lies outside is a problem.
    """
    if not os.path.isdir(root):
        raise WorkspaceNotFound(root)
    found: dict[str, Stamp] = {}
    problems: list[Problem] = []
    ignored = _matcher(ignore)
    folders: list[str] = []
    linked: list[str] = []
    links: list[str] = []
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        folders.append(folder)
        try:
            with files.entries(f"{root}/{folder}") as entries:
                _look(entries, _Place(root, folder, ignored, waiting, linked, links), found, problems)
        except FileNotFoundError:
            continue  # gone since its parent was read
        except OSError as error:
            problems.append(Problem("unreadable", f"this folder cannot be read: {error.strerror}", folder.rstrip("/")))
    problems.sort(key=lambda problem: (problem.path, problem.code))
    return Sweep(_in_order(found), tuple(problems), frozenset(folders), bool(linked), frozenset(links))


def look_again(root: str, before: Sweep, told: Mapping[str, bool], ignore: tuple[str, ...] = ()) -> Sweep | None:
    """What a sweep finds when nothing happened since the one before but to the names at these paths, none of which is
    or was a folder; true stands for one that was made meanwhile and is there.

    None where what happened to one of them may matter to others, so that only a sweep can tell.
    """
    odd = before.links.union(problem.path for problem in before.problems)
    ignored = _matcher(ignore)
    fresh: dict[str, Stamp | None] = {}
    for path, is_new in told.items():
        if path in odd or not _is_utf8(path):
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
        is_ours = _is_markdown(name) and not _is_passed_over(name, path, ignored)
        fresh[path] = _stamp(status) if is_ours else None
    gone = [path for path, stamp in fresh.items() if stamp is None and path in before.files]
    found = before.files | {path: stamp for path, stamp in fresh.items() if stamp is not None}
    if gone or len(found) > len(before.files):
        found = _in_order({path: found[path] for path in found if path not in gone})
    return structs.replace(before, files=found)


def looked_at_again(before: Sweep, seen: Sweep) -> list[str] | None:
    """The files, the same in both, whose stamps are of a later look than the one before, though they may be equal.

    None where they are not the same, or all were looked at: of very many it takes long to compare the stamps. Where
    there are none only the very same look tells that no more was looked at.
    """
    if not seen.files and seen is not before:
        return None
    if len(before.files) != len(seen.files) or not all(map(is_, before.files, seen.files)):
        return None
    return list(compress(seen.files, map(is_not, before.files.values(), seen.files.values())))


class _Place(Struct, frozen=True):
    """The folder that is looked at (its path ends in `/`, the root is empty), where those below it wait, and where
    files with several names, and links, are noted."""

    root: str
    folder: str
    ignored: Callable[[str], object] | None
    waiting: list[str]
    linked: list[str]
    links: list[str]


def _look(entries: Iterator[os.DirEntry[str]], place: _Place, found: dict[str, Stamp], problems: list[Problem]) -> None:
    ignored = place.ignored
    for entry in entries:
        name = entry.name
        path = place.folder + name
        if _is_passed_over(name, path, ignored):
            if entry.is_symlink():
                place.links.append(path)
            continue
        is_markdown = _is_markdown(name)
        if is_markdown and (name.isascii() or _is_utf8(name)):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if stat.S_ISREG(status.st_mode):
                found[path] = _stamp(status)
                if status.st_nlink > 1:
                    place.linked.append(path)
                continue
        problem = _turn_to(entry, place, is_markdown=is_markdown)
        if problem is not None:
            problems.append(problem)


def _turn_to(entry: os.DirEntry[str], place: _Place, *, is_markdown: bool) -> Problem | None:
    """What is no Markdown file: a folder joins those that wait, a link or device may be a problem."""
    path = place.folder + entry.name
    is_folder = entry.is_dir(follow_symlinks=False)
    if (is_markdown or is_folder) and not _is_utf8(entry.name):
        readable = os.fsencode(path).decode("utf-8", "backslashreplace")
        return Problem("bad-name", "this name is not valid UTF-8", readable, hint="rename it")
    if is_folder:
        place.waiting.append(f"{path}/")
        return None
    if entry.is_symlink():
        place.links.append(path)
        return _link_problem(place.root, path) if is_markdown or entry.is_dir() else None
    return Problem("not-a-file", "this is a pipe, socket or device and is not opened", path) if is_markdown else None


def _link_problem(root: str, path: str) -> Problem | None:
    inside = os.path.realpath(root).rstrip("/")
    if f"{os.path.realpath(f'{root}/{path}')}/".startswith(f"{inside}/"):
        return None
    return Problem("symlink-outside", "this link leads out of the workspace and is not followed", path)


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _in_order(found: dict[str, Stamp]) -> dict[str, Stamp]:
    return {path: found[path] for path in sorted(found)}


def _is_markdown(name: str) -> bool:
    return name[-3:].lower() == ".md"


def _is_passed_over(name: str, path: str, ignored: Callable[[str], object] | None) -> bool:
    return name[0] == "." or name in SKIPPED or bool(ignored and ignored(path))


def _is_utf8(name: str) -> bool:
    """Names that are not are given to us with surrogates in place of their odd bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _matcher(globs: tuple[str, ...]) -> Callable[[str], object] | None:
    if not globs:
        return None
    import fnmatch
    import re

    return re.compile("|".join(fnmatch.translate(glob.rstrip("/")) for glob in globs)).match

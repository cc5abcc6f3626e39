"""The states in which a disk may be found after a power cut, made from a record of what was done to it.

What was synced is there. Of the rest a disk may have kept any part: the bytes of a write all, in part (whole sectors),
as zeros or not at all; the names of a folder as they were at any time since it was synced. What is kept of one file or
folder says nothing about another. Names within one folder change in their order, as journaling file systems have it;
with them, a file that moves from one folder to another is in one of the two, never in both and never in none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

SECTOR = 512
Event = tuple[Any, ...]
Names = dict[str, int]
Tree = dict[str, bytes]  # path -> content; a folder ends in `/`


class File(Struct):
    """What is on the disk for sure, and what was written since."""

    durable: bytes = b""
    pending: list[tuple[int, bytes | None]] = []  # (offset, bytes), or (size, None) for a cut

    def now(self) -> bytes:
        return _after(self.durable, self.pending)

    def states(self) -> Iterator[bytes]:
        """What may be found: all of it first."""
        yield self.now()
        if not self.pending:
            return
        yield self.durable
        for many in range(1, len(self.pending)):
            yield _after(self.durable, self.pending[:many])
        offset, data = self.pending[-1]
        before = self.pending[:-1]
        if data is not None:
            yield _after(self.durable, [*before, (offset, bytes(len(data)))])
            for cut in _sectors(offset, len(data)):
                yield _after(self.durable, [*before, (offset, data[:cut])])
                yield _after(self.durable, [*before, (offset, bytes(cut) + data[cut:])])


class Folder(Struct):
    """Its names on the disk for sure, and the states of them since."""

    durable: Names = {}
    pending: list[Names] = []

    def now(self) -> Names:
        return self.pending[-1] if self.pending else self.durable


class Disk(Struct):
    """Files and folders by number."""

    root: int
    files: dict[int, File] = {}
    folders: dict[int, Folder] = {}
    moved: list[tuple[int, int, str, int, str]] = []  # file, from which folder and name, to which

    def apply(self, event: Event) -> None:
        """One more thing was done."""
        kind, place = event[0], event[1]
        if kind == "write":
            self.files[place].pending.append((event[2], event[3]))
        elif kind == "truncate":
            self.files[place].pending.append((event[2], None))
        elif kind == "sync":
            self._sync(place)
        elif kind != "said":
            self._name(event)

    def _sync(self, number: int) -> None:
        if number in self.files:
            self.files[number] = File(self.files[number].now())
        elif number in self.folders:
            self.folders[number] = Folder(self.folders[number].now())

    def _name(self, event: Event) -> None:
        kind, folder, name, *target = event
        names = dict(self.folders[folder].now())
        if kind == "create":
            names[name] = target[0]
            self.files[target[0]] = File()
        elif kind == "mkdir":
            names[name] = target[0]
            self.folders[target[0]] = Folder()
        elif kind == "unlink":
            self.moved = [one for one in self.moved if one[0] != names[name]]
            names.pop(name)
        elif kind == "exchange":
            names[name], names[target[1]] = names[target[1]], names[name]
        else:
            number = names[name]
            if kind == "rename":
                names.pop(name)
            if target[0] == folder:
                names[target[1]] = number
            else:
                self.moved.append((number, folder, name, target[0], target[1]))
                other = self.folders[target[0]]
                other.pending.append({**other.now(), target[1]: number})
        self.folders[folder].pending.append(names)


def scanned(root: Path) -> Disk:
    """A workspace at rest: all of it is on the disk."""
    disk = Disk(root.stat().st_ino)
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        names = {name: (here / name).stat().st_ino for name in (*folders, *files)}
        disk.folders[here.stat().st_ino] = Folder(names)
        disk.files |= {names[name]: File((here / name).read_bytes()) for name in files}
    return disk


def crashes(disk: Disk, events: Iterable[Event]) -> Iterator[tuple[Tree, list[str]]]:
    """Each state that a power cut can leave, once, and what had been said by then; `disk` is played forward."""
    told: list[str] = []
    seen: set[int] = set()
    for event in (None, *events):
        if event is not None:
            disk.apply(event)
        if event is not None and event[0] == "said":
            told.append(event[1])
            seen.clear()  # the same bytes mean more once more was promised
        for tree in _trees(disk):
            mark = hash(frozenset(tree.items()))
            if mark not in seen:
                seen.add(mark)
                yield tree, list(told)


def laid_out(tree: Tree, target: Path) -> Path:
    """Write a state down as files, for their owner only; what SQLite keeps in shared memory is gone with the power."""
    target.mkdir(mode=0o700)
    for path, data in sorted(tree.items()):
        if path.endswith("/"):
            (target / path).mkdir(mode=0o700)
        elif not path.endswith("-shm"):
            (target / path).write_bytes(data)
            (target / path).chmod(0o600)
    return target


def _trees(disk: Disk) -> Iterator[Tree]:
    """All kept; nothing kept; and each file and folder by itself in each of its states, beside either of these."""
    names = {number: [folder.now(), folder.durable, *folder.pending] for number, folder in disk.folders.items()}
    held = {number: list(file.states()) for number, file in disk.files.items()}
    for extreme in (0, 1):
        chosen_names = {number: states[min(extreme, len(states) - 1)] for number, states in names.items()}
        chosen = {number: states[min(extreme, len(states) - 1)] for number, states in held.items()}
        mixed = {number: states[0] for number, states in held.items()}
        found = [(chosen_names, chosen)]
        if extreme:
            found += [(chosen_names, mixed), ({number: states[0] for number, states in names.items()}, chosen)]
        for number, folder_states in names.items():
            found += [({**chosen_names, number: other}, chosen) for other in folder_states[1 - extreme :]]
        for number, file_states in held.items():
            found += [(chosen_names, {**chosen, number: data}) for data in file_states[1 - extreme :]]
        yield from (_tree(disk.root, *one) for one in found if _is_possible(disk, one[0]))


def _is_possible(disk: Disk, names: dict[int, Names]) -> bool:
    """Whether each file that moved is in one of its two folders."""
    places = [(names[old].get(name), names[new].get(title), number) for number, old, name, new, title in disk.moved]
    return all((before == number) != (after == number) for before, after, number in places)


def _tree(root: int, names: dict[int, Names], files: dict[int, bytes], path: str = "") -> Tree:
    tree: Tree = {path: b""} if path else {}
    for name, number in names[root].items():
        if number in names:
            tree |= _tree(number, names, files, f"{path}{name}/")
        else:
            tree[f"{path}{name}"] = files[number]
    return tree


def _after(data: bytes, changes: list[tuple[int, bytes | None]]) -> bytes:
    for offset, new in changes:
        start = data[:offset]
        data = start if new is None else start.ljust(offset, b"\0") + new + data[offset + len(new) :]
    return data


def _sectors(offset: int, length: int) -> Iterator[int]:
    """Where a write may tear: at the ends of sectors within it."""
    first = SECTOR - offset % SECTOR
    return iter(range(first, length, SECTOR))

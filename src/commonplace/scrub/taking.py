"""Take secrets out of a workspace: propose what would change, or change it, and say what only a person can do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from msgspec import Struct, to_builtins

from commonplace import files
from commonplace.errors import OutsideWorkspace
from commonplace.journal import Journal, encode, unsealed
from commonplace.scrub.eye import Eye, safe_path
from commonplace.scrub.findings import Left, Replaced, Scrubbed
from commonplace.scrub.journals import rewrite_journals
from commonplace.scrub.looking import scan
from commonplace.scrub.replacing import cleaned_lines, cleaned_text, diff_of, secrets_of
from commonplace.scrub.stores import is_lines, paths, store_of
from commonplace.workspace.write import CHANGES, update

LEDGER_OP = "scrubbed"
_HISTORY = (
    "git filter-repo --replace-text FILE  # a line for each: the secret, `==>`, its placeholder; then remove FILE",
    "git push --force --all && git push --force --tags  # then everybody clones anew",
)
_HINTS = {
    "name": "rename the file",
    "history": "it is in every clone: rotate it; rewriting the history is up to you",
    "artifact": "remove the file: it is named by what it holds, so it cannot be changed",
    "settings": "take it out by hand: a placeholder would break what reads the file",
    "journal": "run `commonplace scrub --apply` on the device that writes it, or here with `--all-devices`",
    "text": "take it out by hand: the file is not plain UTF-8",
}


class _Promise(Struct, frozen=True):
    """A scrub that is being carried out: when, and of the journals of which device; `every` of all of them."""

    scrubber: str
    now: str
    every: bool


def scrub(
    eye: Eye, journal: Journal, now: str, *, apply: bool = False, all_devices: bool = False, history: bool = True
) -> Scrubbed:
    """What a scrub would change, or with `apply` has changed, and what is left.

    Texts that people read, and what lies below `.memory`, are written anew; none of it can be undone, for what undo
    needs would be the secret. Other files, names of files and the git history are never touched.
    Raises LockBusy, WriteConflict.
    """
    found = scan(eye, history=history)
    if not (found.found or apply):  # to apply also finishes what a scrub that was killed left half done
        return Scrubbed((), (), (), apply, notes=found.notes)
    done = [one for path in paths(eye.root) if (one := _taken(eye, path, apply=apply, now=now)) is not None]
    done += rewrite_journals(eye, journal.device, apply=apply, all_devices=all_devices)
    done.sort(key=lambda one: one.path)
    past = tuple(spot for spot in found.spots if spot.store == "history")
    if apply:
        if done:
            count = sum(one.count for one in done)
            journal.append({"op": LEDGER_OP, "ts": now, "files": len(done), "secrets": count}, "ledger")
        stays = (*scan(eye, history=False).spots, *past)
    else:
        ours = {one.path for one in done}
        stays = tuple(spot for spot in found.spots if spot.store in ("name", "history") or spot.path not in ours)
    left = tuple(Left(spot, _HINTS.get(spot.store, "take it out by hand")) for spot in stays)
    return Scrubbed(tuple(done), left, found.found, apply, _HISTORY if past else (), found.notes)


def promised(eye: Eye, device: str, now: str, *, all_devices: bool) -> AbstractContextManager[None]:
    """Word of a scrub that is being carried out: one that breaks off is finished at the next start."""
    return files.doing(eye.root, encode(to_builtins(_Promise(device, now, all_devices))), durable=True)


def finish(opened: Callable[[], Eye], word: bytes) -> bool:
    """Do again a scrub that broke off; False for word of something else."""
    promise = unsealed(word, _Promise)
    if promise is None:
        return False
    eye = opened()
    scrub(eye, Journal(eye.root, promise.scrubber), promise.now, apply=True, all_devices=promise.every, history=False)
    return True


def _taken(eye: Eye, path: str, *, apply: bool, now: str) -> Replaced | None:
    """What becomes of one file; None for one that stays as it is. Journals have a way of their own."""
    store = store_of(path)
    if store in ("journal", "artifact", "settings"):
        return None
    try:
        data = files.find(eye.root, path, eye.most_bytes) or b""
    except OutsideWorkspace:
        return None  # the scan says so
    if store == "text":
        return _prose(eye, path, data, now=now if apply else None)
    if store == "change":
        return _change(eye, path, data, apply=apply)
    return _kept(eye, path, data, apply=apply)


def _prose(eye: Eye, path: str, data: bytes, *, now: str | None) -> Replaced | None:
    text, found = secrets_of(eye, data)
    if not found:
        return None
    if now is not None:
        written = update(eye.root, path, lambda there: cleaned_text(eye, there)[0], now=now)
        if written.change_id:
            note = f"{CHANGES}/{written.change_id}.json"  # it holds what was there before: the secret
            files.remove(eye.root, note, durable=True)
    place = safe_path(eye, path)
    return Replaced(place, len(found), diff_of(place, text, found))


def _change(eye: Eye, path: str, data: bytes, *, apply: bool) -> Replaced | None:
    """A change that holds a secret goes as a whole: with anything else in its place it could not be undone."""
    count = cleaned_lines(eye, data)[1]
    if count and apply:
        files.remove(eye.root, path, durable=True)
    return Replaced(safe_path(eye, path), count) if count else None


def _kept(eye: Eye, path: str, data: bytes, *, apply: bool) -> Replaced | None:
    """What the system keeps below `.memory`: receipts, sessions, what was set aside."""
    clean = cleaned_lines if is_lines(path) else cleaned_text
    count = clean(eye, data)[1]
    if count and apply:
        with files.hold(eye.root, files.lock_name(path)):
            files.write_atomic(eye.root, path, clean(eye, files.read(eye.root, path))[0])
    return Replaced(safe_path(eye, path), count) if count else None

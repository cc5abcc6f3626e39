"""The workspace, device and time of a write, whether anything may be written, and what masks the texts of a write."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Any

from msgspec import DecodeError, Struct, json, structs

from commonplace import redact as redaction
from commonplace.errors import BadArgument, OutsideWorkspace, WorkspaceUnusable
from commonplace.storage import files

KEY_PATH = ".memory/key"
KEY_BYTES = 32
MASKED_PATH = ".memory/masked"
MAX_MASKED_VALUES = 10_000  # the newest; older ones are forgotten
GITIGNORE_PATH = ".memory/.gitignore"

_GITIGNORE_TEXT = """\
# Made by Commonplace: the key of this machine, and what can be made anew; the journals are yours to keep.
/key
/masked
/index.sqlite*
/vectors.sqlite*
/model-cache/
/models-usage.json
/locks/
/doing/
"""


class WriteContext(Struct, frozen=True):
    """The workspace of a write, the device that writes, and the ISO minute; `exact` are known secrets to be masked,
    `act` is that of its changes."""

    root: str
    device: str
    now: str
    exact: tuple[redaction.KnownSecret, ...] = ()
    act: str = ""

    @property
    def log_path(self) -> str:
        """The path of the log of the day."""
        return f"memory/{self.now[:10]}.md"


def text_key(text: str) -> str:
    """Return the key of a text in the ledger: a digest that ignores white space."""
    return "t:" + files.text_digest(" ".join(text.split()))


def workspace_key(root: str) -> bytes:
    """Return the secret key of a workspace for the suffixes of placeholders, made at first use; it stays in `.memory`.
    Raises WorkspaceUnusable for a key that is too short."""
    # Whoever pushes the workspace must not push the key, with which a secret can be guessed.
    if files.is_missing(root, GITIGNORE_PATH):
        with suppress(OutsideWorkspace, WorkspaceUnusable):  # where nothing can be written there may be a key already
            files.create_missing_files(root, {GITIGNORE_PATH: _GITIGNORE_TEXT})
    found = files.read_or_create_secret(root, KEY_PATH, KEY_BYTES)
    if len(found) < KEY_BYTES:  # a suffix without a key could be guessed
        raise WorkspaceUnusable(
            KEY_PATH, f"it has {len(found)} bytes, not {KEY_BYTES}; remove it, and a new one is made"
        )
    return found


OFF_RECORD_PATH = ".memory/off-record.json"
OFF_RECORD_LOCK = "off-record"
OffPeriod = tuple[str, str]  # its first and its last ISO minute, the latter empty as long as it lasts


def read_off_periods(root: str) -> tuple[OffPeriod, ...]:
    """Return the periods off the record, oldest first; a file that cannot be read stands for one that has no end."""
    data = None if files.is_missing(root, OFF_RECORD_PATH) else files.read_file_if_exists(root, OFF_RECORD_PATH)
    try:
        return json.decode(data, type=tuple[OffPeriod, ...]) if data else ()
    except DecodeError:
        return (("0000-01-01T00:00", ""),)


def off_record_since(root: str) -> str:
    """Return the minute since when nothing is captured; empty if things are."""
    return next((start for start, end in read_off_periods(root) if not end), "")


def set_off_record(context: WriteContext, *, off: bool) -> None:
    """Begin or end a period off the record; nothing changes if that is so already."""
    with files.hold_workspace_lock(context.root, OFF_RECORD_LOCK):
        periods = read_off_periods(context.root)
        if off != any(not end for _start, end in periods):
            ended = tuple((start, end or context.now) for start, end in periods)
            periods = (*ended, (context.now, "")) if off else ended
            files.write_atomic(context.root, OFF_RECORD_PATH, json.encode(periods))


def is_off_record(periods: Sequence[OffPeriod], ts: str) -> bool:
    """Whether nothing is captured now, or an event of the time `ts` belongs to a period in which nothing was: it may
    arrive later, in a transcript. Without a time it is of now."""
    return any(not end or (ts and start[:16] <= ts[:16] <= end[:16]) for start, end in periods)


def require_on_record(root: str) -> None:
    """Raise BadArgument if nothing is to be kept now."""
    if since := off_record_since(root):
        message = f"you are off the record since {since.replace('T', ' ')}: nothing is stored"
        raise BadArgument(message, hint="`commonplace session --on` ends that")


class TextMasker:
    """Masks the texts of a write, also where they repeat what was masked before: strong values anywhere, all values in
    their session. `save` remembers what was masked, as digests that nobody without the workspace's key can test."""

    def __init__(self, root: str, exact: tuple[redaction.KnownSecret, ...] = ()) -> None:
        self._root, self._exact = root, exact
        self._stamp = files.file_stamp(root, MASKED_PATH)
        self._new: dict[redaction.MaskedValue, None] = {}
        self._of_event: list[redaction.MaskedValue] = []  # weak, and of no session

    def start_event(self) -> None:
        """Forget weak values of no session: what comes next is another text."""
        self._of_event.clear()

    @cached_property
    def key(self) -> bytes:
        """The workspace's key, made at first use: an event that asks not to be kept leaves nothing behind."""
        return workspace_key(self._root)

    def redact(self, text: str, session: str = "") -> redaction.RedactedText:
        """Return the text with its secrets masked."""
        masked = self.values(session)
        done = redaction.redact(text, key=self.key, exact=self._exact, masked=masked)
        self._add_new(done.findings, session)
        return done

    def redact_fields(self, value: Any, session: str = "") -> tuple[Any, tuple[redaction.SecretFinding, ...]]:
        """Return the JSON value with its secrets masked, and these; a value is masked in all of its texts."""
        before = -1
        while before < (before := len(self._new) + len(self._of_event)):
            done, findings = redaction.redact_fields(
                value, key=self.key, exact=self._exact, masked=self.values(session)
            )
            self._add_new(findings, session)
        return done, findings

    def values(self, session: str) -> redaction.MaskedValues:
        """Return what was masked in the workspace, and in the session if one is named."""
        if not (self._stamp or self._new or self._of_event):
            return redaction.NO_MASKED_VALUES
        own = redaction.keyed_digest(session, self.key) if session else 0
        everywhere, by_session = _group_stored_values(self._root, self._stamp)
        more = [*by_session.get(own, ()), *self._of_event, *(one for one in self._new if one.session in (0, own))]
        return redaction.group_masked_values(more, everywhere) if more else everywhere

    def save(self) -> None:
        """Write what is new; a crash may lose it, so no fsync."""
        if self._new:
            with files.hold_workspace_lock(self._root, "masked"):
                stored = _read_masked_values(self._root, files.file_stamp(self._root, MASKED_PATH))
                values = list(dict.fromkeys((*stored, *self._new)))[-MAX_MASKED_VALUES:]
                files.write_atomic(self._root, MASKED_PATH, json.encode(values), durable=False)
            self._new.clear()

    def _add_new(self, findings: tuple[redaction.SecretFinding, ...], session: str) -> None:
        values = [one for finding in findings for one in finding.values]
        if values:
            own = redaction.keyed_digest(session, self.key) if session else redaction.WEAK
            bound = [structs.replace(one, session=own) if one.session == redaction.WEAK else one for one in values]
            known = set(_read_masked_values(self._root, self._stamp))
            self._new |= dict.fromkeys(one for one in bound if one.session != redaction.WEAK and one not in known)
            self._of_event += (one for one in bound if one.session == redaction.WEAK and one not in self._of_event)


def mask_text(context: WriteContext, text: str, session: str = "") -> redaction.RedactedText:
    """Return one text with its secrets masked, and remember them."""
    masker = TextMasker(context.root, context.exact)
    done = masker.redact(text, session)
    masker.save()
    return done


@lru_cache(maxsize=4)
def _read_masked_values(root: str, stamp: tuple[int, ...]) -> tuple[redaction.MaskedValue, ...]:
    """Return the values of the file with this stamp; none of a damaged one, which the next write replaces."""
    data = files.read_file_if_exists(root, MASKED_PATH) if stamp else None
    with suppress(DecodeError):
        return tuple(json.decode(data or b"[]", type=list[redaction.MaskedValue]))
    return ()


@lru_cache(maxsize=4)
def _group_stored_values(
    root: str, stamp: tuple[int, ...]
) -> tuple[redaction.MaskedValues, dict[int, list[redaction.MaskedValue]]]:
    """The values of all sessions, and those of one, by session: grouped once, however many sessions come and go."""
    by_session: dict[int, list[redaction.MaskedValue]] = {}
    for one in _read_masked_values(root, stamp):
        by_session.setdefault(one.session, []).append(one)
    return redaction.group_masked_values(by_session.pop(0, ())), by_session

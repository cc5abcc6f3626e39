"""Remove secrets from a workspace's texts, JSON lines and journals, and report what only a person can do."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import msgspec
from msgspec import Struct, structs, to_builtins

from commonplace.errors import OutsideWorkspace
from commonplace.redact import SecretFinding, replace_findings
from commonplace.storage import files, journal
from commonplace.storage.workspace import CHANGES_FOLDER, update_file
from commonplace.upkeep.scrub.scanner import (
    RemainingSecret,
    ScrubbedFile,
    ScrubResult,
    SecretScanner,
    classify_store,
    is_json_lines,
    redact_line_fields,
    redact_path,
    walk_scannable_files,
)
from commonplace.upkeep.scrub.workspace_scan import scan_workspace

_UNSUPPORTED_MAGIC = (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")


def find_text_secrets(scanner: SecretScanner, data: bytes) -> tuple[str, tuple[SecretFinding, ...]]:
    """The text of a file and its secrets; empty for a file that is compressed, UTF-16 or binary."""
    if data.startswith(_UNSUPPORTED_MAGIC) or b"\x00" in data:
        return "", ()
    text = data.decode("utf-8", "surrogateescape")
    return text, scanner.find(text)


def redact_file_text(scanner: SecretScanner, data: bytes) -> tuple[bytes, int]:
    """The bytes of a text with placeholders in place of its secrets, and how many; every other byte stays."""
    text, found = find_text_secrets(scanner, data)
    return replace_findings(text, found).encode("utf-8", "surrogateescape") if found else data, len(found)


def render_redacted_diff(path: str, text: str, findings: tuple[SecretFinding, ...]) -> str:
    """A unified diff without context, in whose old lines each secret is blotted out: `‹github-pat, 40 characters›`."""
    groups: list[list[SecretFinding]] = []  # those that share lines
    for one in findings:
        if not groups or "\n" in text[groups[-1][-1].end : one.start]:
            groups.append([])
        groups[-1].append(one)
    lines = [f"--- a/{path}", f"+++ b/{path}"]
    shift = 0
    for group in groups:
        first, last = text.count("\n", 0, group[0].start), text.count("\n", 0, group[-1].end)
        start, end = text.rfind("\n", 0, group[0].start) + 1, text.find("\n", group[-1].end)
        inner = [structs.replace(one, start=one.start - start, end=one.end - start) for one in group]
        hidden = [structs.replace(one, placeholder=f"‹{one.kind}, {one.end - one.start} characters›") for one in inner]
        part = text[start:end] if end >= 0 else text[start:]
        old, new = (replace_findings(part, form).split("\n") for form in (hidden, inner))
        lines.append(f"@@ -{first + 1},{last - first + 1} +{first + 1 + shift},{len(new)} @@")
        lines += [*("-" + line for line in old), *("+" + line for line in new)]
        shift += len(new) - (last - first + 1)
    return "\n".join(lines).encode("utf-8", "replace").decode()


DigestRenames = dict[str, str]  # old digest of a line -> its new one


def redact_json_lines(
    scanner: SecretScanner, data: bytes, digest_renames: DigestRenames | None = None
) -> tuple[bytes, int]:
    """A file of JSON lines without its secrets, and how many there were; lines with a checksum get a new one. With
    `digest_renames` it is of a chain: each line is linked to the one before it anew, and its new digest is added."""
    lines: list[bytes] = []
    total = 0
    for raw_line in data.split(b"\n"):
        line, count = redact_json_line(scanner, raw_line)
        fields = journal.parse_json_line(line) if digest_renames and journal.has_valid_checksum(line) else ""
        if digest_renames and isinstance(fields, dict) and fields.get("prev") in digest_renames:
            line = journal.encode_journal_line(fields | {"prev": digest_renames[fields["prev"]]})
        is_stub = isinstance(fields, dict) and journal.is_stub(fields)
        if digest_renames is not None and line != raw_line and not is_stub:
            digest_renames[files.content_digest(raw_line)] = files.content_digest(line)
        lines.append(line)
        total += count
    return b"\n".join(lines), total


def redact_json_line(scanner: SecretScanner, raw_line: bytes) -> tuple[bytes, int]:
    """One line of JSON, or of what should be that, without its secrets."""
    fields = journal.parse_json_line(raw_line) if raw_line else ""
    if not isinstance(fields, dict):
        return redact_file_text(scanner, raw_line)
    clean, findings = redact_line_fields(scanner, fields)
    if not findings:
        return raw_line, 0
    sealed = journal.encode_journal_line(clean)
    return sealed if journal.has_valid_checksum(raw_line) else msgspec.json.encode(clean), len(findings)


def rewrite_journals(scanner: SecretScanner, device: str, *, apply: bool, all_devices: bool) -> list[ScrubbedFile]:
    """The journals and receipts that are, or with `apply` were, rewritten: those of this device, or of all."""
    done: list[ScrubbedFile] = []
    for stream, folder in journal.CHAIN_FOLDERS.items():
        for its_device, names in journal.list_chained_files(scanner.root, stream).items():
            if all_devices or its_device == device:
                chain = journal.Chain(scanner.root, folder, its_device)
                done += _rewrite_stream(scanner, stream, chain, names, apply=apply)
    return done


def _rewrite_stream(
    scanner: SecretScanner, stream: journal.ChainedStream, chain: journal.Chain, file_names: list[str], *, apply: bool
) -> list[ScrubbedFile]:
    with files.hold_workspace_lock(scanner.root, f"{stream}-{chain.device}") if apply else nullcontext():
        note = f"{chain.folder}/{stream}-{chain.device}.scrub"  # what a run that was killed had renamed
        raw_note = files.read_file_if_exists(scanner.root, note) or b""
        before: DigestRenames = msgspec.json.decode(raw_note)["renamed"] if journal.has_valid_checksum(raw_note) else {}
        renamed = before.copy()
        pages: dict[str, bytes] = {}
        counts: dict[str, int] = {}
        for path in (f"{chain.folder}/{name}" for name in file_names):
            data = files.read_file(scanner.root, path)
            page, counts[path] = redact_json_lines(scanner, data, renamed)
            if page != data:
                pages[path] = page
        if apply and (pages or before):
            files.write_atomic(scanner.root, note, journal.encode_journal_line({"renamed": renamed}))
            for path, data in pages.items():
                files.write_atomic(scanner.root, path, data)
            journal.replace_digests(chain, renamed)
            files.remove_file(scanner.root, note)
    return [ScrubbedFile(redact_path(scanner, path), count) for path, count in counts.items() if count]


SCRUBBED_OP = "scrubbed"
_HISTORY_COMMANDS = (
    "git filter-repo --replace-text FILE  # a line for each: the secret, `==>`, its placeholder; then remove FILE",
    "git push --force --all && git push --force --tags  # then everybody clones anew",
)
_OTHER_DEVICE_HINT = "run `commonplace scrub --apply` on the device that writes it, or here with `--all-devices`"
_HINT_BY_STORE = {
    "name": "rename the file",
    "history": "it is in every clone: rotate it; rewriting the history is up to you",
    "artifact": "remove the file: it is named by what it holds, so it cannot be changed",
    "settings": "take it out by hand: a placeholder would break what reads the file",
    "journal": _OTHER_DEVICE_HINT,
    "receipt": _OTHER_DEVICE_HINT,
    "text": "take it out by hand: the file is not plain UTF-8",
}


class _ScrubIntent(Struct, frozen=True):
    """A scrub in progress: its device and time; with `every` it rewrites the journals of all devices."""

    scrubber: str
    now: str
    every: bool


def scrub_workspace(
    scanner: SecretScanner,
    journal_log: journal.Journal,
    now: str,
    *,
    apply: bool = False,
    all_devices: bool = False,
    history: bool = True,
) -> ScrubResult:
    """What a scrub would change, or with `apply` has changed, and what is left. It rewrites prose and the files below
    `.memory`; that cannot be undone, because undo would need the secret. Other files, names and the git history are
    never changed. Raises LockBusy, WriteConflict."""
    scan_result = scan_workspace(scanner, history=history)
    if not (scan_result.secrets or apply):  # `apply` also finishes a scrub that was killed
        return ScrubResult((), (), (), apply, notes=scan_result.notes)
    scrubbed = (_scrub_file(scanner, path, apply=apply, now=now) for path in walk_scannable_files(scanner.root))
    done = [file for file in scrubbed if file]
    done += rewrite_journals(scanner, journal_log.device, apply=apply, all_devices=all_devices)
    done.sort(key=lambda one: one.path)
    past = tuple(location for location in scan_result.locations if location.store == "history")
    if apply:
        if done:
            count = sum(one.secret_count for one in done)
            journal_log.append({"op": SCRUBBED_OP, "ts": now, "files": len(done), "secrets": count}, "ledger")
        stays = (*scan_workspace(scanner, history=False).locations, *past)
    else:
        ours = {one.path for one in done}
        stays = tuple(one for one in scan_result.locations if one.store in ("name", "history") or one.path not in ours)
    left = tuple(RemainingSecret(one, _HINT_BY_STORE.get(one.store, "take it out by hand")) for one in stays)
    commands = _HISTORY_COMMANDS if past else ()
    return ScrubResult(tuple(done), left, scan_result.secrets, apply, commands, scan_result.notes)


def log_scrub_intent(
    scanner: SecretScanner, device: str, now: str, *, all_devices: bool
) -> AbstractContextManager[None]:
    """Log a scrub while it runs; one that breaks off is finished at the next start."""
    line = journal.encode_journal_line(to_builtins(_ScrubIntent(device, now, all_devices)))
    return files.log_intent(scanner.root, line, durable=True)


def finish_scrub(open_scanner: Callable[[], SecretScanner], intent_bytes: bytes) -> bool:
    """Repeat a scrub that broke off, and return True; False if the intent is another operation's."""
    intent = journal.decode_with_checksum(intent_bytes, _ScrubIntent)
    if intent is None:
        return False
    scanner = open_scanner()
    journal_log = journal.Journal(scanner.root, intent.scrubber)
    scrub_workspace(scanner, journal_log, intent.now, apply=True, all_devices=intent.every, history=False)
    return True


def _scrub_file(scanner: SecretScanner, path: str, *, apply: bool, now: str) -> ScrubbedFile | None:
    """Scrub one file that is no journal and has no chained receipts; None for one that stays as it is."""
    store = classify_store(path)
    if store in ("journal", "artifact", "settings") or journal.stream_device("receipts", path.rpartition("/")[2]):
        return None
    try:
        data = files.read_file_if_exists(scanner.root, path, scanner.max_file_bytes) or b""
    except OutsideWorkspace:
        return None  # the scan says so
    if store == "text":
        text, findings = find_text_secrets(scanner, data)
        if not findings:
            return None
        if apply:
            written = update_file(scanner.root, path, lambda there: redact_file_text(scanner, there)[0], now=now)
            if written.change_id:  # it holds what was there before: the secret
                files.remove_file(scanner.root, f"{CHANGES_FOLDER}/{written.change_id}.json", durable=True)
        place = redact_path(scanner, path)
        return ScrubbedFile(place, len(findings), render_redacted_diff(place, text, findings))
    clean = redact_json_lines if is_json_lines(path) else redact_file_text
    count = clean(scanner, data)[1]
    if count and apply and store == "change":  # removed as a whole: undo would fail on any other content
        files.remove_file(scanner.root, path, durable=True)
    elif count and apply:
        with files.hold_workspace_lock(scanner.root, files.path_lock_name(path)):
            files.write_atomic(scanner.root, path, clean(scanner, files.read_file(scanner.root, path))[0])
    return ScrubbedFile(redact_path(scanner, path), count) if count else None

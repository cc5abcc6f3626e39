"""Forget: preview what a wish concerns, hide it, or erase it and look whether anything is left."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

import msgspec
from msgspec import structs

from commonplace import sync
from commonplace.errors import BadArgument, CommonplaceError
from commonplace.index import Index
from commonplace.language import text
from commonplace.memory.open_workspace import OpenWorkspace, require_result_count, require_skip, shared_fields
from commonplace.memory.recall import drop_unused_vectors
from commonplace.model import Query
from commonplace.operations import parameters
from commonplace.retrieval import recall
from commonplace.storage import files, tombstones
from commonplace.upkeep import backup, forget, review

MANIFEST_ID_BYTES = 8
MAX_PROPOSED = 20  # records that an agent may name at once
BEHIND_MESSAGE = "nothing can be forgotten while the index is behind: {}"
TRANSCRIPT_FOLDERS = (".openclaw/agents", ".claude/projects", ".codex/sessions", ".cursor/chats")


def forget_records(workspace: OpenWorkspace, request: parameters.ForgetRequest) -> forget.ForgetResult:
    """What a wish to forget concerns; with `apply` it is hidden from every answer, which `undo` with the id of the
    result takes back.

    With `erase` too it is erased from all files instead, for good, and a manifest says what was done and what is left.
    Raises NotFound for what is not there, BadArgument for a wish that names nothing, LockBusy.
    """
    now = workspace.resolve_now(request.now)
    if request.due:
        return erase_due(workspace, request, also_returned=True)
    period = recall.build_record_filter(Query(text="", now=now, since=request.since, until=request.until))
    wish = forget.ForgetWish(**shared_fields(request, forget.ForgetWish))
    wish = structs.replace(wish, since=period.since, until=period.until)
    root, journal, index = workspace.root, workspace.sync_source().journal, workspace.synced_index()
    is_by_id = request.erase and wish == forget.ForgetWish(wish.references)
    hidden = forget.find_hidden(index, journal, wish.references) if is_by_id else ()
    selected = () if hidden else forget.select_records(index, wish)
    similar = () if request.apply else forget.find_short_forms(index, wish, selected)
    if not request.erase and not (request.apply and selected):
        return forget.ForgetResult("", selected, similar=similar)
    if request.apply and workspace.notes:
        raise BadArgument(BEHIND_MESSAGE.format(workspace.notes[0]))
    if not request.erase:
        forgotten_id = forget.hide_records(journal, selected, now)
        workspace.index_after_write(now=request.now)
        return forget.ForgetResult(forgotten_id, selected)
    if request.apply:
        workspace.finish_interrupted()
    describe = partial(forget.describe_erasure, root, wish, selected)
    result = _erase(workspace, request, partial(forget.describe_places, root, hidden, ()) if hidden else describe, wish)
    return structs.replace(result, selected=selected, similar=similar)


def list_forgettings(workspace: OpenWorkspace, request: parameters.ForgettingsRequest) -> tuple[forget.Forgetting, ...]:
    """What was hidden or erased, newest first: the id by which `undo` shows again what was only hidden, and what the
    manifest of an erasure says. Raises BadArgument."""
    limit, skip = require_result_count(request.at_most), require_skip(request.skip)
    return forget.list_forgettings(workspace.root, skip=skip, limit=limit)


def propose_forgetting(
    workspace: OpenWorkspace, request: parameters.ProposeForgetRequest, *, own_message: str = ""
) -> forget.ForgetResult:
    """Hide what the owner asked in this session, in words of their own, to forget; of everything else a question to the
    owner is put into the queue. `own_message` is the owner's message that a host answers and has not captured yet.

    Raises NotFound for what is not there, BadArgument where nothing or too much is named, LockBusy.
    """
    now, index = workspace.resolve_now(request.now), workspace.synced_index()
    if workspace.notes:
        raise BadArgument(BEHIND_MESSAGE.format(workspace.notes[0]))
    named = [
        one for one in forget.select_records(index, forget.ForgetWish(request.references)) if one.reason == "named"
    ]
    if len(named) > MAX_PROPOSED:
        raise BadArgument(f"{len(named)} records are named, at most {MAX_PROPOSED} may be", hint="name single records")
    messages = forget.find_own_messages(index, request.session, now)
    if own_message and not _copies_untrusted(index, own_message):
        messages += (forget.OwnMessage(own_message, now),)
    wished = tuple(one.record.id for one in named if forget.is_wished(messages, one.record))
    selected = forget.select_records(index, forget.ForgetWish(wished)) if wished else ()
    forgotten_id = forget.hide_records(workspace.sync_source().journal, selected, now) if wished else ""
    others = [one.record for one in named if one.record.id not in wished]
    pending = forget.queue_agent_questions(workspace.write_context(request.now), index, others) if others else ()
    workspace.index_after_write(now=request.now)
    return forget.ForgetResult(forgotten_id, selected, pending=pending)


def _copies_untrusted(index: Index, message: str) -> bool:
    """Whether a sentence of a message is from untrusted text, and the owner only pasted it."""
    tainted = index.find_tainted_shingles(set(text.hash_shingles(message)))
    untrusted = set(tainted).difference(index.find_shingles_in_records(tainted, ())) if tainted else set[int]()
    return bool(untrusted and text.find_copied_sentences(message, untrusted))


def settle_removed_lines(workspace: OpenWorkspace, now: str | None) -> None:
    """Ask whether what a line came from that was removed by hand is to be forgotten, or hide it, as the settings say.

    Raises LockBusy, WriteConflict.
    """
    choice, index = workspace.settings.forget_removed_by_hand, workspace.synced_index()
    journal = workspace.sync_source().journal
    items = () if choice == "keep" or workspace.notes else review.find_removed_by_hand(index, journal)
    if items and choice == "forget":
        forget.hide_ids(
            journal, dict.fromkeys(one for item in items for one in item.sources), workspace.resolve_now(now)
        )
    elif items:
        forget.queue_forget_items(workspace.write_context(now), items)


def erase_due(
    workspace: OpenWorkspace, request: parameters.ForgetRequest, *, also_returned: bool
) -> forget.ForgetResult:
    """Erase what was hidden for so many days as the settings say, and, if wanted, what came back although it was
    forgotten; without `apply` the files that would be changed. Raises LockBusy, WriteConflict, WorkspaceUnusable."""
    root, settings, index = workspace.root, workspace.settings, workspace.synced_index()
    now, journal = workspace.resolve_now(request.now), workspace.sync_source().journal
    places = forget.find_due(index, journal, now, settings.forget_erase_after_days).places
    returned: tuple[tuple[str, str], ...] = ()
    if also_returned and (erased := tombstones.read_tombstones(root)):
        places += tuple(sync.find_forgotten_places(root, index.files(), settings.files_max_bytes))
        returned = tuple(forget.find_sentences(root, erased.find))
    if not (places or returned):
        return forget.ForgetResult("", ())
    return _erase(workspace, request, partial(forget.describe_places, root, places, returned), forget.ForgetWish())


def _erase(
    workspace: OpenWorkspace,
    request: parameters.ForgetRequest,
    describe: Callable[[str], forget.TextMatcher],
    wish: forget.ForgetWish,
) -> forget.ForgetResult:
    """Erase what `describe` returns for a salt; without `apply` the files that would be changed."""
    now, device = workspace.resolve_now(request.now), workspace.sync_source().device
    keeps_salt = request.apply and request.tombstone
    salt = tombstones.find_salt(workspace.root, device) if keeps_salt else tombstones.random_salt()
    matcher = describe(salt)
    if not request.apply:
        return forget.ForgetResult("", (), files=forget.plan_erasure(workspace.root, matcher, now[:10]))
    manifest = forget.ErasureManifest(
        id=files.random_hex(MANIFEST_ID_BYTES),
        ts=now,
        device=device,
        wish=forget.describe_wish(wish, salt),
        erased=matcher.erased,
        leaves_tombstones=request.tombstone,
    )
    manifest = erase_workspace(workspace, manifest, matcher)
    return forget.ForgetResult(manifest.id, (), manifest, manifest.changed)


def count_due(workspace: OpenWorkspace, index: Index) -> dict[str, str | int]:
    """What is hidden, how much of it is to be erased at the next consolidation, and when more is; empty if nothing."""
    if not (hidden := index.hidden_places()):
        return {}
    days = workspace.settings.forget_erase_after_days
    due = forget.find_due(index, workspace.sync_source().journal, workspace.resolve_now(None), days)
    next_day = {"forgotten_next_due": due.next_day} if due.next_day else {}
    return {"forgotten_hidden": len(hidden), "forgotten_due": len(due.places), **next_day}


def erase_workspace(
    workspace: OpenWorkspace, manifest: forget.ErasureManifest, matcher: forget.TextMatcher
) -> forget.ErasureManifest:
    """Erase what a manifest describes from the files and the index, and scan for what is left; it may be done again.

    Raises LockBusy, WriteConflict, WorkspaceUnusable.
    """
    with forget.log_erasure_intent(workspace.root, manifest):
        forget.write_manifest(workspace.root, manifest)
        changed = forget.erase_texts(workspace.root, manifest, matcher)
        workspace.replace_index()
        drop_unused_vectors(workspace)
        for folder in _temporary_folders(workspace.environment.temporary):  # a check that runs has its own index open
            for name in files.list_folder_names(folder):
                if name.startswith("index.sqlite"):
                    os.remove(f"{folder}/{name}")
        manifest = structs.replace(
            manifest,
            changed=(*manifest.changed, *changed),
            scan=scan_for_erased(workspace, matcher),
            commands=(*_outside_commands(workspace), *_update_backups(workspace.root, manifest)),
        )
        forget.write_manifest(workspace.root, manifest)
    return manifest


def _update_backups(root: str, manifest: forget.ErasureManifest) -> Iterator[str]:
    """Bring the tombstones of every backup up to date, so that a restore erases too; what to run where that fails."""
    for folder in backup.read_registered_backups(root):
        try:
            if manifest.leaves_tombstones:
                backup.update_backup_tombstones(root, folder, manifest.ts)
        except CommonplaceError as error:
            command = f"commonplace restore {folder} TARGET --manifest {manifest.path}"
            yield f"{command}  # this backup could not be reached ({error.message})"
        if not manifest.leaves_tombstones:
            yield f"rm -r {folder}  # a backup that still has it; then `commonplace backup` to another folder"


def apply_manifest(workspace: OpenWorkspace, path: str) -> None:
    """Erase from a restored workspace what a manifest says was erased. Raises NotFound, BadArgument."""
    manifest = structs.replace(read_manifest(path), device=workspace.sync_source().device)
    erase_workspace(workspace, manifest, forget.TextMatcher(manifest.erased))


def _outside_commands(workspace: OpenWorkspace) -> Iterator[str]:
    """What a person can run where we do not look: the history of git, and the transcripts that hosts keep."""
    if os.path.exists(f"{workspace.root}/.git"):
        yield "git log --all -p -S 'WORDS'  # which commits have it; WORDS are some of the words that were erased"
        yield "git filter-repo --replace-text FILE  # in FILE a line `WORDS==>[forgotten]`; then remove FILE"
        yield "git push --force --all  # then everybody clones anew"
    home = workspace.environment.home
    transcripts = [folder for folder in TRANSCRIPT_FOLDERS if os.path.isdir(f"{home}/{folder}")]
    if transcripts:
        yield f"cd ~ && grep -rlF 'WORDS' {' '.join(transcripts)}  # transcripts of hosts; remove or edit these files"


def scan_for_erased(workspace: OpenWorkspace, matcher: forget.TextMatcher) -> forget.TextScan:
    """Look for what was erased in the workspace, in our state folders and in our temporary files."""
    environment = workspace.environment
    folders = [f"{environment.state_home}/commonplace", os.path.dirname(workspace.index_path)]
    folders += _temporary_folders(environment.temporary)
    inside = f"{workspace.root}/"
    outside = [one for one in dict.fromkeys(folders) if os.path.isdir(one) and not f"{one}/".startswith(inside)]
    return forget.scan_folders((workspace.root, *outside), matcher)


def _temporary_folders(parent: str) -> list[str]:
    """The folders of indexes that a check made for a while, and of drills."""
    folders = [f"{parent}/{name}" for name in files.list_folder_names(parent) if name.startswith("commonplace-")]
    drills = f"{parent}/commonplace-drill-"
    return [one for one in folders if one.startswith(drills) or os.path.isfile(f"{one}/index.sqlite")]


def verify_manifest(workspace: OpenWorkspace, request: parameters.VerifyManifestRequest) -> forget.TextScan:
    """Scan again for what a manifest says was erased. Raises NotFound, BadArgument for a file that is no manifest."""
    manifest = read_manifest(os.path.join(workspace.root, request.manifest))
    return scan_for_erased(workspace, forget.TextMatcher(manifest.erased))


def read_manifest(path: str) -> forget.ErasureManifest:
    """The manifest in a file. Raises NotFound, BadArgument for a file that is no manifest."""
    folder, name = os.path.split(path)
    try:
        return msgspec.json.decode(files.read_file(folder, name), type=forget.ErasureManifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadArgument(f"{path!r} is no manifest of `forget`: {error}", path=path) from None

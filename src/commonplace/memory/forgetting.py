"""Forget: preview what a wish concerns, hide it, or erase it and look whether anything is left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import structs

from commonplace.errors import BadArgument
from commonplace.memory.open_workspace import shared_fields
from commonplace.storage import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commonplace.memory.open_workspace import OpenWorkspace
    from commonplace.operations import parameters
    from commonplace.upkeep.forget import ErasureManifest, ForgetResult, TextScan
TRANSCRIPT_FOLDERS = (".openclaw/agents", ".claude/projects", ".codex/sessions", ".cursor/chats")


def forget_records(workspace: OpenWorkspace, request: parameters.ForgetRequest) -> ForgetResult:
    """What a wish to forget concerns; with `apply` it is hidden from every answer, which `undo` with the id of the
    result takes back.

    With `erase` too it is erased from all files instead, for good, and a manifest says what was done and what is left.
    Raises NotFound for what is not there, BadArgument for a wish that names nothing, LockBusy.
    """
    from commonplace.model import Query
    from commonplace.retrieval.recall import build_record_filter
    from commonplace.storage.tombstones import random_salt, read_or_create_salt
    from commonplace.upkeep.forget import (
        ErasureManifest,
        ForgetResult,
        ForgetWish,
        describe_erasure,
        describe_wish,
        hide_records,
        plan_erasure,
        select_records,
    )

    now = workspace.resolve_now(request.now)
    period = build_record_filter(Query(text="", now=now, since=request.since, until=request.until))
    wish = ForgetWish(**shared_fields(request, ForgetWish))
    wish = structs.replace(wish, since=period.since, until=period.until)
    selected = select_records(workspace.synced_index(), wish)
    if request.erase and not request.apply:
        erased = describe_erasure(workspace.root, wish, selected, random_salt())
        return ForgetResult("", selected, files=plan_erasure(workspace.root, erased, now[:10]))
    if not request.apply or not (selected or request.erase):
        return ForgetResult("", selected)
    if workspace.notes:
        raise BadArgument(f"nothing can be forgotten while the index is behind: {workspace.notes[0]}")
    journal = workspace.sync_source().journal
    if not request.erase:
        forgotten_id = hide_records(journal, selected, now)
        workspace.index_after_write(now=request.now)
        return ForgetResult(forgotten_id, selected)
    workspace.finish_interrupted()
    salt = read_or_create_salt(workspace.root, journal.device) if request.tombstone else random_salt()
    erased = describe_erasure(workspace.root, wish, selected, salt)
    forgotten_id = hide_records(journal, selected, now, is_erased=True)
    manifest = ErasureManifest(
        id=forgotten_id,
        ts=now,
        device=journal.device,
        wish=describe_wish(wish, erased.salt),
        erased=erased,
        leaves_tombstones=request.tombstone,
    )
    manifest = erase_workspace(workspace, manifest)
    return ForgetResult(forgotten_id, selected, manifest, manifest.changed)


def erase_workspace(workspace: OpenWorkspace, manifest: ErasureManifest) -> ErasureManifest:
    """Erase what a manifest describes from the files and the index, and scan for what is left; it may be done again.

    Raises LockBusy, WriteConflict, WorkspaceUnusable.
    """
    from commonplace.memory.recall import drop_unused_vectors
    from commonplace.upkeep.forget import erase_texts, log_erasure_intent, write_manifest

    write_manifest(workspace.root, manifest)
    with log_erasure_intent(workspace.root, manifest):
        changed = erase_texts(workspace.root, manifest)
        workspace.replace_index()
        drop_unused_vectors(workspace)
        manifest = structs.replace(
            manifest,
            changed=(*manifest.changed, *changed),
            scan=scan_for_erased(workspace, manifest),
            commands=tuple(_outside_commands(workspace)),
        )
        write_manifest(workspace.root, manifest)
    return manifest


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


def scan_for_erased(workspace: OpenWorkspace, manifest: ErasureManifest) -> TextScan:
    """Look for what was erased in the workspace, in our state folders and in our temporary files."""
    from commonplace.upkeep.forget import scan_folders

    environment = workspace.environment
    temporary = environment.temporary
    names = [name for name in files.list_folder_names(temporary) if name.startswith("commonplace-")]
    folders = [f"{environment.state_home}/commonplace", os.path.dirname(workspace.index_path)]
    folders += [f"{temporary}/{name}" for name in names]
    inside = f"{workspace.root}/"
    outside = [one for one in dict.fromkeys(folders) if os.path.isdir(one) and not f"{one}/".startswith(inside)]
    return scan_folders((workspace.root, *outside), manifest.erased)


def verify_manifest(workspace: OpenWorkspace, request: parameters.VerifyManifestRequest) -> TextScan:
    """Scan again for what a manifest says was erased. Raises NotFound, BadArgument for a file that is no manifest."""
    import msgspec

    from commonplace.upkeep.forget import ErasureManifest

    folder, name = os.path.split(os.path.join(workspace.root, request.manifest))
    try:
        manifest = msgspec.json.decode(files.read_file(folder, name), type=ErasureManifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadArgument(f"{request.manifest} is no manifest of `forget`: {error}") from None
    return scan_for_erased(workspace, manifest)

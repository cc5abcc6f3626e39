"""Trace what a record or capture took part in, correct it where it was read, and make a pack again."""

from __future__ import annotations

from datetime import date, timedelta

import msgspec
from msgspec import structs

from commonplace import sync
from commonplace.errors import BadArgument
from commonplace.memory import recall as outputs
from commonplace.memory.capture import capture_event
from commonplace.memory.diagnostics import resolve_receipt
from commonplace.memory.open_workspace import OpenWorkspace
from commonplace.model import Receipt
from commonplace.operations import parameters
from commonplace.retrieval import pack


def trace_impact(workspace: OpenWorkspace, request: parameters.ShowRequest) -> pack.Impact:
    """Every pack that had a record or capture, or lines of a file, in it, also by what it rests on and what was made of
    it; the sessions that read these packs; and all that was made of it. Writes nothing.

    What is hidden or erased is found by its id alone. Raises NotFound for what is not known, BadArgument.
    """
    reference = request.reference
    if "~" in reference.rpartition("#L")[2]:  # a citation with an anchor
        view = outputs.show_lines(workspace, parameters.ShowRequest(reference))
        reference = f"{view.path}#L{view.line_start}-L{view.line_end}"
    return pack.find_impact(workspace.synced_index(), workspace.root, reference)


class CorrectionResult(msgspec.Struct, frozen=True):
    """The capture that tells what is right, the kinds of secrets that were masked in it, the sessions that get it with
    their next automatic pack, and the day from which they no longer do."""

    capture_id: str
    redacted: tuple[str, ...]
    sessions: tuple[str, ...]
    expires: str


def correct_readers(workspace: OpenWorkspace, request: parameters.CorrectionRequest) -> CorrectionResult:
    """Tell every session that read a record or capture, or what was made of it, what is right: the next automatic pack
    of each begins its lines with this text as a correction, once, within thirty days.

    The text is captured as the owner's. Raises NotFound, and BadArgument where no known session read it.
    """
    impact = trace_impact(workspace, parameters.ShowRequest(request.reference))
    sessions, now = tuple(session.session for session in impact.sessions), workspace.resolve_now(request.now)
    if not sessions:
        message = f"no known session had {request.reference!r} in a pack, so there is none to correct"
        raise BadArgument(message, hint="`commonplace retain` keeps what is right")
    scope = impact.records[0].scope if impact.records else workspace.settings.scope
    captured = capture_event(workspace, parameters.CaptureRequest(request.text, scope=scope, now=now))
    if not captured.id:
        raise BadArgument("the correction was not captured: it is empty, or nothing is to be kept now")
    payload = {
        "op": sync.CORRECTED_OP,
        "ts": now,
        "records": [record.id for record in impact.records] or [request.reference],
        "notice": captured.id,
        "sessions": [pack.session_key(session) for session in sessions],
    }
    workspace.sync_source().journal.append(payload, "ledger")
    workspace.index_after_write(now=now)
    expires = date.fromisoformat(now[:10]) + timedelta(days=pack.CORRECTION_DAYS)
    return CorrectionResult(captured.id, captured.redacted, sessions, expires.isoformat())


NO_QUESTION_HINT = "give the question too, word for word; or set `receipts.query_text = true` for later packs"


def replay_receipt(workspace: OpenWorkspace, request: parameters.ReplayRequest) -> pack.ReceiptReplay:
    """Make the pack of a receipt again, of the files as they are now and with the clock as it was, and compare the two:
    equal files and settings give an equal pack, and each difference is named. Writes nothing.

    A receipt with the digest of its question only needs the `question`. Raises NotFound, and BadArgument for what does
    not say enough to be made again.
    """
    receipt = resolve_receipt(workspace, request.receipt)
    pack_request = _repeat_request(receipt, request.question)
    index, pack_spec = workspace.synced_index(), outputs.build_pack_spec(workspace, pack_request, receipt.ts)
    pack_spec = structs.replace(pack_spec, corrections=receipt.basis.corrections if receipt.basis else ())
    hits = outputs.recall_for_pack(workspace, structs.replace(pack_request, sync=False))
    packed, considered = pack.preview_pack(index, hits, pack_spec)
    basis = pack.make_basis(index, pack_spec, packed)
    again = pack.make_receipt(packed, hits, considered, ts=receipt.ts, timings_ms={}, basis=basis)
    return pack.compare_replay(index, workspace.root, receipt, again)


def _repeat_request(receipt: Receipt, question: str) -> parameters.PackRequest:
    """The request of which a receipt explains the pack. Raises BadArgument for what it lacks."""
    subject, text, basis = f"the pack of {receipt.id} cannot be made again", question or receipt.query, receipt.basis
    if basis is None:
        message = f"{subject}: the receipt is of an older version, and has neither its options nor its settings"
        raise BadArgument(message, hint="`commonplace diff-receipts` compares it with a pack of today")
    if basis.withheld:
        message = f"{subject}: the receipt does not keep {', '.join(basis.withheld)}"
        raise BadArgument(message, hint="set `receipts.query_text = true` for later packs")
    if pack.query_digest(text) != receipt.query_digest:
        why = "this is not its question" if text else "the receipt has only the digest of its question"
        raise BadArgument(f"{subject}: {why}", hint=NO_QUESTION_HINT)
    options = {**basis.options, "text": text, "now": receipt.ts, "scope": receipt.scope}
    options |= {"budget_tokens": receipt.budget_tokens, "automatic": basis.automatic}
    try:
        return msgspec.convert(options, parameters.PackRequest)
    except msgspec.ValidationError as error:
        raise BadArgument(f"{subject}: its options cannot be read ({error})") from None

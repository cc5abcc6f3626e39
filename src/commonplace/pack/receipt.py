"""The receipt of a pack: what was asked, searched, considered, taken and left out, and why; never any memory text."""

from __future__ import annotations

from hashlib import blake2b

from commonplace.model import Considered, Hit, Hits, Pack, Receipt
from commonplace.recall.score import FACTOR

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_CHARS = 12


def receipt(
    pack: Pack,
    hits: Hits,
    considered: tuple[Considered, ...],
    *,
    ts: str,
    timings: dict[str, float],
    keep_query: bool = False,
) -> Receipt:
    """The receipt of a pack built from `hits`; `considered` is what `build` returned beside it, `timings` are ms.

    The query is kept as a digest; its text, and the notes that may quote it, only with `keep_query`.
    """
    digest = _digest(hits.query.text)
    whole = (*considered, *(_below(hit) for hit in hits.candidates))
    return Receipt(
        id=_id(ts, digest, _digest(pack.text)),
        ts=ts,
        query_digest=digest,
        budget_tokens=pack.budget_tokens,
        tokens=pack.tokens,
        lanes=lanes(whole),
        considered=whole,
        timings_ms=timings,
        notes=hits.notes if keep_query else (),
        query=hits.query.text if keep_query else "",
        scope=hits.query.scope,
    )


def lanes(considered: tuple[Considered, ...]) -> tuple[str, ...]:
    """The lanes that found something, by name."""
    names = {reason.name for one in considered for reason in one.reasons}
    return tuple(sorted(name for name in names if not name.endswith(FACTOR)))


def _below(hit: Hit) -> Considered:
    record = hit.record
    return Considered(record.id, record.source.citation, False, "ranked below k", hit.score, hit.reasons)


def _id(*parts: str) -> str:
    value = int.from_bytes(blake2b("\0".join(parts).encode(), digest_size=8).digest())
    return "r-" + "".join(ALPHABET[value >> 5 * place & 31] for place in range(ID_CHARS))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

"""What a capture that cannot be trusted taints: its words, less those that stood in trusted memory already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from commonplace import files
from commonplace.text.shingles import MASK, unquoted

if TYPE_CHECKING:
    from commonplace.text.shingles import Span

ARTIFACTS = ".memory/artifacts"
HEXADECIMAL = frozenset("0123456789abcdef")


def tainting(fields: dict[str, Any], root: str) -> tuple[int, ...]:
    """The shingles of a capture of which a record must not be made up; none of one that is trusted or an agent's.

    Whether it is evidence does not matter: what is private, or an echo in part, was read all the same. Of a long text
    that was laid aside all counts, if the funnel noted what of all of it is quoted (`artifact.quoted`). What its author
    wants nobody to keep may be told by its shingles alone (`shingles`).
    """
    if fields.get("origin") in ("trusted", "unknown"):
        return ()
    detail = fields.get("detail")
    detail = detail if isinstance(detail, dict) else {}
    own = (*unquoted(str(fields.get("text") or ""), spans(detail.get("quoted"))), *_told(detail.get("shingles")))
    artifact = detail.get("artifact")
    if not isinstance(artifact, dict) or "quoted" not in artifact:
        return own
    return (*own, *unquoted(_whole(root, str(artifact.get("sha256"))), spans(artifact["quoted"])))


def spans(noted: Any) -> list[Span]:
    """Stretches of a text as a journal line has them; what is none is passed over."""
    if not isinstance(noted, list):
        return []
    pairs = [pair for pair in noted if isinstance(pair, list) and len(pair) == 2]
    return [(pair[0], pair[1]) for pair in pairs if all(isinstance(place, int) and place >= 0 for place in pair)]


def _told(noted: Any) -> list[int]:
    return [one for one in noted if isinstance(one, int) and 0 <= one <= MASK] if isinstance(noted, list) else []


def _whole(root: str, name: str) -> str:
    """The text of an artifact, empty if it is not there any more."""
    if len(name) != 64 or not HEXADECIMAL.issuperset(name):
        return ""
    return (files.find(root, f"{ARTIFACTS}/{name}") or b"").decode("utf-8", "replace")

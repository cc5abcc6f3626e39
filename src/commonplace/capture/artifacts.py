"""What is too long for a journal line lies in a file of its own, named by its content; its head and tail stay."""

from __future__ import annotations

from commonplace import files

FOLDER = ".memory/artifacts"
MOST_TEXT = 8_000  # characters of a journal line's text
HEAD, TAIL = 6_000, 1_500

Json = dict[str, object]


def laid_aside(root: str, text: str) -> tuple[str, Json]:
    """The text as its journal line has it, and the artifact that holds all of it; none for a text that is short."""
    if len(text) <= MOST_TEXT:
        return text, {}
    from hashlib import sha256  # loads OpenSSL, which a short text does not need

    data = text.encode()
    name = sha256(data).hexdigest()
    with files.doing(root):
        files.create(root, f"{FOLDER}/{name}", data)
    left_out = len(text) - HEAD - TAIL
    short = f"{text[:HEAD]}\n… {left_out} characters are in {FOLDER}/{name} …\n{text[-TAIL:]}"
    return short, {"sha256": name, "bytes": len(data)}

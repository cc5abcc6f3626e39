"""The key under which a name is known, however it is written."""

from __future__ import annotations

from commonplace.text.folding import fold


def name_key(name: str) -> str:
    """The folded words of a name, without punctuation: `Peter's` is `peter`, `The-Castle` is `the castle`."""
    folded = fold(name).replace("'s ", " ").removesuffix("'s")
    if folded.replace(" ", "").isalnum():
        return folded
    return " ".join("".join(char if char.isalnum() else " " for char in folded.replace("'", "")).split()) or folded

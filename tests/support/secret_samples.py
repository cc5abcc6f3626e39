"""Texts with a secret of each kind in them, put together at run time, so that no key-like string stands in a file.

`tests/data/secrets` says how the keys of each kind look: `<A36>` is 36 letters and digits, `<G>` a UUID, and what stands
in {braces} is not part of the key.
"""

from __future__ import annotations

import random
import re
import string
from pathlib import Path

_DATA = Path(__file__).parents[1] / "data" / "secrets"
FORMATS, GENERIC = ((_DATA / f"{name}.txt").read_text("utf-8").strip() for name in ("formats", "generic"))
KEY = b"a key of the workspace"
ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "h": "0123456789abcdef",
    "d": "0123456789",
    "b": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}
WORDS = ("apple", "river", "stone", "cloud", "maple", "tiger", "piano", "ocean", "lemon", "candle")


def make_sample(form: str, seed: int) -> tuple[str, str]:
    """A text and the secret in it, made from a form."""
    rng = random.Random(f"{form}{seed}")

    def fill(match: re.Match[str]) -> str:
        letter, count = match[1], int(match[2] or 0)
        if letter == "G":
            return "-".join("".join(rng.choices(ALPHABETS["h"], k=size)) for size in (8, 4, 4, 4, 12))
        if letter == "W":
            return " ".join(rng.choices(WORDS, k=count))
        return "".join(rng.choices(ALPHABETS[letter], k=count))

    filled = re.sub(r"<([AluwhdbGW])(\d*)>", fill, form.replace("\\n", "\n"))
    before, _, rest = filled.rpartition("{}") if filled.startswith("-----") else ("", "", filled)
    if before:
        filled = filled.replace("{}", "")
        return filled, filled
    return re.sub(r"[{}]", "", rest) if "{" in rest else rest, re.sub(r"\{[^}]*\}", "", rest)

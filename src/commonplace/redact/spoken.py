"""Words for a password in other languages, put in words of the same length that the rules know."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_WORDS = {
    "mot de passe": "mot_password",
    "mot-de-passe": "mot_password",
    "palavra-passe": "palavra_passw",
    "palavra passe": "palavra_passw",
    "parola d'ordine": "parola_password",
    "parola d’ordine": "parola_password",
    "contraseña": "contrasena",
    "lösenord": "losenord",
    "пароль": "passwd",
    "密码": "pw",
    "密碼": "pw",
    "口令": "pw",
    "パスワード": "passw",
    "暗証番号": "pswd",
}
_IS = r"[ \t]*[是为為は](?=[ \t]*[!-~])"  # as `is`, with no space around it
_SIGNS = "：＝\u202f\u3000“”„‟「」『』"
_KNOWN = str.maketrans(_SIGNS, ':=  """"""""')


def understood(text: str) -> str:
    """The text in which such a word, and what stands between it and its value, is one that the rules know."""
    small = text.lower()
    if any(word in small for word in _WORDS):
        text = _words().sub(_known, text)
    return text.translate(_KNOWN) if any(sign in text for sign in _SIGNS) else text


def _known(match: re.Match[str]) -> str:
    word = _WORDS.get(match[1].lower(), match[1])  # `ſ` is an s to a pattern, and none in the table
    return word + (":".rjust(len(match[2])) if match[2] else "")


@cache
def _words() -> re.Pattern[str]:
    import re

    return re.compile(f"({'|'.join(_WORDS)})({_IS})?", re.IGNORECASE)

"""Fold case, accents and invisible characters, detect scripts, and make the key by which names are compared."""

from __future__ import annotations

from unicodedata import normalize

from commonplace.lazy import lazy_pattern

# Letters that carry a stroke or are ligatures: Unicode does not decompose them, people type them without.
_UNDECOMPOSED_LETTERS = str.maketrans(
    {
        "ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "þ": "th", "æ": "ae", "œ": "oe",
        "ß": "ss", "ŋ": "n", "ς": "σ",
    }
)  # fmt: skip
_NAME_SEPARATORS = str.maketrans({"-": " ", "_": " ", "‐": " ", "‑": " ", "–": " ", "’": "'", "ʼ": "'"})

# Marks that a reader may leave out: accents on Latin, Greek and Cyrillic, Hebrew points, Arabic vowels; and characters
# that show nothing (joiners, variation selectors, soft hyphen, tags). Vowel signs of Indic scripts are letters: kept.
_OMISSIBLE_MARKS_PATTERN = lazy_pattern(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f"
    "\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]+"
)
_ESCAPE_SEQUENCE_PATTERN = lazy_pattern(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)"
)
_CONTROL_CHAR_PATTERN = lazy_pattern(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = (
    "\u3031-\u3035\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001b000-\U0001b16f"
)
BOPOMOFO = "\u3105-\u312f\u31a0-\u31bf"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
CYRILLIC = "\u0400-\u052f"

# Scripts written without spaces whose letters combine: the unit is what a reader sees as one character, a base with
# its vowel signs and tone marks (Thai and Lao write some vowels before the base).
_LEADING_VOWELS = "\u0e40-\u0e44\u0ec0-\u0ec4"
_COMBINING_SIGNS = (
    "\u0e30-\u0e3a\u0e45\u0e47-\u0e4e\u0eb0-\u0ebd\u0ec8-\u0ece"  # Thai, Lao
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d"
    "\ua9e5\uaa7b-\uaa7d"  # Myanmar
    "\u17b4-\u17d1\u17d3\u17dd"  # Khmer
)
_STACKERS = "\u1039\u17d2"  # the next consonant stands below this one
CLUSTERED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f"
    "\u1780-\u17d3\u17d7\u17dc\u17dd\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
)

# Vowel signs that Python's \w leaves out though they are part of words: Indic scripts, Tibetan, Syriac, Thaana, N'Ko.
WORD_VOWEL_SIGNS = (
    "\u0711\u0730-\u074a\u07a6-\u07b0\u07eb-\u07f3\u0816-\u082d\u0859-\u085b\u08ca-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u09e2\u09e3\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75"
    "\u0a81-\u0a83\u0abc-\u0acd\u0ae2\u0ae3\u0afa-\u0aff\u0b01-\u0b03\u0b3c-\u0b57\u0b62\u0b63\u0b82\u0bbe-\u0bcd"
    "\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c62\u0c63\u0c81-\u0c83\u0cbc-\u0cd6\u0ce2\u0ce3\u0d00-\u0d03\u0d3b-\u0d57"
    "\u0d62\u0d63\u0d81-\u0d83\u0dca-\u0df3\u0f18\u0f19\u0f35-\u0f39\u0f71-\u0f84\u0f86-\u0fbc"
)

_EMOJI = (
    "\u203c\u2049\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u2600-\u2767\u2795-\u2797\u27b0\u27bf"
    "\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001f0ff\U0001f18e\U0001f191-\U0001f19a\U0001f300-\U0001f3fa"
    "\U0001f400-\U0001faff"
)
_FLAG = "[\U0001f1e6-\U0001f1ff]"

FIRST_UNSPACED_CHAR = "\u0e01"  # no character below it belongs to a run
# Stretches of one script written without spaces; `lastgroup` is han, clustered, hangul or emoji.
SCRIPT_RUN_PATTERN = lazy_pattern(
    f"(?P<han>[{HAN}{KANA}{BOPOMOFO}]+)|(?P<clustered>[{CLUSTERED}]+)|(?P<hangul>[{HANGUL}]+)"
    f"|(?P<emoji>{_FLAG}{_FLAG}?|[{_EMOJI}])"
)
_NO_SIGN = f"[^{_LEADING_VOWELS}{_COMBINING_SIGNS}{_STACKERS}]"
# One visible character of Thai, Lao, Khmer or Myanmar.
GRAPHEME_PATTERN = lazy_pattern(
    f"[{_LEADING_VOWELS}]{{0,2}}{_NO_SIGN}(?:[{_COMBINING_SIGNS}]|[{_STACKERS}]{_NO_SIGN})*"
    f"|[{_LEADING_VOWELS}{_COMBINING_SIGNS}{_STACKERS}]"
)
_SURROGATE_PATTERN = lazy_pattern("[\ud800-\udfff]")
_NO_LETTERS_PATTERN = lazy_pattern(r"[\W_]+")
_LETTERS_PATTERN = lazy_pattern(f"(?:[^\\W\\d_]|[{WORD_VOWEL_SIGNS}])+")


def fold_name(text: str) -> str:
    """Return a name as it is compared: NFKC, casefolded, without accents, hyphens and underscores as single blanks."""
    if text.isascii():
        return " ".join(text.lower().translate(_NAME_SEPARATORS).split())
    folded = strip_accents(strip_marks(casefold_nfkc(text)))
    return " ".join(casefold_nfkc(folded).translate(_NAME_SEPARATORS).split())


def sanitize_line(text: str) -> str:
    """Return text that is safe in a terminal or a prompt, on one line and always encodable: without escape sequences,
    control characters and direction overrides; a lone surrogate becomes U+FFFD."""
    if not text.isprintable():
        text = _SURROGATE_PATTERN.sub("\ufffd", _CONTROL_CHAR_PATTERN.sub("", _ESCAPE_SEQUENCE_PATTERN.sub("", text)))
    return " ".join(text.split())


def casefold_nfkc(text: str) -> str:
    """Return NFKC around casefold, so that compatibility forms of capitals are folded too."""
    return normalize("NFKC", normalize("NFKC", text).casefold())


def strip_marks(text: str) -> str:
    """Remove the marks that NFKC could not compose, and invisible characters."""
    return _OMISSIBLE_MARKS_PATTERN.sub("", text)


def strip_accents(word: str) -> str:
    """Remove the accents of a folded word or a stem."""
    if word.isascii():
        return word
    return normalize("NFC", strip_marks(normalize("NFD", word).translate(_UNDECOMPOSED_LETTERS)))


def is_han_character(text: str) -> bool:
    """Return whether a text is a single Chinese character, which may be a word of its own."""
    return len(text) == 1 and ("\u3400" <= text <= "\u9fff" or text >= "\U00020000")


def is_word(text: str) -> bool:
    """Return whether a text is one word of letters and of the vowel signs that some scripts write as marks."""
    return text.isalpha() or bool(_LETTERS_PATTERN.fullmatch(text))


def name_key(name: str) -> str:
    """Return the folded words of a name without punctuation: `Peter's` is `peter`, `The-Castle` is `the castle`."""
    folded = fold_name(name).replace("'s ", " ").removesuffix("'s")
    if folded.replace(" ", "").isalnum():
        return folded
    return " ".join(_NO_LETTERS_PATTERN.sub(" ", folded.replace("'", "")).split()) or folded

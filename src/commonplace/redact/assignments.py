"""The generic rule: a telling name, a separator, and a value that looks like a secret (`DB_PASSWORD="…"`, `--token …`).

RE2 finds the names; the value, at most 256 bytes of it, is read and judged here, so the work stays linear.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from commonplace.redact import judge
from commonplace.redact.found import Hit
from commonplace.redact.names import HARMLESS_ENDS, KEY_KINDS, KEYS, PASSWORDS, SCHEMES, TOKENS, VENDORS
from commonplace.redact.patterns import compiled

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_STEMS = """
pass pw pwd pswd secret token key auth cred bearer psk cookie sessid jwt webhook
kennwort wachtwoord contrasena losenord senha mdp
"""
_IS = (
    r"(?:(?:is|was|has been) )?(?:now|(?:now )?(?:changed|set|reset|updated) to)|is|was|to|from"
    r"|(?:ist|lautet)(?: jetzt| nun)?|war|est(?: maintenant)?|es(?: ahora)?|[\xe8\xe9]|\xe4r|er|je|jest"
)
_SITE = (
    r"(?i)(?:{names})[A-Za-z0-9_.\-]*(?:\\*[\"'`])?[\])]?(?:\*\*)?(?:("
    r"[ \t\xa0]*(?:=>|:{1,2}=|\?=|[=!]==?|=|:)(?:\*\*)?[ \t]*(?:\xab[ \t\xa0]?|\|\|)?"
    r"|[ \t]+-{1,2}>?[ \t]+|[ \t]*\|[ \t]*"
    r"|[ \t]*,[ \t]*(?:\\*[\"'`])|[ \t]+(?:value|content)=|\\*[\"'`]?>[ \t]*"
    r")|([ \t]+(?:(?:{is})[ \t]*:?[ \t]+)?)[^\s0-9\x00]*[0-9])"  # only a space: the next word has a digit
)
_BELOW = (  # a name at the end of its line, perhaps with a scheme: the value stands on the next
    r"(?i)(?:{stems})[A-Za-z0-9_.\-]{0,64}(?:\\*[\"'`])?[\])]?[ \t]*(?:=>|:=|=|:)[ \t]*(?:(?:{schemes})[ \t]*)?"
    r"[\"'`>|\\+]?[ \t]*(?:\r?\n[ \t]*(?:- )?|\\r?\\n[ \t]*)"
)
_FAR = (  # a name, then of what it is, then the value
    r"(?i)(?:{stems})[A-Za-z0-9_]{0,12}(?:[ \t]+\([^()\n\x00]{1,30}\)|(?:[ \t]+\([^()\n\x00]{1,30}\))?"
    r"[ \t]+(?:{of})[ \t]+[^\n:=\x00]{1,40}?)"
    r"(?:[ \t]*(?:\*\*)?[:=](?:\*\*)?[ \t]+|([ \t]+(?:{is})[ \t]*:?[ \t]+)[^\s0-9\x00]*[0-9])"
)
_OF = (
    r"for|of|to|on|at|in|from|f\xfcr|von|vom|zum|zur|im|am|de|del|du|des|pour|para|per|di|da|do|voor|van|f\xf6r|till?"
    r"|ke?|na|za|od|pro|dla|\?{1,4}"  # a short word in letters that Latin-1 has not
)
_SET = (
    rb"(?:^|[\r\n])[ \t]*(?:export |set |ENV |ARG |- )?[ \t]*$"  # what stands before a name that a line of a shell sets
)
_CHANGED = rb"(?i)\b(?:chang|reset|set|updat|switch)[a-z]*[ \t][^\n\x00]{0,24}$"
_LOGIN = rb"(?i)(?:user|username|login|e-?mail|account)[\"'`*]{0,3}[ \t]*[:=][^\n\x00]{1,64}(?:\r?\n[^\n\x00]{0,16})?$"
_WAY = (
    rb"(?i)\b(?:ski|lift|mountain|alpine|rail|train|bus|tram|day|season|boarding|travel|museum|park|city|press)[ \t]$"
)
_CALL = rb"\((?:\)|[0-9, ]{1,12}\)|[\"'])"
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$"
_PASSWORD_TAILS = ("password", "passwd", "passphrase", "passwort", "kennwort", "wachtwoord")
_TOKEN_TAILS = ("secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "pwd")
_JUDGED = 256
_MOST_NAMES_IN_A_RUN = 3  # `key=a1key=a1…` without end is nobody's configuration


class _Said(Struct, frozen=True):
    """How a value is given: behind which name, without a sign between, in words that say that it is the value."""

    name: str
    spaced: bool
    tells: bool


def find_assignments(data: bytes) -> Iterator[Hit]:
    """Values that a name beside them gives away."""
    position, run_end, judged = 0, 0, 0
    while match := _sites().search(data, position):
        spaced = match.end(1) < 0
        position = match.end(2) if spaced else match.end(1)
        verb = match[2].strip(b" \t:") if spaced else b":"
        start, end, edge = _value(data, position)
        judged = judged + 1 if start < run_end else 0
        run_end = max(run_end, edge)
        if judged > _MOST_NAMES_IN_A_RUN:
            position = run_end
        hit = _judge(data, match.start(), (start, end), verb)
        if hit:
            yield hit
            position = hit.end


def find_below(data: bytes) -> Iterator[Hit]:
    """Values on the line below the name that gives them away: `Authorization: Basic` and its credentials."""
    for match in _below_sites().finditer(data):
        start, end, _ = _value(data, match.end())
        value = data[start:end]
        named = data[end : end + 1] == b":" or b"=" in value.rstrip(b"=")  # the next name, not a value
        if named or not any(digit in value for digit in b"0123456789"):
            continue
        hit = _judge(data, match.start(), (start, end), b":")
        if hit:
            yield hit


def find_far(data: bytes) -> Iterator[Hit]:
    """Values behind a name and what it is for: `the password for the router is …`, `Token (new): …`."""
    for match in _far_sites().finditer(data):
        spaced = match.end(1) >= 0
        start, end, _ = _value(data, match.end(1) if spaced else match.end())
        hit = _judge(data, match.start(), (start, end), match[1].strip(b" \t:") if spaced else b":")
        if hit:
            yield hit


def _judge(data: bytes, stem: int, span: tuple[int, int], verb: bytes) -> Hit | None:
    """The value as a finding; `verb` is what stands between it and its name in running text, `:` for any sign."""
    first = _name_start(data, stem)
    spaced = verb != b":"
    for start, end in _spans(data, first, span):
        if end - start < judge.LEAST - 1:
            continue
        name = _name(data, first)
        bar, kind = kind_of(name, spaced=spaced)
        if bar == "pass" and not spaced:
            bar = _bar_of_pass(data, first, start, end)
        if bar is None or _is_meant_otherwise(name.lower(), data[start:end]) or _is_called(data, start, end):
            continue
        if bar == "password":
            end = _marked(data, start, end, spaced=spaced)
        if _accepted(in_ascii(data[start:end]), bar, _Said(name, spaced, _tells(data, first, verb))):
            end = _whole(data, start, end)
            return Hit(kind, start, end, data[start:end], 2)
    return None


def _bar_of_pass(data: bytes, name: int, start: int, end: int) -> judge.Bar:
    """How telling `pass` is: behind the name of a user, and as a variable, as any password; `PASS:` tells of a test,
    and one that lets somebody in or over is no secret."""
    if _pattern(_WAY).search(data[max(0, name - 12) : name]):
        return "key"
    if _pattern(_LOGIN).search(data[max(0, name - 96) : name]):
        return "password"
    value = data[start:end]
    if data[name : name + 4] == b"PASS":
        return "password" if data[start - 1 : start] == b"=" and judge.is_said(value) else "key"
    one_word = value[:1].isupper() and value[1:].islower()
    return "password" if data[name : name + 4] == b"pass" and one_word and judge.is_said(value) else "pass"


def _is_meant_otherwise(name: str, value: bytes) -> bool:
    """`MDP: Markov2Decision`, `PW | VW-Golf8`: to others these are no `mot de passe` and no password."""
    if name == "pw":
        return _pattern(rb"[A-Z]{2,4}-[A-Z][a-z]+[0-9]{0,3}").fullmatch(value) is not None
    return name == "mdp" and value[-1:].isalpha() and judge.is_wordy(value, 2)


def _is_called(data: bytes, start: int, end: int) -> bool:
    """Whether the value is what is called, or a type with its size: `getpass1()`, `VARCHAR2(64)`."""
    if not _pattern(_CALL).match(data, end):
        return False
    value = data[start:end]
    return value.replace(b"_", b"").replace(b".", b"").isalnum() and judge.is_wordy(value, 2)


def _tells(data: bytes, name: int, verb: bytes) -> bool:
    """Whether a sentence says what the value is: `is`, `was changed to`, and `to` behind `changed the password`."""
    if verb == b"to":
        return _pattern(_CHANGED).search(data[max(0, name - 40) : name]) is not None
    return verb not in (b"", b"from")


def _marked(data: bytes, start: int, end: int, *, spaced: bool) -> int:
    """The end of a value with the marks that may be its last characters: `Sonne24!`."""
    value = data[start:end]
    marks = _pattern(rb"!{1,3}" if spaced else rb"[!?]{1,3}").match(data, end)
    mixed = value != value.translate(None, b"0123456789") and any(map(str.isalpha, value.decode("latin-1")))
    return marks.end() if marks and mixed else end


def _spans(data: bytes, name: int, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The value as it may be meant, the likeliest first: all that a shell's line sets, or up to the next `&name=`."""
    start, end = span
    if data[start - 1 : start] == b"=" and _sets(data, name, start):
        match = _pattern(rb"[^\s\"'\x00]{1,256}").match(data, start)
        whole = match.group().rstrip(b";,)]}>\\") if match else b""
        if len(whole) > end - start:
            yield start, start + len(whole)
    elif b"&" in data[start:end] and data[start - 1 : start] not in (b'"', b"'", b"`"):
        in_query = data[name - 1 : name] in (b"?", b"&") if name else False
        pair = _pattern(rb"&" if in_query else rb"&(?:[A-Za-z_][A-Za-z0-9_.%\[\]-]{0,63}=|[a-z]{2,4}$)").search(
            data[start:end]
        )
        end = start + pair.start() if pair else end
    yield start, end


def _sets(data: bytes, name: int, value: int) -> bool:
    written = data[name : value - 1]
    return written == written.upper() and _pattern(_SET).search(data[max(0, name - 32) : name]) is not None


def _whole(data: bytes, start: int, end: int) -> int:
    """The end of an unquoted value that goes on behind what was judged of it."""
    if data[end : end + 1] != b"=" and end - start < _JUDGED:
        return end
    rest = _pattern(rb"[^\s\"'`,;<>(){}\[\]|\\&\x00]*").match(data, end)
    return rest.end() if rest else end


def in_ascii(value: bytes) -> bytes:
    """The value to be judged: a word is a word with an umlaut too, and its quotes are no part of it."""
    letters = (one if one.isascii() else "e" for one in value.decode("latin-1") if one.isascii() or one.isalpha())
    return value if value.isascii() else "".join(letters).encode()


def _accepted(value: bytes, bar: judge.Bar, said: _Said) -> bool:
    """In running text, where no sign stands between, the value has to show more than in an assignment."""
    flag = said.name.startswith("-")
    if not said.spaced:
        return judge.is_secret(value, bar) or (bar == "password" and judge.is_phrase(value))
    if bar == "password":
        told = judge.is_said(value) and (said.tells or not judge.is_wordy(value))
        return judge.is_secret(value, "password" if flag or told else "token")
    if bar == "token" and (flag or not judge.is_fingerprint(value)):
        return judge.is_secret(value, "token") and (len(value) >= 14)
    return judge.is_secret(value, "spaced")


@lru_cache(maxsize=1024)
def kind_of(name: str, *, spaced: bool) -> tuple[judge.Bar | None, str]:
    """How telling a name is, and the kind it stands for."""
    words = [word.lower().decode() for word in _pattern(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall(name.encode())]
    vendor = _vendor(name.lower(), words)
    if not words or (words[-1] in HARMLESS_ENDS and len(words) > 1):
        return None, ""
    kind = f"{vendor}-key" if vendor else ""
    last = [word for word in words if not word.isdigit()][-1:]
    tail = last[0] if last else ""
    if tail == "pass" and len(words) == 1:
        return "password" if name[:1] == "-" else "pass", "password"  # `PASS: 12 tests` is said more often
    if tail in PASSWORDS or tail.endswith(_PASSWORD_TAILS):
        return "password", kind or "password"
    pair = "".join(words[-2:])
    if tail in TOKENS or pair in TOKENS or tail.endswith((*_PASSWORD_TAILS, *_TOKEN_TAILS)):
        return "token", kind or "token"
    if tail in KEYS:
        telling = vendor or KEY_KINDS & set(words)
        return ("token" if telling else "key"), kind or "key"
    if vendor:
        return ("spaced" if spaced else "vendor"), kind
    return None, ""


def _vendor(name: str, words: list[str]) -> str:
    """A service named in a name, by a whole word if there is one."""
    for word in words:
        if word in VENDORS:
            return word
    flat = name.replace("_", "").replace("-", "").replace(".", "")
    inside = [(flat.index(vendor), -len(vendor), vendor) for vendor in _long_names() if vendor in flat]
    return min(inside)[2] if inside else ""


def _value(data: bytes, start: int) -> tuple[int, int, int]:
    """Where the value at a place starts and ends, behind a scheme such as `Bearer`, and where its unbroken run ends."""
    start, end, edge = _value_at(data, start)
    return _value_at(data, end + 1) if data[start:end].lower() in SCHEMES else (start, end, edge)


def _value_at(data: bytes, start: int) -> tuple[int, int, int]:
    match = _pattern(rb"\\*([\"'`])").match(data, start)
    if match:
        start = match.end()
        line = data[start : start + _JUDGED]
        stop = line.find(match.group(1))
        if stop > 0 and line[:1] not in b",;:)]}" and b"\n" not in line[:stop] and b"\x00" not in line[:stop]:
            end = start + len(line[:stop].rstrip(b"\\"))
            return start, end, end
    run = _pattern(rb"[^\s\"'`,;<>(){}\[\]|\\\x00]{1,256}").match(data, start)
    if not run:
        return start, start, start
    value = run.group()
    size = len(value.rstrip(b".:!?")) if len(value) < _JUDGED else len(value)
    pair = value.find(b"&")  # behind it another name may begin
    return start, start + size, start + pair if pair >= 0 else run.end()


def _name(data: bytes, start: int) -> str:
    match = _pattern(rb"[A-Za-z0-9_.\-$]{1,128}").match(data, start)
    return match.group().decode() if match else ""


def _name_start(data: bytes, stem: int) -> int:
    """Where the name begins that the stem is part of: `DB_` of `DB_PASSWORD`; 64 bytes back at most."""
    head = data[max(0, stem - 64) : stem]
    return stem - len(head) + len(head.rstrip(_NAME_BYTES))


@cache
def _below_sites() -> Any:
    schemes = "|".join(sorted(scheme.decode() for scheme in SCHEMES))
    return compiled(_BELOW.replace("{stems}", "|".join(_STEMS.split())).replace("{schemes}", schemes))


@cache
def _far_sites() -> Any:
    return compiled(_FAR.replace("{stems}", "|".join(_STEMS.split())).replace("{is}", _IS).replace("{of}", _OF))


@cache
def _sites() -> Any:
    names = "|".join([*_STEMS.split(), *sorted(VENDORS)])
    return compiled(_SITE.replace("{names}", names).replace("{is}", _IS))


@cache
def _long_names() -> tuple[str, ...]:
    return tuple(name for name in VENDORS if len(name) > 5)


@cache
def _pattern(pattern: bytes) -> re.Pattern[bytes]:
    """Python's own engine, on windows of a few hundred bytes."""
    import re

    return re.compile(pattern)

"""Cut text into sentences whose pieces, joined, are the text again."""

from __future__ import annotations

import re
from functools import cache

# The end of a sentence: full stops of spaced scripts need a blank behind them, those of unspaced scripts do not;
# a line break always ends one; Thai sets a blank between clauses and nothing else.
_END = (
    "(?<![.!?…])(?P<stop>[.!?…‽؟۔։။።]++[\"'’”»)\\]*_]*+)(?=\\s)\\s*"
    "|[。！？｡．‼⁇⁈⁉।॥។]+[\"'’”」』）】》\\]]*\\s*"
    "|\\n\\s*"
    "|(?<=[\u0e01-\u0e4e])[ ]+(?=[\u0e01-\u0e4e])"
)
_CLOSERS = " \n\t\"'’”»)]*_」』）】》"
ASKING = ("?", "？", "؟")
_ABBREVIATIONS = """
    approx al art bzw ca capt cf ch chap cit co corp dept dr ed edn eds e.g eg eq esp est etc ex fig
    figs gen gov hon i.e ie inc incl jr jun lt ltd max min misc mr mrs ms mt no nos nr op p.a pp
    prof pt ref rep resp rev sec sen sgt sr st tel univ vgl viz vol vols vs abs allg bd bspw d.h
    dipl evtl ggf hr hrsg inkl ing m.e mio mrd o.ä sog str tägl u.a u.s.w usf usw v.a z.b z.t zb
    zzgl av bd boul cad c.-à-d env m.m mlle mme p.ex av avda d dª dña ee.uu ej p.ej pág sra srta ud
    uds vd dott ecc ing pag sig sigg bijv blz d.w.z dhr enz evt mevr mw m.a.w o.a d.v.s bl.a f.d kl
    m.m s.k t.ex t.o.m им г гг др напр руб см стр т.д т.е т.к т.п тыс ул
"""


def sentences(text: str) -> list[str]:
    """The sentences in order, each with the blanks behind it: `"".join(sentences(text)) == text`; none for no text."""
    found: list[str] = []
    start = 0
    for match in _ends().finditer(text):
        if not text[start : match.end()].strip() or (match["stop"] and not _ends_here(text, start, match)):
            continue
        found.append(text[start : match.end()])
        start = match.end()
    if start < len(text):
        found.append(text[start:])
    return found


def asks(sentence: str) -> bool:
    """Whether a text ends with a question mark, or with one and closing quotes or brackets."""
    return sentence.rstrip(_CLOSERS).endswith(ASKING)


def _ends_here(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a full stop with a blank behind it ends the sentence; in doubt not, for a long piece does no harm."""
    if "\n" in match[0] or match.end() == len(text):
        return True
    if match["stop"] != ".":
        return not text[match.end()].islower()
    word = text[max(start, match.start() - 24) : match.start()].split()[-1:]
    last = word[0].lstrip("([\"'*_«„“").lower() if word else ""
    if last in _abbreviations() or (len(last) == 1 and last.isalpha()) or (last.isdigit() and len(last) <= 2):
        return False
    return not text[match.end()].islower()


@cache
def _ends() -> re.Pattern[str]:
    return re.compile(_END)


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(_ABBREVIATIONS.split())

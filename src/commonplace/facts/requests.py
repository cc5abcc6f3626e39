"""Tell what is said to get something from an assistant, and what is pasted, from what is stated of the world."""

from __future__ import annotations

import re
from functools import cache


def is_request(low: str, language: str) -> bool:
    """Whether a statement in lower case asks for one text or answer: what it names is wanted, not told."""
    return language == "en" and _request().search(low) is not None


def casts_a_role(text: str) -> bool:
    """Whether a message tells an assistant whom to play; the persons and things of a play are no facts."""
    return _role().search(text.lower().replace("’", "'")) is not None


def is_code(low: str) -> bool:
    """Whether a statement in lower case is a line of a program or of a shell, or nothing but a link."""
    return _code().match(low) is not None or _link().fullmatch(low) is not None


@cache
def _request() -> re.Pattern[str]:
    from commonplace.facts.languages.english_asking import REQUEST

    return re.compile(REQUEST)


@cache
def _role() -> re.Pattern[str]:
    from commonplace.facts.languages.english_asking import ROLE

    return re.compile(ROLE)


@cache
def _code() -> re.Pattern[str]:
    """An assignment of what a call gives; a command whose next word is an option, a link, a path or its own verb.

    A sentence may begin with a command: what it did or must do there makes it one.
    """
    told = (
        r"(?!.*\b(?:fix\w*|works?|worked|fails?|failed|help\w*|solve\w*|is|was|are|were|needs?|should|must|n't|runs|"
        r"takes|took|uses|hangs|happens|breaks)\b)"
    )
    command = (
        r"(?:sudo|curl|wget|apt(?:-get)?|yum|dnf|brew|pip3?|npm|npx|yarn|docker|kubectl|helm|git|ssh|scp|rsync|chmod|"
        r"chown|mkdir|rm|cp|mv|cd|ls|cat|grep|sed|awk|tar|echo|export|source|systemctl|service|python3?|node|java|"
        r"make|bash|sh)"
    )
    follows = (
        r"(?:--?\w|https?:|[./~$]\S|install\b|update\b|upgrade\b|run\b|clone\b|apply\b|get\b|exec\b|build\b|pull\b|"
        r"push\b|commit\b|checkout\b|add\b|start\b|stop\b|restart\b|status\b|\S*\.(?:py|sh|js|json|ya?ml|txt|java)\b)"
    )
    return re.compile(
        rf"[\w.\[\]'\"]+ ?(?:=|<-|:=|\+=) ?[\w.]+\(|(?:\$ )?{told}(?:sudo )?{command} (?:\w+ )?{follows}(?!.* \w+ed\b)"
    )


@cache
def _link() -> re.Pattern[str]:
    """A link, and no more before it than that it is one."""
    return re.compile(
        r"(?:(?:urls?|links?|sources?|images?|pictures?|videos?|references?|see|via|cf)\.?:? *)?https?://\S+"
    )

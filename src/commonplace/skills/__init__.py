"""Procedures learned from what was done, and skills made of them that a person approves."""

from __future__ import annotations

from commonplace.skills.drafts import Parameter, Skill
from commonplace.skills.dry_run import Filled, fill
from commonplace.skills.learn import Counted, Learned, learn
from commonplace.skills.match import Match, match
from commonplace.skills.runs import LeftOut, Run, Setback, runs
from commonplace.skills.shelf import Shelf, approve, finish, open_shelf, reject
from commonplace.skills.standing import Standing, tally

__all__ = [
    "Counted",
    "Filled",
    "Learned",
    "LeftOut",
    "Match",
    "Parameter",
    "Run",
    "Setback",
    "Shelf",
    "Skill",
    "Standing",
    "approve",
    "fill",
    "finish",
    "learn",
    "match",
    "open_shelf",
    "reject",
    "runs",
    "tally",
]

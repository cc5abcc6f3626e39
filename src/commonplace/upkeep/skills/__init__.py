"""Procedures learned from what an agent did, and skills drafted from them that a person approves."""

from __future__ import annotations

from commonplace.upkeep.skills.learning import CountedRun, LearningResult, learn_procedures
from commonplace.upkeep.skills.library import (
    SkillDryRun,
    SkillLibrary,
    SkillMatch,
    approve_skill,
    dry_run_skill,
    finish_skill_decision,
    match_skills,
    read_skill_library,
    reject_skill,
)
from commonplace.upkeep.skills.runs import FailedStep, ProcedureRun, SkippedCalls, find_runs
from commonplace.upkeep.skills.skill_files import Skill, SkillParameter, TrackRecord, compute_track_records

__all__ = [
    "CountedRun",
    "FailedStep",
    "LearningResult",
    "ProcedureRun",
    "Skill",
    "SkillDryRun",
    "SkillLibrary",
    "SkillMatch",
    "SkillParameter",
    "SkippedCalls",
    "TrackRecord",
    "approve_skill",
    "compute_track_records",
    "dry_run_skill",
    "find_runs",
    "finish_skill_decision",
    "learn_procedures",
    "match_skills",
    "read_skill_library",
    "reject_skill",
]

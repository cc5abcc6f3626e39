"""Procedures learned from what an agent did, and skills drafted from them that a person approves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.skills.learning import *
    from commonplace.upkeep.skills.library import *
    from commonplace.upkeep.skills.runs import *
    from commonplace.upkeep.skills.skill_files import *
    from commonplace.upkeep.skills.steps import *
else:
    __getattr__ = lazy_names(
        __name__,
        learning="CountedRun LearningResult learn_procedures",
        library=(
            "SkillDryRun SkillLibrary SkillMatch approve_skill dry_run_skill finish_skill_decision match_skills"
            " read_skill_library reject_skill"
        ),
        runs="FailedStep ProcedureRun SkippedCalls describe_failure judge_call",
        skill_files="Skill SkillParameter TrackRecord compute_track_records",
        steps="CallPart parse_call_steps word_list",
    )

"""Read a text and extract what is worth storing, without a model: text in, claims out.

Names are imported when they are first used, so that a caller who only checks whether a sentence is clear loads no
rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.extract.candidates import *
    from commonplace.extract.clarity import *
    from commonplace.extract.features import *
    from commonplace.extract.key_registry import *
    from commonplace.extract.languages import *
    from commonplace.extract.rules import *
    from commonplace.extract.selector import *
    from commonplace.extract.statements import *
else:
    __getattr__ = lazy_names(
        __name__,
        candidates="Candidate find_candidates sentence_spans",
        clarity="is_unclear",
        features="KnownNames RarityOf TopicSentence category_features choose_topics is_about_speaker",
        key_registry=(
            "Cardinality KeyDefinition KeyPhrase KeyRegistry ValueKind WORD_PATTERN Words fold_word packaged_registry"
        ),
        languages="ClaimType",
        rules="MUST_NOT_EAT STANDING_ATTRIBUTES bare_name find_related_name is_standing_instruction standing_share",
        selector="find_category",
        statements="choose_rule_language is_role_prompt",
    )

"""Reasons on the page: every one that recall, packs and the queue may give has words, and its name beside them."""

from __future__ import annotations

import ast
import inspect
import re
from itertools import product
from typing import get_args

import pytest

from commonplace import Memory
from commonplace.model import PackPart
from commonplace.retrieval.pack import build, draft, policy, receipt, selection
from commonplace.retrieval.pack.lines import Layer
from commonplace.retrieval.recall.score_policy import PRIORS
from commonplace.retrieval.recall.scoring import ANSWER_FEATURES, SCORE_PARTS
from commonplace.serve.page.reasons import CHANGED_BY, FOUND_BY, LAYERS, LEFT_OUT, ROLES, describe_part, describe_reason
from tests.support.page import Visitor

# Where a refusal is a value and not what a function returns.
INLINE = {build: ("already in the pack", "older than", "held until"), receipt: ("ranked below k", "not considered")}


def test_every_part_and_factor_of_a_score_has_words() -> None:
    assert FOUND_BY.keys() == SCORE_PARTS.keys()
    assert CHANGED_BY.keys() == {*ANSWER_FEATURES, *PRIORS, "limit", "exact"}
    for name in SCORE_PARTS:
        assert describe_part(name, 1.0) == f"found by {FOUND_BY[name]}"
    for name, value in product(CHANGED_BY, (0.5, 1.5)):
        words = describe_part(f"{name}×", value)
        assert words
        assert words != name


def test_every_form_in_which_a_line_is_packed_has_words() -> None:
    assert ROLES.keys() == {*get_args(PackPart)}
    assert LAYERS.keys() == {*get_args(Layer)}
    for part, layer, more in product((*ROLES, "taken"), LAYERS, ("", " of 7f3k9q", ", earlier than 7f3k9q")):
        words = describe_reason(f"{part} {layer}{more}")
        assert LAYERS[layer] in words
        assert layer not in words
        assert ("7f3k9q" in words) is bool(more)
    assert describe_reason("taken L2 of a, earlier than b") == "it fits the question: a; it held before b"


def _refusals() -> set[str]:
    """What each refusal begins with, as the packages of packs declare them."""
    found = {draft.CUT_BY_BUDGET, draft.NOTHING_TO_SHOW, selection.BELOW_FLOOR}
    for module, texts in INLINE.items():
        assert all(f'"{text}' in inspect.getsource(module) for text in texts), module
        found |= {*texts}
    for function in (policy.refusal_reason, policy.dissent_refusal_reason, draft.duplicate_reason):
        for node in ast.walk(ast.parse(inspect.getsource(function))):
            values = [node.value] if isinstance(node, ast.Return) else []
            values += [value for one in values if isinstance(one, ast.IfExp) for value in (one.body, one.orelse)]
            for value in values:
                first = value.values[0] if isinstance(value, ast.JoinedStr) else value
                if isinstance(first, ast.Constant) and first.value:
                    found.add(str(first.value).strip())
    return found


def test_every_refusal_of_a_pack_has_words() -> None:
    assert _refusals() == {*LEFT_OUT, "trust: quarantined"}
    for begins in LEFT_OUT:
        assert describe_reason(begins) == LEFT_OUT[begins]
        assert describe_reason(f"{begins} 7f3k9q") == f"{LEFT_OUT[begins]} 7f3k9q"
    assert describe_reason("trust: untrusted") == "it is not trusted enough: untrusted"


@pytest.mark.parametrize("name", ["", "of another version", "core L9", "<b>"])
def test_what_has_no_words_is_shown_as_it_is(name: str) -> None:
    assert describe_reason(name) == name.replace("core L9", f"{ROLES['core']}, L9")
    assert describe_part(name, 1.0) == name


def test_no_page_shows_a_bare_reason(memory: Memory) -> None:
    memory.retain("W @Ana: Is allergic to walnut.", now="2025-11-27T09:00")
    memory.retain("W @Ana: Keeps a boat in the harbour.", now="2025-11-27T10:00")
    visitor = Visitor(memory, "2025-11-27T18:00")
    pages = [visitor.get(f"/ask/pack?q=Ana&budget={budget}") for budget in (20, 1000)]
    receipts = visitor.get("/audit/receipts.json").json["receipts"]
    pages += [visitor.get(f"/audit/receipt?id={one['id']}") for one in receipts]
    pages += [visitor.get("/ask?q=walnut"), visitor.get("/audit/replay?q=Ana")]
    assert [page.status for page in pages] == [200] * len(pages)
    told = " ".join(page.words for page in pages)
    assert "it does not fit into the budget" in told
    assert "it fits the question" in told
    assert not re.search(r"\b(taken L\d|cut by budget)\b", told)
    assert any('title="cut by budget"' in page.html for page in pages)

"""What is imported or compiled when it is first needed."""

import re
import subprocess
import sys

import pytest

from commonplace import index
from commonplace.lazy import lazy_pattern


def test_a_package_loads_a_module_when_one_of_its_names_is_asked_for() -> None:
    script = (
        "import sys; from commonplace.upkeep import sessions; name = 'commonplace.upkeep.sessions.notes'\n"
        "before = name in sys.modules; sessions.NOTE_KINDS; print(before, name in sys.modules, 'NOTE_KINDS' in vars(sessions))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True"]


def test_a_name_that_a_package_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'commonplace\.index' has no attribute 'Rows'"):
        index.Rows  # noqa: B018


def test_a_pattern_is_compiled_at_its_first_search() -> None:
    broken = lazy_pattern("(")
    with pytest.raises(re.error):
        broken.search("")
    pattern = lazy_pattern("a(b?)", re.IGNORECASE)
    assert "search" not in vars(pattern)
    assert [found[1] for found in pattern.finditer("AB a")] == ["B", ""]
    assert pattern.sub("-", "xab") == "x-"
    assert pattern.search("xab") is not None
    assert "search" in vars(pattern)


def test_a_memory_is_opened_without_what_compares_statements_and_reads_them() -> None:
    script = (
        "import sys, commonplace.memory\n"
        "print(*(name for name, one in sys.modules.items() if not hasattr(one, '__path__')))"  # no package, a module
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    parts = ("truth.", "extract.", "sync.relations", "storage.workspace.markdown", "language.when", "upkeep")
    assert [name for name in loaded if name.startswith(tuple(f"commonplace.{part}" for part in parts))] == []


def test_no_rule_and_no_weight_is_read_before_a_message_is() -> None:
    script = (
        "import sys; from commonplace.extract.clarity import is_unclear; is_unclear('She left it there.')\n"
        "print(*(f'commonplace.extract.{name}' in sys.modules for name in ('rules', 'features', 'selector')))\n"
        "from commonplace.extract import candidates, rules, selector\n"
        "caches = selector._load_models, rules._load_rules\n"
        "print(*(one.cache_info().currsize for one in caches)); candidates.find_candidates('I swim daily.', to_agent=True)\n"
        "print(*(one.cache_info().currsize for one in caches))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["False False False", "0 0", "1 1", ""]

"""Edits of configurations as text: whatever stands there comes back byte for byte, and nothing else is touched."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from commonplace.bridges.hosts import config_edits
from commonplace.bridges.hosts.json5 import parse_json5
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue
from commonplace.errors import BadHostFile

NAMES = st.sampled_from(["a", "plugins", "load", "paths", "entries", "commonplace", "slots", "memory", "hooks", "$b"])
BLANKS = st.sampled_from(["", " ", "\n", "  \n\t", " // a note\n", "/* a\n note */", "\r\n  ", "\ufeff"])
SCALARS = st.sampled_from(
    ["true", "null", "0x1F", "-.5e3", "'it\\'s'", '"x // no comment"', "'[{,'", "+Infinity", '"\\u00e9"']
)


@st.composite
def json5(draw: st.DrawFn, depth: int = 3) -> str:
    """A JSON5 text in any style, with comments and trailing commas."""
    kind = draw(st.sampled_from(["object", "object", "array", "scalar"])) if depth else "scalar"
    if kind == "scalar":
        return draw(SCALARS)
    items = []
    keys = draw(st.lists(NAMES, max_size=4, unique=True))
    for key in keys:
        inner = draw(json5(depth - 1))
        quote = draw(st.sampled_from(['"', "'", ""]))
        name = f"{quote}{key}{quote}{draw(BLANKS)}:{draw(BLANKS)}" if kind == "object" else ""
        items.append(f"{draw(BLANKS)}{name}{inner}{draw(BLANKS)}")
    body = ",".join(items) + ("," if items and draw(st.booleans()) else "") + draw(BLANKS)
    return f"{{{body}}}" if kind == "object" else f"[{body}]"


@st.composite
def configurations(draw: st.DrawFn) -> str:
    body = draw(json5(4))
    whole = body if body.startswith("{") else f"{{a: {body}\n}}"
    return draw(BLANKS) + whole + draw(BLANKS)


WANTS = (
    ConfigValue(("plugins", "load", "paths"), "/ours", is_list_element=True),
    ConfigValue(("plugins", "entries", "commonplace", "enabled"), value=True),
    ConfigValue(("plugins", "entries", "commonplace", "config", "command"), ["/python", "-m"]),
    ConfigValue(("plugins", "slots", "memory"), "commonplace-slot"),
    ConfigValue(("hooks", "Stop"), {"hooks": [{"command": "x"}]}, is_list_element=True),
)
TARGET = ConfigTarget("it", values=WANTS, owned_pointers=(("plugins", "entries", "commonplace"),))


def without_ours(said: Any) -> Any:
    """The values of a configuration without what is ours, and without objects that are empty then."""
    said = json.loads(json.dumps(said))
    for want in WANTS:
        node = said
        for key in want.pointer[:-1]:
            node = node.get(key, {}) if isinstance(node, dict) else {}
        if isinstance(node, dict):
            node.pop(want.pointer[-1], None)
    return pruned(said)


def can_hold_ours(said: Any) -> bool:
    """Whether all that we go through to our values is an object, and what we add to a list."""
    for want in WANTS:
        node = said
        for depth, key in enumerate(want.pointer):
            if not isinstance(node, dict):
                return False
            if key not in node:
                break
            node = node[key]
            if want.is_list_element and depth == len(want.pointer) - 1 and not isinstance(node, list):
                return False
    return True


def pruned(said: Any) -> Any:
    if not isinstance(said, dict):
        return said
    inner = {key: pruned(one) for key, one in said.items()}
    return {key: one for key, one in inner.items() if one != {}}


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(text=configurations())
@example(text='{"plugins":{"slots":{"memory":{ // a note\n}}}}')
def test_install_then_uninstall_gives_back_any_configuration(text: str) -> None:
    said = parse_json5(text).value()
    if not can_hold_ours(said):
        with pytest.raises(BadHostFile, match=" is no "):
            config_edits.write_json_values(text, TARGET)
        return
    new, did = config_edits.write_json_values(text, TARGET)
    root = parse_json5(new).value()
    assert all(config_edits.has_json_value(root, want) for want in WANTS)
    assert without_ours(root) == without_ours(said)
    for comment in ("// a note", "/* a\n note */", "// no comment"):
        replaced = sum((step.before or "").count(comment) for step in did if step.kind == "put")
        assert new.count(comment) == text.count(comment) - replaced
    assert config_edits.write_json_values(new, TARGET, did) == (new, did)
    assert config_edits.undo_json_steps(new, TARGET, did, TARGET.owned_pointers) == (text, ())


def test_new_lines_end_as_the_others_do() -> None:
    new, _did = config_edits.write_json_values('{\r\n  "a": 1\r\n}\r\n', TARGET)
    assert new.count("\n") == new.count("\r\n") > 10
    assert "\r" not in config_edits.write_json_values('{\n  "a": 1\n}\n', TARGET)[0]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(text=configurations(), more=st.sampled_from(["zzz: 1", '"zz": {"a": [1,]}', "zz: 'x' // a note\n"]))
def test_what_others_add_meanwhile_is_all_that_is_left(text: str, more: str) -> None:
    try:
        new, did = config_edits.write_json_values(text, TARGET)
    except BadHostFile:
        return

    def added(whole: str) -> str:
        at = whole.index("{") + 1
        return f"{whole[:at]}{more},{whole[at:]}"

    assume(parse_json5(text).items)
    left, _notes = config_edits.undo_json_steps(added(new), TARGET, did, TARGET.owned_pointers)
    assert left == added(text)


TOML_LINES = st.sampled_from(
    [
        "# a comment",
        "a = 1",
        '[mcp_servers.other]\ncommand = "x"',
        "[b]",
        "c = '''\n[mcp_servers.commonplace]\n'''",
        "",
        "d = [\n 1,\n]",
    ]
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(lines=st.lists(TOML_LINES, max_size=6, unique=True), end=st.sampled_from(["", "\n", "\n\n", "\r\n"]))
def test_a_toml_file_is_given_back_too(lines: list[str], end: str) -> None:
    text = "\n".join(lines) + end
    target = ConfigTarget(
        "it",
        "block",
        block=config_edits.render_toml_block("mcp_servers.commonplace", {"command": 'a"\\b', "args": ["é\t"]}),
        table="mcp_servers.commonplace",
    )
    said = tomllib.loads(text)
    new, did = config_edits.write_block(text, target)
    after = tomllib.loads(new)
    assert after["mcp_servers"].pop("commonplace") == {"command": 'a"\\b', "args": ["é\t"]}
    assert {key: one for key, one in after.items() if one} == {key: one for key, one in said.items() if one}
    assert config_edits.write_block(new, target, did) == (new, did)
    assert config_edits.remove_block(new, target, did) == (text, ())
    assert config_edits.remove_block(new, target, ())[0].rstrip("\r\n") == text.rstrip("\r\n")


@pytest.mark.slow
@given(
    said=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_plain_json_is_read_as_json_reads_it(said: Any) -> None:
    for indent in (None, 2):
        for ascii_only in (True, False):
            text = json.dumps(said, indent=indent, ensure_ascii=ascii_only)
            assert parse_json5(text).value() == json.loads(text)

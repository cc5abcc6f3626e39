"""The plugins for OpenClaw: their JavaScript is short and checked, and does under Node what its own tests say."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import fields

from commonplace.cli.commands import COMMANDS
from commonplace.turns.openclaw.conversation import OpenClawOptions

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PLUGINS = (ROOT / "integrations/openclaw", ROOT / "integrations/openclaw-slot")
TESTS = ROOT / "tests/openclaw"
SCRIPTS = sorted(path for plugin in PLUGINS for path in plugin.rglob("*.js"))
MOST_LINES_OF_ALL, MOST_LINES, MOST_COLUMNS = 750, 200, 120
OLDEST_NODE = 20
TOOL_NAME = re.compile(r'name: "((?:commonplace|memory)_\w+)"')


def node() -> str:
    """A Node that can run the tests; else the test is skipped, and says so."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("no `node` on PATH: the tests of the OpenClaw plugins were skipped")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < OLDEST_NODE:
        pytest.skip(f"Node {version} is older than {OLDEST_NODE}: the tests of the OpenClaw plugins were skipped")
    return found


def manifest(plugin: Path) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((plugin / "openclaw.plugin.json").read_text("utf-8"))
    return loaded


@pytest.mark.parametrize("suite", sorted(path.name for path in TESTS.glob("*.test.mjs")))
def test_the_tests_of_the_plugins_pass(suite: str) -> None:
    done = subprocess.run(
        [node(), "--test", str(TESTS / suite)],
        capture_output=True,
        text=True,
        timeout=300,
        env={
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "COMMONPLACE_PYTHON": sys.executable,
            "COMMONPLACE_VECTORS": "off",
        },
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_javascript_is_short_and_type_checked() -> None:
    lines = {path: path.read_text("utf-8").split("\n") for path in SCRIPTS}
    assert sum(len(one) - 1 for one in lines.values()) <= MOST_LINES_OF_ALL
    for path, own in lines.items():
        assert len(own) - 1 <= MOST_LINES, path
        assert own[0] == "// @ts-check", path
        assert max(map(len, own)) <= MOST_COLUMNS, path


def test_the_plugins_need_nothing_but_node_and_each_other() -> None:
    for path in SCRIPTS:
        for name in re.findall(r'(?:from|import) "([^"]+)"', path.read_text("utf-8")):
            assert name.startswith(("node:", "./", "../")), f"{path}: {name}"
    for plugin in PLUGINS:
        package = json.loads((plugin / "package.json").read_text("utf-8"))
        assert not {"dependencies", "devDependencies", "scripts"} & package.keys()


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
def test_a_manifest_names_the_tools_that_there_are_and_shows_them_in_each_profile(plugin: Path) -> None:
    told = manifest(plugin)
    named = {name for path in plugin.glob("*.js") for name in TOOL_NAME.findall(path.read_text("utf-8"))}
    assert set(told["contracts"]["tools"]) == named == set(told["toolMetadata"])
    assert all(one["profiles"] == ["coding", "messaging"] for one in told["toolMetadata"].values())
    assert told["activation"] == {"onStartup": True}


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.name)
def test_the_settings_are_strict_and_each_is_documented(plugin: Path) -> None:
    schema = manifest(plugin)["configSchema"]
    Draft202012Validator.check_schema(schema)
    assert schema["additionalProperties"] is False
    guide = (ROOT / "docs/guides/openclaw.md").read_text("utf-8")
    for name in schema["properties"]:
        assert f"`{name}`" in guide, name
    checked = Draft202012Validator(schema)
    for wrong in ({"nonsense": 1}, {"command": "commonplace"}, {"command": []}, {"recall": "yes"}):
        if set(wrong) <= set(schema["properties"]) | {"nonsense"}:
            assert not checked.is_valid(wrong), wrong


def test_the_companions_settings_are_those_that_the_engine_reads_and_its_own() -> None:
    schema = manifest(PLUGINS[0])["configSchema"]["properties"]
    assert set(schema) == {one.encode_name for one in fields(OpenClawOptions)} | {
        "command",
        "workspace",
        "timeoutMs",
        "consolidate",
    }
    own = {one.encode_name: one.default for one in fields(OpenClawOptions)}
    for name, said in schema.items():
        if name in own and "default" in said:
            assert said["default"] == own[name], name


def test_the_skill_names_only_commands_that_there_are() -> None:
    page = (PLUGINS[0] / "skills/commonplace/SKILL.md").read_text("utf-8")
    assert page.startswith("---\nname: commonplace\ndescription: ")
    named = set(re.findall(r"`commonplace ([a-z-]+)", page))
    assert len(named) >= 10
    assert named <= {command.name for command in COMMANDS}

"""Hosts of agents: what is written into their configuration, that it comes out again, and what `doctor` finds."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace.bridges import hosts
from commonplace.bridges.hosts import InstallChoice, config_edits, locations, probes
from commonplace.bridges.hosts.json5 import parse_json5
from commonplace.bridges.hosts.mcp_clients import plugin_hooks
from commonplace.bridges.hosts.plans import ConfigTarget, ConfigValue
from commonplace.cli import main
from commonplace.cli.commands import find_command
from commonplace.errors import WriteConflict

ROOT = Path(__file__).parents[1]
NOW = "2025-11-30T09:00"
STAMP = "2025-11-30T0900"
CLIENTS = ("codex", "cursor", "generic-mcp")
KEY = "ghp_" + "a1B2c3D4e" * 4  # in the form of a token of GitHub
SECRET = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"
CONFIGURATION = f"""{{
  // kept by hand
  gateway: {{ port: 18789, auth: {{ mode: 'token', token: "{SECRET}" }} }}, // the gateway
  "agents": {{"defaults": {{"workspace": "WORKSPACE"}}}},
  "plugins": {{
    "entries": {{
      "memory-core": {{"enabled": true}}, /* as it came */ // with {KEY}
    }},
    "slots": {{}},
  }},
}}
"""
CODEX = f"""# my Codex
model = "o9"

[mcp_servers.other]  # another one
command = "other"
env = {{ KEY = "{SECRET}" }}
pin = "hunter2"
"""
Ran = tuple[int, str, str]
Cpl = Callable[..., Ran]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own with OpenClaw's configuration in it, and folders such as the wheel has."""
    for name in ("OPENCLAW_HOME", "OPENCLAW_PROFILE", "OPENCLAW_CONFIG_PATH", "OPENCLAW_WORKSPACE_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("CLAUDE_CONFIG_DIR", "COMMONPLACE_WORKSPACE", "OPENCLAW_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for folder in ("home/.openclaw/workspace", "bin", "here"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    for name, known in (("openclaw", "commonplace"), ("openclaw-slot", "commonplace-slot")):
        plugin(tmp_path / "data" / name, known)
    monkeypatch.setattr(locations, "_DATA", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def openclaw(lab: Path) -> Path:
    path = lab / "home/.openclaw/openclaw.json"
    path.write_text(CONFIGURATION.replace("WORKSPACE", str(lab / "home/.openclaw/workspace")), "utf-8")
    path.chmod(0o640)
    return path


@pytest.fixture
def cpl(capsys: pytest.CaptureFixture[str]) -> Cpl:
    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(arguments)
        return (code, *capsys.readouterr())

    return run


def plugin(folder: Path, known: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "openclaw.plugin.json").write_text(f'// ours\n{{id: "{known}"}}\n', "utf-8")
    return folder


def value(path: Path) -> Any:
    return parse_json5(path.read_text("utf-8")).value()


def findings(cpl: Cpl, *arguments: str) -> dict[str, dict[str, str]]:
    code, out, _err = cpl("doctor", *arguments, "--json")
    found = json.loads(out)["findings"]
    assert code == (3 if any(one["level"] == "problem" for one in found) else 0)
    return {one["code"]: one for one in found}


def put(path: Path, *pointer: str, value: Any) -> None:
    """Change one value in a host's configuration, as a person would."""
    wants = (ConfigValue(pointer, value),)
    text, _steps = config_edits.write_json_values(path.read_text("utf-8"), ConfigTarget(str(path), values=wants))
    path.write_text(text, "utf-8")


# OpenClaw.


def test_install_writes_only_our_part_and_says_so_first(openclaw: Path, lab: Path, cpl: Cpl) -> None:
    before = openclaw.read_bytes()
    code, out, err = cpl("install", "openclaw")
    assert (code, openclaw.read_bytes()) == (1, before)
    assert "nothing was written; use `--yes` to write without asking" in err
    assert '+        "enabled": true,' in out
    assert cpl("install", "openclaw", "--dry-run", "--yes")[0] == 0
    assert (openclaw.read_bytes(), len(os.listdir(openclaw.parent))) == (before, 2)

    code, out, err = cpl("install", "openclaw", "--yes")
    assert code == 0, err
    said = value(openclaw)
    assert said["plugins"]["load"] == {"paths": [str(lab / "data/openclaw")]}
    assert said["plugins"]["entries"]["commonplace"] == {
        "enabled": True,
        "hooks": {"allowConversationAccess": True},
        "config": {
            "command": [sys.executable, "-P", "-m", "commonplace", "serve", "--stdio"],
            "workspace": str(lab / "home/.openclaw/workspace"),
        },
    }
    assert "read back, all 6 values are there" in err
    assert "the host itself could not be asked" in err
    text = openclaw.read_text("utf-8")
    for kept in ("// kept by hand", "// the gateway", "/* as it came */", "mode: 'token'"):
        assert kept in text


def test_the_copy_is_private_and_says_when_and_the_file_keeps_its_mode(openclaw: Path, cpl: Cpl) -> None:
    before = openclaw.read_bytes()
    cpl("install", "openclaw", "--yes")
    copy = openclaw.with_name(f"openclaw.json.commonplace-{STAMP}")
    assert copy.read_bytes() == before
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(openclaw.stat().st_mode) == 0o640


def test_a_second_install_changes_nothing(openclaw: Path, cpl: Cpl) -> None:
    cpl("install", "openclaw", "--yes", "--slot")
    before = {path.name: path.read_bytes() for path in openclaw.parent.iterdir() if path.is_file()}
    code, out, err = cpl("install", "openclaw")
    assert (code, out) == (0, "")
    assert "nothing to change in openclaw" in err
    assert {path.name: path.read_bytes() for path in openclaw.parent.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("slot", [(), ("--slot",)])
def test_uninstall_gives_back_every_byte(slot: tuple[str, ...], openclaw: Path, lab: Path, cpl: Cpl) -> None:
    before = openclaw.read_bytes()
    cpl("install", "openclaw", "--yes", *slot)
    assert openclaw.read_bytes() != before
    for copy in openclaw.parent.glob("*.commonplace-*"):
        copy.unlink()  # it is not the copy that is put back
    assert cpl("uninstall", "openclaw")[0] == 1
    assert cpl("uninstall", "openclaw", "--yes")[0] == 0
    assert openclaw.read_bytes() == before
    assert list((lab / "state/commonplace/hosts").iterdir()) == []
    assert cpl("uninstall", "openclaw", "--yes")[0] == 0
    assert openclaw.read_bytes() == before


def test_uninstall_leaves_what_others_changed_meanwhile(openclaw: Path, cpl: Cpl) -> None:
    before = openclaw.read_text("utf-8")
    cpl("install", "openclaw", "--yes", "--slot")

    def edit(text: str) -> str:
        text = text.replace("port: 18789", "port: 9 /* moved */").replace("// kept by hand", "// kept by foot")
        return text.replace('"agents":', '"theirs": {"a": [1,],},\n  "agents":')

    openclaw.write_text(edit(openclaw.read_text("utf-8")), "utf-8")
    put(openclaw, "plugins", "entries", "commonplace", "config", "budget", value=500)
    put(openclaw, "plugins", "entries", "commonplace", "enabled", value=False)
    code, _out, err = cpl("uninstall", "openclaw", "--yes")
    assert code == 0
    assert "was changed since" not in err  # the entry is ours as a whole
    assert openclaw.read_text("utf-8") == edit(before)


def test_what_somebody_put_where_we_were_stays(openclaw: Path, cpl: Cpl) -> None:
    cpl("install", "openclaw", "--yes", "--slot")
    put(openclaw, "plugins", "slots", "memory", value="another")
    put(openclaw, "plugins", "load", "more", value=1)
    _code, _out, err = cpl("uninstall", "openclaw", "--yes")
    assert "plugins.slots.memory was changed since then, and is not touched" in err
    assert value(openclaw)["plugins"] == {
        "entries": {"memory-core": {"enabled": True}},
        "slots": {"memory": "another"},
        "load": {"more": 1},
    }


def test_the_slot_is_taken_and_given_back(openclaw: Path, lab: Path, cpl: Cpl) -> None:
    put(openclaw, "plugins", "slots", "memory", value="memory-core")
    before = openclaw.read_bytes()
    _code, _out, err = cpl("install", "openclaw", "--yes", "--slot")
    assert "the memory slot goes from 'memory-core' to 'commonplace-slot'" in err
    plugins = value(openclaw)["plugins"]
    assert plugins["slots"] == {"memory": "commonplace-slot"}
    assert plugins["entries"]["memory-core"] == {"enabled": False}
    assert plugins["load"]["paths"] == [str(lab / "data/openclaw"), str(lab / "data/openclaw-slot")]
    assert cpl("install", "openclaw")[0] == 0  # it stays as it was chosen
    cpl("install", "openclaw", "--no-slot", "--yes")
    plugins = value(openclaw)["plugins"]
    assert plugins["slots"] == {"memory": "memory-core"}
    assert plugins["entries"]["memory-core"] == {"enabled": True}
    assert "commonplace-slot" not in plugins["entries"]
    assert cpl("uninstall", "openclaw", "--yes")[0] == 0
    assert openclaw.read_bytes() == before


def test_an_older_part_is_brought_up_to_date_and_still_undone(
    openclaw: Path, lab: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = openclaw.read_bytes()
    plugin(lab / "old/openclaw", "commonplace")
    with monkeypatch.context() as older:
        older.setattr(locations, "_DATA", str(lab / "old"))
        older.setattr(sys, "executable", "/old/python")
        cpl("install", "openclaw", "--yes")
    code, out, _err = cpl("install", "openclaw")
    assert code == 1
    assert f'-        "{lab}/old/openclaw"' in out
    cpl("install", "openclaw", "--yes")
    plugins = value(openclaw)["plugins"]
    assert plugins["load"]["paths"] == [str(lab / "data/openclaw")]
    assert plugins["entries"]["commonplace"]["config"]["command"][0] == sys.executable
    cpl("uninstall", "openclaw", "--yes")
    assert openclaw.read_bytes() == before


def test_what_stood_in_our_place_before_the_first_install_comes_back(
    openclaw: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(openclaw, "plugins", "entries", "commonplace", "config", "command", value=["by", "hand"])
    before = openclaw.read_bytes()
    cpl("install", "openclaw", "--yes")
    monkeypatch.setattr(sys, "executable", "/another/python")
    cpl("install", "openclaw", "--yes")
    assert value(openclaw)["plugins"]["entries"]["commonplace"]["config"]["command"][0] == "/another/python"
    for copy in openclaw.parent.glob("*.commonplace-*"):
        copy.unlink()
    cpl("uninstall", "openclaw", "--yes")
    assert openclaw.read_bytes() == before


def test_an_allow_list_gets_our_name_and_only_there(openclaw: Path, cpl: Cpl) -> None:
    put(openclaw, "plugins", "allow", value=["memory-core"])
    before = openclaw.read_bytes()
    cpl("install", "openclaw", "--yes")
    assert value(openclaw)["plugins"]["allow"] == ["memory-core", "commonplace"]
    cpl("uninstall", "openclaw", "--yes")
    assert openclaw.read_bytes() == before


def test_without_our_record_we_are_found_by_our_name(openclaw: Path, lab: Path, cpl: Cpl) -> None:
    cpl("install", "openclaw", "--yes")
    for record in (lab / "state/commonplace/hosts").iterdir():
        record.unlink()
    assert cpl("uninstall", "openclaw", "--yes")[0] == 0
    plugins = value(openclaw)["plugins"]
    assert plugins == {"entries": {"memory-core": {"enabled": True}}, "slots": {}, "load": {"paths": []}}


def test_a_file_that_we_made_goes_again(lab: Path, cpl: Cpl) -> None:
    path = lab / "home/.openclaw/openclaw.json"
    cpl("install", "openclaw", "--yes")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    cpl("uninstall", "openclaw", "--yes")
    assert not path.exists()
    cpl("install", "openclaw", "--yes")
    put(path, "gateway", "port", value=1)
    cpl("uninstall", "openclaw", "--yes")
    assert value(path) == {"gateway": {"port": 1}}


def test_the_environment_says_where_the_configuration_is(lab: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCLAW_STATE_DIR", str(lab / "claw"))
    cpl("install", "openclaw", "--yes")
    entry = value(lab / "claw/openclaw.json")["plugins"]["entries"]["commonplace"]
    assert entry["config"]["workspace"] == str(lab / "claw/workspace")
    monkeypatch.setenv("OPENCLAW_CONFIG_PATH", "~/claw.json5")
    cpl("install", "openclaw", "--yes", "--workspace", "mine")
    entry = value(lab / "home/claw.json5")["plugins"]["entries"]["commonplace"]
    assert entry["config"]["workspace"] == str(lab / "here/mine")
    cpl("uninstall", "openclaw", "--yes")
    assert not (lab / "home/claw.json5").exists()
    assert (lab / "claw/openclaw.json").exists()
    for name in ("OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENCLAW_PROFILE", "work")
    monkeypatch.setenv("OPENCLAW_HOME", str(lab / "else"))
    assert hosts.read_host_paths().openclaw_config == str(lab / "else/.openclaw-work/openclaw.json")


# What may not happen to a file of somebody else.


def test_a_link_stays_a_link_and_its_target_is_edited(openclaw: Path, lab: Path, cpl: Cpl) -> None:
    kept = lab / "dotfiles.json"
    openclaw.rename(kept)
    openclaw.symlink_to(kept)
    before = kept.read_bytes()
    _code, _out, err = cpl("install", "openclaw", "--yes")
    assert "is a link" in err
    assert openclaw.is_symlink()
    assert kept.read_bytes() != before
    cpl("uninstall", "openclaw", "--yes")
    assert openclaw.is_symlink()
    assert kept.read_bytes() == before


def test_a_file_that_changed_since_it_was_read_is_not_replaced(openclaw: Path) -> None:
    where = hosts.read_host_paths()
    plan = hosts.plan_install(InstallChoice("openclaw"), where)
    openclaw.write_text("{mine: 1}", "utf-8")
    with pytest.raises(WriteConflict):
        hosts.apply_install(plan, where, STAMP)
    assert openclaw.read_text("utf-8") == "{mine: 1}"


# Where a write is killed, by the call that does not come back: before our version has its name, between the exchange of
# both versions and the end, and in the midst of a copy.
KILLED = {
    "a half": "content._write_whole_file",
    "both": "atomic_replace._digest_in_folder",
    "a copy": "content._rename_to_missing",
}
KILL = """
import os, sys
from commonplace.cli import main
from commonplace.storage.files import atomic_replace, content

module, name = sys.argv[1].split(".")
real = getattr(globals()[module], name)

def last(*given, **more):
    what = os.readlink(f"/proc/self/fd/{given[0]}") + str(given[1:])
    if "openclaw.json" not in what or (name == "_write_whole_file" and "commonplace-" in what):
        return real(*given, **more)
    if name == "_write_whole_file":
        os.write(given[0], b"{half")
    os.kill(os.getpid(), 9)

setattr(globals()[module], name, last)
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", KILLED)
@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_what_a_kill_has_left_beside_a_configuration_is_found_and_cleared(
    openclaw: Path, cpl: Cpl, verb: str, way: str
) -> None:
    before = openclaw.read_bytes()
    if verb == "uninstall":
        cpl("install", "openclaw", "--yes")
    script = [sys.executable, "-c", KILL, KILLED[way], verb, "openclaw", "--yes"]
    assert subprocess.run(script, check=False, cwd=ROOT).returncode == -9
    (left,) = openclaw.parent.glob(".openclaw.json*")
    assert findings(cpl, "openclaw")["left-behind"]["path"] == str(left)
    again = "uninstall" if verb == "install" else "install"
    _code, _out, err = cpl(again, "openclaw", "--yes")
    assert f"{left}: left by an interrupted write; removed" in err
    assert not left.exists()
    assert "left-behind" not in findings(cpl, "openclaw")
    cpl("uninstall", "openclaw", "--yes")
    assert openclaw.read_bytes() == before


def test_what_others_keep_hidden_beside_a_configuration_is_left_alone(openclaw: Path, cpl: Cpl) -> None:
    versions = f".openclaw.json.{'0' * 16}-{'1' * 16}.swap"
    for name in (".openclaw.json.swp", ".openclaw.json.tmp", ".openclaw.json~.0123456789abcdef.tmp", ".other.json.tmp"):
        (openclaw.parent / name).write_text("theirs", "utf-8")
    (openclaw.parent / versions).write_text("what somebody saved at the moment of a kill", "utf-8")
    (openclaw.parent / ".openclaw.json.0123456789abcdef.tmp").symlink_to(openclaw)
    cpl("install", "openclaw", "--yes")
    assert findings(cpl, "openclaw")["left-behind"]["path"] == str(openclaw.parent / versions)
    assert len(list(openclaw.parent.glob(".o*"))) == 6


def test_an_older_record_that_a_kill_has_left_is_none(openclaw: Path, lab: Path, cpl: Cpl) -> None:
    cpl("install", "openclaw", "--yes")
    (record,) = (lab / "state/commonplace/hosts").iterdir()
    left = record.with_name(f".{record.name}.0123456789abcdef.tmp")
    left.write_bytes(record.read_bytes())
    assert len(hosts.plan_uninstall(InstallChoice("openclaw"), hosts.read_host_paths()).files) == 1
    cpl("install", "openclaw", "--yes")
    assert not left.exists()


@pytest.mark.slow
def test_no_secret_of_the_host_is_shown(openclaw: Path, lab: Path, cpl: Cpl) -> None:
    codex = lab / "home/.codex/config.toml"
    codex.parent.mkdir()
    codex.write_text(CODEX, "utf-8")
    for host in ("openclaw", "codex"):
        for arguments in (("install", host, "--yes"), ("uninstall", host, "--dry-run"), ("doctor", host)):
            for extra in ((), ("--json",)):
                _code, out, err = cpl(*arguments, *extra)
                assert SECRET not in out + err
                assert "hunter2" not in out + err
                assert KEY not in out + err
    minified = json.dumps({"a": {"apiKey": "hunter2", "plugins": "pw"}, "plugins": {"x": "pw2"}})
    openclaw.write_text(minified, "utf-8")
    _code, out, _err = cpl("install", "openclaw", "--dry-run")
    assert '"plugins": {"x": "…", "load"' in out.replace(", +", "")
    assert not re.search("hunter2|pw", out)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{a: 1", "line 1"),
        ("{\n a: 1\n b: 2}", "line 3"),
        ("[]", "the whole file is no object"),
        ("[]", "nothing was changed; make it `{}`, then repeat"),
        ("{plugins: []}", "plugins is no object"),
        ("{plugins:\n null}", "line 2"),
        ("{plugins: null}", "nothing was changed; make it `{}` or take it out, then repeat"),
        ("{plugins: {load: {paths: {}}}}", "plugins.load.paths is no list"),
        ("{plugins: {load: {paths: {}}}}", "make it `[]` or take it out"),
        ('{plugins: {$include: "./plugins.json5"}}', "comes from another file"),
        ("{} {}", "there is something after the value"),
        ("[" * 300, "nested deeper"),
        ("{a: 'x\n'}", "a text is not closed"),
        ("{a: nope}", "'nope' is no value"),
    ],
)
def test_a_configuration_that_cannot_be_edited_is_left_alone(text: str, said: str, openclaw: Path, cpl: Cpl) -> None:
    openclaw.write_text(text, "utf-8")
    code, out, err = cpl("install", "openclaw", "--yes")
    assert (code, out) == (1, "")
    assert said in err
    assert openclaw.read_text("utf-8") == text
    assert cpl("install", "openclaw", "--yes", "--json")[2].startswith('{"code":"bad-host-file"')


def test_a_folder_in_the_place_of_a_configuration_is_told_with_its_place(openclaw: Path, cpl: Cpl) -> None:
    openclaw.unlink(missing_ok=True)
    openclaw.mkdir()
    code, _out, err = cpl("install", "openclaw", "--yes", "--json")
    told = json.loads(err)
    assert (code, told["path"]) == (1, str(openclaw))
    assert "not a regular file" in told["message"]
    assert "move it, or correct it" in told["hint"]


@pytest.mark.slow
def test_a_file_on_one_line_is_shown_where_it_changes(openclaw: Path, cpl: Cpl) -> None:
    whole = {"a": {f"key{number}": [number] * 9 for number in range(99)}, "plugins": {}, "b": list(range(999))}
    openclaw.write_text(json.dumps(whole), "utf-8")
    _code, out, _err = cpl("install", "openclaw", "--dry-run")
    assert '"plugins": {"load": ' in out
    assert "[98, 98" in out
    assert "[50, 50" not in out
    assert "500, 501" not in out
    assert max(map(len, out.split("\n"))) < 1000


@pytest.mark.slow
def test_a_large_file_is_shown_where_it_changes_and_by_its_line_numbers(lab: Path, cpl: Cpl) -> None:
    path = lab / "large.json"
    whole = {"before": ["same"] * 30_000, "mcpServers": {"other": {"command": "x"}}, "after": ["same"] * 30_000}
    path.write_text(json.dumps(whole, indent=1), "utf-8")
    _code, out, _err = cpl("install", "generic-mcp", "--dry-run", "--file", str(path))
    hunk = next(line for line in out.split("\n") if line.startswith("@@"))
    assert hunk.startswith("@@ -30005,")
    assert out.count("same") == 0
    assert len(out) < 2000


def test_install_and_doctor_show_what_each_agent_sees_and_the_index_is_built(
    openclaw: Path, lab: Path, cpl: Cpl
) -> None:
    home = lab / "home/.openclaw"
    (home / "workspace/memory").mkdir(parents=True, exist_ok=True)
    own = {"workspace": str(home / "workspace")}
    agents = {"main": own, "desk": own, "anna": {"workspace": str(home / "anna")}, "bob": {}}
    openclaw.write_text(json.dumps({"agents": {"entries": agents}}), encoding="utf-8")
    _code, _out, err = cpl("install", "openclaw", "--yes")
    assert (home / "workspace/.memory/index.sqlite").exists()
    shown = {name: next(line for line in err.split("\n") if f"the agent '{name}'" in line) for name in agents}
    for name in ("main", "desk"):
        assert "the core and every line of the notebook" in shown[name]
    for name in ("anna", "bob"):
        assert shown[name].endswith("it sees only its own words")
    _code, out, _err = cpl("doctor", "openclaw")
    assert all(line in out for line in shown.values())
    assert out.count("note: agent-sees: ") == 4


@pytest.mark.slow
def test_what_was_chosen_is_kept_until_it_is_chosen_anew(openclaw: Path, lab: Path, cpl: Cpl) -> None:
    (lab / "here/mine").mkdir()
    cpl("install", "openclaw", "--yes", "--workspace", "mine")
    code, out, _err = cpl("install", "openclaw")
    assert (code, out) == (0, "")
    assert findings(cpl, "openclaw")["workspace-differs"]["level"] == "note"
    assert findings(cpl, "openclaw", "--workspace", "x")["workspace-differs"]["hint"].count("--workspace") == 1
    cpl("install", "openclaw", "--yes", "--workspace", str(lab / "home/.openclaw/workspace"))
    assert "workspace-differs" not in findings(cpl, "openclaw")


@pytest.mark.parametrize(
    ("settings", "workspace"),
    [
        ({"defaults": {"workspace": "~/a"}}, "home/a"),
        ({"defaults": {"workspace": "${LAB}/b"}}, "b"),
        ({"defaults": {"workspace": "~/a"}, "entries": {"one": {"workspace": "~/c"}}}, "home/c"),
        ({"defaults": {"workspace": "~/a"}, "entries": {"one": {"workspace": "~/c"}, "two": {}}}, "home/a"),
        ({"entries": {"one": {}}}, "home/.openclaw/workspace"),
    ],
)
def test_the_notebook_is_the_one_that_openclaw_works_in(
    settings: Any, workspace: str, openclaw: Path, lab: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB", str(lab))
    openclaw.write_text(json.dumps({"agents": settings}), "utf-8")
    assert cpl("install", "openclaw", "--yes")[0] == 0
    assert value(openclaw)["plugins"]["entries"]["commonplace"]["config"]["workspace"] == str(lab / workspace)


def test_a_notebook_that_no_configuration_can_name_is_refused(openclaw: Path, cpl: Cpl) -> None:
    for host in ("openclaw", "codex", "generic-mcp"):
        code, _out, err = cpl("install", host, "--yes", "--workspace", "caf\udce9")
        assert code == 1
        assert "is not valid UTF-8" in err


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "changes"), [("y", True), ("yes", True), ("n", False), ("", False)])
def test_a_person_at_a_terminal_is_asked(answer: str, changes: bool, lab: Path) -> None:
    parent, child = pty.openpty()
    words = [sys.executable, "-m", "commonplace", "install", "cursor"]
    source = str(ROOT / "src")
    process = subprocess.Popen(words, stdin=child, stdout=child, stderr=child, env=os.environ | {"PYTHONPATH": source})
    os.close(child)
    os.write(parent, f"{answer}\n".encode())
    assert process.wait(60) == (0 if changes else 1)
    assert "write this? [y/N]" in os.read(parent, 65536).decode()
    os.close(parent)
    assert (lab / "home/.cursor/mcp.json").exists() is changes


def test_bytes_that_are_no_text_are_left_alone(openclaw: Path, cpl: Cpl) -> None:
    openclaw.write_bytes(b'{"a": "\xff"}')
    code, _out, err = cpl("install", "openclaw", "--yes")
    assert code == 1
    assert "is not UTF-8" in err


# What `doctor` finds.


@pytest.fixture
def engine(lab: Path) -> list[str]:
    """A command that says that it is ready, and ends when nobody talks to it any more."""
    script = lab / "engine.py"
    script.write_text("import sys\nprint('{\"ready\": true}', flush=True)\nsys.stdin.read()\n", "utf-8")
    return [sys.executable, str(script)]


@pytest.fixture
def healthy(openclaw: Path, engine: list[str], cpl: Cpl) -> Path:
    """OpenClaw's configuration with us in it, and nothing wrong."""
    cpl("install", "openclaw", "--yes", "--slot")
    openclaw.chmod(0o600)
    for name in ("commonplace", "commonplace-slot"):
        put(openclaw, "plugins", "entries", name, "config", "command", value=engine)
    return openclaw


ENTRY = ("plugins", "entries", "commonplace")


def test_where_nothing_is_wrong_nothing_is_found(healthy: Path, cpl: Cpl) -> None:
    assert list(findings(cpl, "openclaw")) == ["host-not-asked"]
    code, out, err = cpl("doctor")
    assert (code, out.split(":")[:3]) == (0, ["openclaw", " note", " host-not-asked"])
    assert err == "0 problems; looked at openclaw\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pointer", "value", "code", "hint"),
    [
        (("plugins", "enabled"), False, "disabled", "openclaw config set plugins.enabled true"),
        ((*ENTRY, "enabled"), False, "disabled", "openclaw config set plugins.entries.commonplace.enabled true"),
        (
            (*ENTRY, "hooks", "allowConversationAccess"),
            False,
            "no-conversation-access",
            "openclaw config set plugins.entries.commonplace.hooks.allowConversationAccess true",
        ),
        (
            (*ENTRY, "hooks", "allowPromptInjection"),
            False,
            "no-prompt-injection",
            "openclaw config unset plugins.entries.commonplace.hooks.allowPromptInjection",
        ),
        (("plugins", "allow"), ["memory-core"], "not-allowed", "run `commonplace install openclaw`"),
        (("plugins", "deny"), ["commonplace"], "not-allowed", "take 'commonplace' out of plugins.deny"),
        (("plugins", "load", "paths"), ["/else"], "plugin-gone", "run `commonplace install openclaw`"),
        (
            ("plugins", "load", "paths"),
            ["/gone/commonplace/hosts/data/openclaw"],
            "plugin-gone",
            "run `commonplace install openclaw`",
        ),
        ((*ENTRY, "config", "command"), [], "engine-missing", "run `commonplace install openclaw`"),
        ((*ENTRY, "config", "command"), ["commonplace"], "engine-missing", "run `commonplace install openclaw`"),
        ((*ENTRY, "config", "command"), ["/gone/python"], "engine-missing", "run `commonplace install openclaw`"),
        ((*ENTRY, "config", "command"), [sys.executable, "-c", "import gone"], "engine-silent", "try it by hand: "),
        ((*ENTRY, "config", "workspace"), "/gone/notes", "workspace-missing", "run `commonplace init /gone/notes`"),
        ((*ENTRY, "config", "workspace"), "/", "workspace-differs", "run `commonplace install openclaw --workspace"),
        (("tools", "profile"), "minimal", "tools-hidden", "openclaw config set tools.profile full"),
        (("tools", "profile"), "own", "tools-hidden", ""),
        (("tools", "deny"), ["commonplace_why"], "tools-hidden", ""),
        (("tools", "allow"), ["read"], "tools-hidden", ""),
        (("plugins", "slots", "memory"), "memory-core", "slot-conflict", "run `commonplace install openclaw --slot`"),
        (("plugins", "entries", "commonplace-slot", "enabled"), False, "slot-conflict", "run `commonplace install"),
        (
            ("plugins", "entries", "memory-core", "enabled"),
            True,
            "slot-conflict",
            "openclaw config set plugins.entries.memory-core.enabled false",
        ),
    ],
    ids=lambda one: ".".join(one) if isinstance(one, tuple) else "",
)
def test_each_fault_is_found_with_what_to_do(
    pointer: tuple[str, ...], value: Any, code: str, hint: str, healthy: Path, cpl: Cpl
) -> None:
    put(healthy, *pointer, value=value)
    found = findings(cpl, "openclaw")
    also = {"workspace-differs"} if value == "/gone/notes" else set()
    assert set(found) == {code, "host-not-asked", *also}
    assert found[code]["hint"].startswith(hint)
    assert found[code]["path"]
    assert f": {code}: " in cpl("doctor", "openclaw")[1]
    assert ("is not an absolute path" in found[code]["message"]) is (
        code == "engine-missing" and value == ["commonplace"]
    )


@pytest.mark.slow
def test_our_own_engine_answers_as_a_host_would_start_it(openclaw: Path, cpl: Cpl) -> None:
    cpl("install", "openclaw", "--yes")
    assert "engine-silent" not in findings(cpl, "openclaw")


def test_copies_of_the_plugin_are_found(healthy: Path, lab: Path, cpl: Cpl) -> None:
    copy = plugin(lab / "home/.openclaw/extensions/mine", "commonplace")
    assert findings(cpl, "openclaw")["duplicate"]["path"] == str(copy)
    for file in (*copy.iterdir(), copy):
        file.unlink() if file.is_file() else file.rmdir()
    second = plugin(lab / "second", "commonplace")
    put(healthy, "plugins", "load", "paths", value=[str(lab / "data/openclaw"), str(second)])
    assert "2 times" in findings(cpl, "openclaw")["duplicate"]["message"]


def test_what_others_may_write_is_found(healthy: Path, lab: Path, cpl: Cpl) -> None:
    healthy.chmod(0o620)
    assert findings(cpl, "openclaw")["open-to-others"]["hint"] == f"chmod go-w {healthy}"
    healthy.chmod(0o644)
    assert findings(cpl, "openclaw")["open-to-others"]["level"] == "note"
    healthy.chmod(0o600)
    folder = lab / "data/openclaw"
    folder.chmod(0o777)
    assert findings(cpl, "openclaw")["open-to-others"]["path"] == str(folder)


def test_a_host_that_has_nothing_of_us_or_cannot_be_read(lab: Path, cpl: Cpl) -> None:
    path = lab / "home/.openclaw/openclaw.json"
    assert list(findings(cpl, "openclaw")) == ["config-missing"]
    path.write_text("{}", "utf-8")
    assert list(findings(cpl, "openclaw")) == ["not-installed"]
    path.write_text("{", "utf-8")
    assert list(findings(cpl, "openclaw")) == ["config-unreadable"]
    assert (
        cpl("doctor")[2]
        == "0 problems; looked at no host: Commonplace is not installed in any; see `commonplace install --help`\n"
    )


@pytest.mark.slow
def test_an_engine_that_says_nothing_is_not_waited_for_long(
    healthy: Path, lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = lab / "mute.py"
    script.write_text("import sys\nsys.stdin.read()\nsys.stdin.read()\nwhile True: pass\n", "utf-8")
    answer = probes.run_program([sys.executable, str(script)], seconds=0.3)
    assert (answer.exit_code, answer.stdout) == (-1, "")
    assert probes.run_program(["/gone"]).stderr == "no such file or directory"
    script.write_text("print('here I am', flush=True)\nwhile True: pass\n", "utf-8")
    assert probes.run_program([sys.executable, str(script)], seconds=3).stdout == "here I am\n"


def fake_openclaw(
    lab: Path, inspected: Any, *, valid: bool = True, version: str = "OpenClaw 2026.9.6 (eb377ac)"
) -> None:
    """A program of this name that answers what it is told to."""
    answers = {"--version": [0, version], "config": [0 if valid else 1, "plugins.entries: not valid"]}
    answers["plugins"] = [0, inspected if isinstance(inspected, str) else "a log line\n" + json.dumps(inspected)]
    program = lab / "bin/openclaw"
    program.write_text(
        f"#!{sys.executable}\nimport sys\ncode, said = {answers!r}[sys.argv[1]]\nprint(said)\nsys.exit(code)\n", "utf-8"
    )
    program.chmod(0o755)


HOOKS = [{"name": "agent_end"}, {"name": "before_prompt_build"}]
UNVERIFIED = {"level": "warn", "message": "OpenClaw can't verify where this plugin came from. Review it."}
BLOCKED = {"level": "warn", "message": 'typed hook "agent_end" blocked: must set hooks.allowConversationAccess=true'}


@pytest.mark.slow
def test_the_host_itself_is_asked_where_it_is_there(healthy: Path, lab: Path, cpl: Cpl) -> None:
    fake_openclaw(lab, {"diagnostics": [UNVERIFIED], "typedHooks": HOOKS})
    _code, out, err = cpl("install", "openclaw", "--yes")
    assert "the plugin is loaded, its hooks are registered" in err
    assert "host-diagnostic" not in out
    put(healthy, *ENTRY, "config", "command", value=[sys.executable, str(lab / "engine.py")])
    assert findings(cpl, "openclaw")["host-diagnostic"]["level"] == "note"

    fake_openclaw(lab, {"diagnostics": [BLOCKED], "typedHooks": HOOKS[1:]}, version="OpenClaw 2027.1.1")
    code, out, _err = cpl("install", "openclaw", "--yes")
    assert code == 3
    assert "hook-missing: the hook agent_end is not registered" in out
    found = findings(cpl, "openclaw")
    assert found["host-version"]["message"] == "this was tested with OpenClaw 2026.9.6, here is OpenClaw 2027.1.1"
    assert found["host-diagnostic"]["hint"].endswith("allowConversationAccess true")
    put(healthy, *ENTRY, "hooks", "allowConversationAccess", value=False)
    assert "hook-missing" not in findings(cpl, "openclaw")  # said once, by its cause

    fake_openclaw(lab, "no such plugin")
    assert "does not load the plugin: no such plugin" in findings(cpl, "openclaw")["not-loaded"]["message"]
    fake_openclaw(lab, {}, valid=False)
    assert "plugins.entries: not valid" in findings(cpl, "openclaw")["config-refused"]["message"]


# Hosts that know us as an MCP server.


@pytest.fixture
def codex(lab: Path) -> Path:
    path = lab / "home/.codex/config.toml"
    path.parent.mkdir()
    path.write_text(CODEX, "utf-8")
    return path


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n", "\n[last]\na = '''\n# no comment\n'''", "\n# the end"])
def test_codex_gets_a_table_at_the_end_and_loses_it_again(end: str, codex: Path, lab: Path, cpl: Cpl) -> None:
    before = (CODEX.rstrip("\n") + end).encode()
    codex.write_bytes(before)
    assert cpl("install", "codex", "--yes")[0] == 0
    said = tomllib.loads(codex.read_bytes().decode())["mcp_servers"]
    assert said["other"]["env"] == {"KEY": SECRET}
    assert said["commonplace"]["args"] == [
        "-P",
        "-m",
        "commonplace",
        "mcp",
        "--workspace",
        str(lab / "home/.openclaw/workspace"),
    ]
    assert codex.read_bytes().startswith(before)
    again = codex.read_bytes()
    assert cpl("install", "codex", "--yes")[0] == 0
    assert codex.read_bytes() == again
    assert cpl("install", "codex", "--yes", "--workspace", "other")[0] == 0
    assert codex.read_bytes().count(b"commonplace begin") == 1
    assert cpl("uninstall", "codex", "--yes")[0] == 0
    assert codex.read_bytes() == before


@pytest.mark.slow
def test_a_mark_of_the_byte_order_stays_where_it_is_in_codex(codex: Path, cpl: Cpl) -> None:
    before = CODEX.encode("utf-8-sig")
    codex.write_bytes(before)
    assert cpl("install", "codex", "--yes")[0] == 0
    assert codex.read_bytes().startswith(before)
    assert "not-installed" not in findings(cpl, "codex")
    assert cpl("uninstall", "codex", "--yes")[0] == 0
    assert codex.read_bytes() == before


def test_what_was_added_to_codex_meanwhile_stays(codex: Path, cpl: Cpl, lab: Path) -> None:
    cpl("install", "codex", "--yes")
    codex.write_text(codex.read_text("utf-8").replace("my Codex", "my own Codex") + "\n[more]\na = 1\n", "utf-8")
    for record in (lab / "state/commonplace/hosts").iterdir():
        record.unlink()
    cpl("uninstall", "codex", "--yes")
    assert codex.read_text("utf-8") == CODEX.replace("my Codex", "my own Codex") + "\n\n[more]\na = 1\n"


def test_a_table_of_our_name_that_we_did_not_write_is_left_alone(codex: Path, cpl: Cpl) -> None:
    for text in (
        '[mcp_servers.commonplace]\ncommand = "mine"\n',
        'mcp_servers = { other = { command = "x" } }\n',
        '[[mcp_servers]]\ncommand = "x"\n',
        "a = [\n",
    ):
        codex.write_text(text, "utf-8")
        code, out, err = cpl("install", "codex", "--yes")
        assert (code, out) == (1, ""), err
        assert ("that Commonplace did not write" in err) is text.startswith("[mcp")
        assert ("cannot be edited safely" in err) is ("x" in text)
        assert codex.read_text("utf-8") == text
    codex.write_text('[mcp_servers.commonplace]\ncommand = "mine"\n', "utf-8")
    assert "is outside the marks of Commonplace" in cpl("uninstall", "codex", "--yes")[2]


def test_cursor_has_one_file_for_all_and_one_for_each_project(lab: Path, cpl: Cpl) -> None:
    everywhere, here = lab / "home/.cursor/mcp.json", lab / "here/.cursor/mcp.json"
    here.parent.mkdir()
    here.write_text('{"mcpServers": {"other": {"url": "http://x"}}}', "utf-8")
    before = here.read_bytes()
    assert cpl("install", "cursor", "--yes")[0] == 0
    assert cpl("install", "cursor", "--yes", "--project", "--workspace", "notes")[0] == 0
    assert value(everywhere)["mcpServers"]["commonplace"]["command"] == sys.executable
    assert value(here)["mcpServers"]["commonplace"]["args"][-1] == str(lab / "here/notes")
    assert cpl("uninstall", "cursor", "--yes", "--project")[0] == 0
    assert (here.read_bytes(), everywhere.exists()) == (before, True)
    assert cpl("uninstall", "cursor", "--yes")[0] == 0
    assert not everywhere.exists()


def test_an_option_of_another_host_is_refused(lab: Path, cpl: Cpl) -> None:
    for words in (
        ("install", "cursor", "--file", "x"),
        ("uninstall", "codex", "--project"),
        ("doctor", "codex", "--project"),
        ("install", "codex", "--slot"),
    ):
        code, _out, err = cpl(*words)
        assert (code, f"not for {words[1]}" in err) == (2, True)
    assert cpl("doctor", "--project")[0] == 0
    assert not (lab / "home/.cursor").exists()


@pytest.mark.slow
def test_what_is_to_be_typed_is_quoted(lab: Path, cpl: Cpl) -> None:
    path = lab / "my client.json"
    for host, more in (("generic-mcp", ("--file", str(path))), ("openclaw", ()), ("claude-code", ())):
        told = cpl("install", host, *more, "--yes", "--workspace", "my notes")[2]
        assert f"`commonplace init '{lab / 'here/my notes'}'`" in told
    path.chmod(0o620)
    found = findings(cpl, "generic-mcp", "--file", str(path))
    assert found["open-to-others"]["hint"] == f"chmod go-w '{path}'"
    assert found["workspace-missing"]["hint"] == f"run `commonplace init '{lab / 'here/my notes'}'`"
    assert found["engine-silent"]["hint"].endswith(f" --workspace '{lab / 'here/my notes'}'")
    hints = [findings(cpl, host)["workspace-missing"]["hint"] for host in ("openclaw", "claude-code")]
    assert all("init '" in hint for hint in hints)
    folder = plugin(lab / "my plugin", "commonplace")
    config = lab / "home/.openclaw/openclaw.json"
    put(config, "plugins", "load", "paths", value=[str(folder)])
    folder.chmod(0o777)
    assert findings(cpl, "openclaw")["open-to-others"]["hint"] == f"chmod go-w '{folder}'"


@pytest.mark.slow
def test_what_is_to_be_typed_names_the_places_that_were_named(lab: Path, cpl: Cpl) -> None:
    path = lab / "my client.json"
    found = findings(cpl, "generic-mcp", "--file", str(path))
    assert found["config-missing"]["hint"] == f"run `commonplace install generic-mcp --file '{path}'`"
    for given in (("--file", str(path), "--workspace", "my notes"), ()):
        if not path.exists():
            assert cpl("install", "generic-mcp", *given, "--yes")[0] == 0
        put(path, "mcpServers", "commonplace", value={"command": "commonplace"})
        hint = findings(cpl, "generic-mcp", *given)["engine-missing"]["hint"]
        more = " --workspace 'my notes'" if given else ""
        assert hint == f"run `commonplace install generic-mcp --file '{path}'{more}`"
        typed = hint.partition("`")[2].rstrip("`")
        assert cpl(*shlex.split(typed)[1:], "--yes")[0] == 0
        assert "engine-missing" not in findings(cpl, "generic-mcp", *given)
    assert (
        findings(cpl, "cursor", "--project")["config-missing"]["hint"] == "run `commonplace install cursor --project`"
    )
    assert findings(cpl, "codex", "--workspace", "w")["config-missing"]["hint"] == (
        "run `commonplace install codex --workspace w`"
    )


def test_any_client_gets_the_json_printed_or_written(lab: Path, cpl: Cpl) -> None:
    code, out, _err = cpl("install", "generic-mcp")
    assert code == 0
    assert json.loads(out)["mcpServers"]["commonplace"]["args"][:4] == ["-P", "-m", "commonplace", "mcp"]
    path = lab / "client.json"
    path.write_text("// a client\n{}\n", "utf-8")
    assert cpl("install", "generic-mcp", "--file", str(path), "--yes")[0] == 0
    assert value(path) == json.loads(out)
    assert cpl("uninstall", "generic-mcp", "--yes")[0] == 0
    assert path.read_text("utf-8") == "// a client\n{}\n"


def test_doctor_starts_an_mcp_server_and_hears_its_answer(codex: Path, lab: Path, cpl: Cpl) -> None:
    server = lab / "server.py"
    server.write_text('import sys\nsys.stdin.readline()\nprint(\'{"id": 1, "result": {}}\', flush=True)\n', "utf-8")
    config = lab / "client.json"
    entry = {"command": sys.executable, "args": [str(server), "--workspace", str(lab / "home")]}
    cpl("install", "generic-mcp", "--yes", "--file", str(config))
    put(config, "mcpServers", "commonplace", value=entry)
    assert findings(cpl, "generic-mcp") == {}
    put(config, "mcpServers", "commonplace", value={**entry, "args": [str(server), "--workspace", "/gone"]})
    assert list(findings(cpl, "generic-mcp")) == ["workspace-missing"]
    put(config, "mcpServers", "commonplace", value={**entry, "args": ["-c", "raise SystemExit('no mcp')"]})
    assert findings(cpl, "generic-mcp")["engine-silent"]["message"].endswith("no mcp")
    put(config, "mcpServers", "commonplace", value={**entry, "disabled": True})
    assert list(findings(cpl, "generic-mcp")) == ["disabled"]
    assert list(findings(cpl, "cursor")) == ["config-missing"]
    assert "not-installed" in findings(cpl, "codex")
    codex.write_text("a = [", "utf-8")
    assert list(findings(cpl, "codex")) == ["config-unreadable"]


@pytest.mark.slow
def test_doctor_does_not_start_what_a_project_names(lab: Path, cpl: Cpl) -> None:
    here, ran = lab / "here/.cursor/mcp.json", lab / "ran"
    here.parent.mkdir()
    for words in ([sys.executable, "-c", f"open({str(ran)!r}, 'w')"], [str(lab / "here/commonplace"), "mcp"]):
        entry = {"command": words[0], "args": words[1:]}
        here.write_text(json.dumps({"mcpServers": {"commonplace": entry}}), "utf-8")
        here.chmod(0o600)
        assert list(findings(cpl, "cursor", "--project")) == ["engine-not-tried"]
        assert not ran.exists()
    cpl("install", "cursor", "--project", "--yes")
    assert "engine-not-tried" not in findings(cpl, "cursor", "--project")


@pytest.mark.parametrize("arguments", [7, True, "mcp", [7], {"a": "b"}])
def test_a_server_that_nobody_could_start_is_a_finding(lab: Path, cpl: Cpl, arguments: object) -> None:
    entry = {"command": sys.executable, "args": arguments}
    for path, host in ((lab / "home/.cursor/mcp.json", "cursor"), (lab / "home/.claude.json", "claude-code")):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"mcpServers": {"commonplace": entry}}), "utf-8")
        assert "does not say how" in findings(cpl, host)["engine-missing"]["message"]


# Claude Code.


@pytest.fixture
def claude(lab: Path) -> Path:
    """Settings with a hook of somebody else, and a plugin as we ship it."""
    folder = lab / "data/claude-code"
    (folder / "hooks").mkdir(parents=True)
    (folder / ".claude-plugin").mkdir()
    options = {"scope": {"type": "string", "default": "project"}}
    (folder / ".claude-plugin/plugin.json").write_text(
        json.dumps({"name": "commonplace", "userConfig": options}), "utf-8"
    )
    run = {
        "type": "command",
        "command": "commonplace",
        "args": ["hook", "claude-code", "--scope", "${user_config.scope}"],
    }
    hooks = {name: [{"hooks": [run]}] for name in ("Stop", "SessionEnd")}
    hooks["PostToolUse"] = [{"matcher": "*", "hooks": [{**run, "async": True}]}]
    (folder / "hooks/hooks.json").write_text(json.dumps({"hooks": hooks}), "utf-8")
    settings = lab / "home/.claude/settings.json"
    settings.parent.mkdir()
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}, "model": "opus"}
    settings.write_text(json.dumps(theirs, indent=2), "utf-8")
    (lab / "home/.claude.json").write_text('{"oauthAccount": {"token": "hunter2"}}', "utf-8")
    return settings


@pytest.mark.parametrize(
    "odd",
    [
        {"hooks": ["say", 7, None, {}]},
        {"hooks": [{"command": 7}]},
        {"hooks": [{"command": ["commonplace hook claude-code"]}]},
        "say",
        None,
    ],
)
def test_hooks_of_others_in_whatever_shape_are_left_alone(claude: Path, cpl: Cpl, odd: object) -> None:
    claude.write_text(json.dumps({"hooks": {"Stop": [odd]}}), "utf-8")
    before = claude.read_bytes()
    assert "not-installed" in findings(cpl, "claude-code")
    assert cpl("install", "claude-code", "--yes")[0] == 0
    assert value(claude)["hooks"]["Stop"][0] == odd
    assert cpl("uninstall", "claude-code", "--yes")[0] == 0
    assert claude.read_bytes() == before


def test_a_hook_of_ours_that_somebody_broke_is_a_finding(claude: Path, cpl: Cpl) -> None:
    broken = {"matcher": ["*"], "hooks": [{"command": "commonplace hook claude-code 'x"}]}
    claude.write_text(json.dumps({"hooks": {"Stop": [broken, broken]}}), "utf-8")
    assert {"engine-missing", "duplicate", "hook-missing"} <= set(findings(cpl, "claude-code"))


def test_claude_code_gets_the_hooks_of_the_plugin_and_the_server(claude: Path, lab: Path, cpl: Cpl) -> None:
    others = lab / "home/.claude.json"
    before = (claude.read_bytes(), others.read_bytes())
    code, out, err = cpl("install", "claude-code", "--yes")
    assert code == 0, err
    assert "hunter2" not in out
    said = value(claude)
    assert said["model"] == "opus"
    assert [group["hooks"][0]["command"] for group in said["hooks"]["Stop"]] == [
        "say done",
        f"{sys.executable} -P -m commonplace hook claude-code --scope project --workspace {lab}/home/.openclaw/workspace",
    ]
    group = said["hooks"]["PostToolUse"][0]
    assert (group["matcher"], group["hooks"][0]["async"], "args" in group["hooks"][0]) == ("*", True, False)
    assert value(others)["mcpServers"]["commonplace"]["type"] == "stdio"
    assert cpl("install", "claude-code", "--yes")[0] == 0
    assert value(claude) == said
    assert cpl("uninstall", "claude-code", "--yes")[0] == 0
    assert (claude.read_bytes(), others.read_bytes()) == before


def test_the_hooks_that_we_ship_are_lines_that_our_command_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locations, "_DATA", "/gone")
    groups = list(plugin_hooks("/a notebook"))
    assert {event for event, _group in groups} >= {"UserPromptSubmit", "Stop"}
    for _event, group in groups:
        for hook in group["hooks"]:
            words = shlex.split(hook["command"])
            assert words[:5] == [sys.executable, "-P", "-m", "commonplace", "hook"]
            options = find_command("hook").parser().read(words[5:])
            assert options.workspace == "/a notebook"
            assert "${" not in hook["command"]


def test_doctor_looks_at_hooks_and_server(claude: Path, lab: Path, cpl: Cpl) -> None:
    assert findings(cpl, "claude-code")["not-installed"]["level"] in ("problem", "note")
    cpl("install", "claude-code", "--yes")
    claude.chmod(0o600)
    (lab / "home/.claude.json").chmod(0o600)
    server = lab / "server.py"
    server.write_text('import sys\nsys.stdin.readline()\nprint(\'{"id": 1, "result": {}}\', flush=True)\n', "utf-8")
    entry = {"command": sys.executable, "args": [str(server)]}
    put(lab / "home/.claude.json", "mcpServers", "commonplace", value=entry)
    assert findings(cpl, "claude-code") == {}
    put(claude, "disableAllHooks", value=True)
    assert list(findings(cpl, "claude-code")) == ["disabled"]
    put(claude, "disableAllHooks", value=False)
    put(claude, "enabledPlugins", "commonplace@here", value=True)
    assert list(findings(cpl, "claude-code")) == ["duplicate"]
    put(claude, "enabledPlugins", "commonplace@here", value=False)
    stop = value(claude)["hooks"]["Stop"]
    put(claude, "hooks", "Stop", value=[*stop, {**stop[1], "matcher": ""}])
    assert list(findings(cpl, "claude-code")) == ["duplicate"]
    put(claude, "hooks", "Stop", value=stop[:1])
    assert (
        findings(cpl, "claude-code")["hook-missing"]["message"] == "the settings have no hook of Commonplace for Stop"
    )
    for name in ("PostToolUse", "SessionEnd"):
        put(claude, "hooks", name, value=[])
    assert "not-installed" in findings(cpl, "claude-code")


# Consolidation at the end of a session.


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path


def end_hook(settings: Path) -> str:
    (group,) = value(settings)["hooks"]["SessionEnd"]
    return str(group["hooks"][0]["command"])


def test_claude_code_consolidates_each_session_where_that_is_asked_for(claude: Path, lab: Path, cpl: Cpl) -> None:
    before = claude.read_bytes()
    model = program(lab / "bin/claude")
    assert cpl("install", "claude-code", "--yes")[0] == 0
    assert "--consolidate" not in claude.read_text("utf-8")
    assert cpl("install", "claude-code", "--no-consolidate", "--yes")[2].endswith("nothing to change in claude-code\n")
    code, out, err = cpl("install", "claude-code", "--consolidate", "--yes")
    assert code == 0
    assert "each session that ends is handed to `claude -p`, without tools, which costs tokens" in err
    (added,) = (line for line in out.split("\n") if line.startswith("+ ") and "--consolidate" in line)
    assert f"--scope project --consolidate {model} --workspace" in added
    assert end_hook(claude).endswith(f"--consolidate {model} --workspace {lab}/home/.openclaw/workspace")
    assert claude.read_text("utf-8").count("--consolidate") == 1
    assert cpl("install", "claude-code")[2].endswith("nothing to change in claude-code\n")  # it stays as it was chosen
    words = shlex.split(end_hook(claude))
    assert find_command("hook").parser().read(words[5:]).consolidate == str(model)
    assert cpl("install", "claude-code", "--no-consolidate", "--yes")[0] == 0
    assert "--consolidate" not in claude.read_text("utf-8")
    assert cpl("install", "claude-code")[2].endswith("nothing to change in claude-code\n")
    assert cpl("install", "claude-code", "--consolidate", "--yes")[0] == 0
    assert cpl("uninstall", "claude-code", "--yes")[0] == 0
    assert claude.read_bytes() == before


def test_doctor_misses_the_program_that_is_to_consolidate(claude: Path, lab: Path, cpl: Cpl) -> None:
    cpl("install", "claude-code", "--consolidate", "--yes")
    assert "--consolidate claude --workspace" in end_hook(claude)
    found = findings(cpl, "claude-code")["model-missing"]
    assert (found["level"], found["path"]) == ("problem", str(claude))
    assert "there is no program 'claude'" in found["message"]
    assert found["hint"].startswith("put `claude` on the PATH and run `commonplace install claude-code`")
    model = program(lab / "bin/claude")
    assert "model-missing" not in findings(cpl, "claude-code")
    cpl("install", "claude-code", "--yes")  # which names it by its path from now on
    assert f"--consolidate {model} " in end_hook(claude)
    assert "model-missing" not in findings(cpl, "claude-code")
    model.unlink()
    assert str(model) in findings(cpl, "claude-code")["model-missing"]["message"]
    cpl("install", "claude-code", "--no-consolidate", "--yes")
    assert "model-missing" not in findings(cpl, "claude-code")


def test_doctor_tells_that_a_consolidation_failed_when_nobody_watched(claude: Path, lab: Path, cpl: Cpl) -> None:
    program(lab / "bin/claude")
    notebook = lab / "home/.openclaw/workspace"
    cpl("install", "claude-code", "--consolidate", "--yes")
    hosts.note_consolidation(str(notebook), hosts.ConsolidationFailure(NOW, "you are not logged in"))
    found = findings(cpl, "claude-code")["consolidation-failed"]
    assert found["message"] == f"the consolidation at the end of a session failed at {NOW}: you are not logged in"
    assert found["path"] == str(notebook / probes.FAILURE_PATH)
    Path(found["path"]).write_text("{", "utf-8")
    assert "consolidation-failed" not in findings(cpl, "claude-code")
    hosts.note_consolidation(str(notebook), None)
    hosts.note_consolidation(str(notebook), None)
    assert not Path(found["path"]).exists()


def test_openclaw_consolidates_each_session_where_that_is_asked_for(openclaw: Path, cpl: Cpl) -> None:
    before = openclaw.read_bytes()
    cpl("install", "openclaw", "--yes")
    assert not {"consolidate", "llm"} & {*value(openclaw)["plugins"]["entries"]["commonplace"]}
    code, out, err = cpl("install", "openclaw", "--consolidate", "--yes")
    assert (code, "each session that ends is handed to its agent's model" in err) == (0, True)
    assert '+          "consolidate": true' in out.replace("\t", " ")
    entry = value(openclaw)["plugins"]["entries"]["commonplace"]
    assert (entry["config"]["consolidate"], entry["llm"]) == (True, {"allowAgentIdOverride": True})
    assert cpl("install", "openclaw")[2].endswith("nothing to change in openclaw\n")
    assert "model-missing" not in findings(cpl, "openclaw")
    put(openclaw, *ENTRY, "llm", "allowAgentIdOverride", value=False)
    assert findings(cpl, "openclaw")["model-missing"]["hint"] == (
        "openclaw config set plugins.entries.commonplace.llm.allowAgentIdOverride true"
    )
    cpl("install", "openclaw", "--no-consolidate", "--yes")
    assert "consolidate" not in value(openclaw)["plugins"]["entries"]["commonplace"]["config"]
    assert "model-missing" not in findings(cpl, "openclaw")
    cpl("install", "openclaw", "--consolidate", "--yes")
    assert cpl("uninstall", "openclaw", "--yes")[0] == 0
    assert openclaw.read_bytes() == before


@pytest.mark.parametrize("host", CLIENTS)
def test_a_host_that_tells_no_end_of_a_session_is_refused_with_what_to_do(host: str, lab: Path, cpl: Cpl) -> None:
    code, out, err = cpl("install", host, "--consolidate", "--yes")
    assert (code, out) == (2, "")
    assert f"{host} does not tell Commonplace when a session ends" in err
    assert "models.provider" in err
    assert "daemon.consolidate_minutes" in err
    assert not (lab / "home/.cursor").exists()


# Each fault by itself, in each host.

FILES = {
    "codex": "home/.codex/config.toml",
    "cursor": "home/.cursor/mcp.json",
    "generic-mcp": "client.json",
    "claude-code": "home/.claude.json",
}
SERVED = 'import sys; sys.stdin.readline(); print(\'{"id": 1, "result": {}}\', flush=True)'
WELL = {"command": sys.executable, "args": ["-c", SERVED]}


def host_with(lab: Path, host: str, server: dict[str, Any]) -> tuple[list[str], Path]:
    """A host that starts this server and has nothing else of us: what `doctor` is given, and the file."""
    path = lab / FILES[host]
    path.parent.mkdir(exist_ok=True)
    if host == "codex":
        lines = (f"{key} = {json.dumps(value)}" for key, value in server.items())
        path.write_text("\n".join(("[mcp_servers.commonplace]", *lines, "")), "utf-8")
    else:
        path.write_text(json.dumps({"mcpServers": {"commonplace": server}}), "utf-8")
    path.chmod(0o600)
    if host == "claude-code":  # whose hooks come with the plugin
        settings = lab / "home/.claude/settings.json"
        settings.parent.mkdir()
        settings.write_text('{"enabledPlugins": {"commonplace@here": true}}', "utf-8")
        settings.chmod(0o600)
    return [host, *(("--file", str(path)) if host == "generic-mcp" else ())], path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("server", "code", "said", "where"),
    [
        ({}, "", "", FILES),
        ({"command": "python3"}, "engine-missing", "is not an absolute path", FILES),
        ({"command": "/gone/python"}, "engine-missing", "there is no program", FILES),
        ({"command": __file__}, "engine-missing", "there is no program", FILES),
        ({"command": "/"}, "engine-missing", "there is no program", FILES),
        ({"command": 7}, "engine-missing", "does not say how", ("cursor", "generic-mcp", "claude-code")),
        ({"args": ["-c", "raise SystemExit('no mcp')"]}, "engine-silent", "no mcp", FILES),
        ({"args": ["-c", "print('{}')"]}, "engine-silent", "does not answer", FILES),
        ({"args": [*WELL["args"], "--workspace", "/gone/notes"]}, "workspace-missing", "/gone/notes", CLIENTS),
        ({"enabled": False}, "disabled", "turned off", CLIENTS),
        ({"disabled": True}, "disabled", "turned off", CLIENTS),
    ],
    ids=lambda one: json.dumps(one)[:40] if isinstance(one, dict) and "command" in one else None,
)
def test_a_fault_of_the_server_is_all_that_is_found(
    server: dict[str, Any], code: str, said: str, where: tuple[str, ...], lab: Path, cpl: Cpl
) -> None:
    for host in where:
        arguments, path = host_with(lab, host, WELL | server)
        found = findings(cpl, *arguments)
        assert list(found) == ([code] if code else []), host
        assert all(said in one["message"] for one in found.values())
        assert all(one["hint"] and one["path"] in ("", str(path)) for one in found.values())
        assert not code or f"{host}: {code}: " in cpl("doctor", *arguments)[1].replace(" problem: ", " ")


@pytest.mark.slow
@pytest.mark.parametrize("host", FILES)
def test_a_fault_of_the_file_is_all_that_is_found(host: str, lab: Path, cpl: Cpl) -> None:
    arguments, path = host_with(lab, host, WELL)
    for mode, level in ((0o620, "problem"), (0o602, "problem"), (0o640, "note")):
        path.chmod(mode)
        found = findings(cpl, *arguments)
        assert {name: (one["level"], one["path"]) for name, one in found.items()} == {
            "open-to-others": (level, str(path))
        }
    path.chmod(0o600)
    assert findings(cpl, *arguments) == {}
    path.write_text("", "utf-8")
    assert list(findings(cpl, *arguments)) == ["not-installed"]
    path.write_text("[", "utf-8")
    found = findings(cpl, *arguments)
    assert {name: one["path"] for name, one in found.items()} == {"config-unreadable": str(path)}
    path.unlink()
    assert list(findings(cpl, *arguments)) == ["not-installed" if host == "claude-code" else "config-missing"]


def test_a_client_of_which_no_file_is_known_is_a_note(lab: Path, cpl: Cpl) -> None:
    found = findings(cpl, "generic-mcp")
    assert {name: (one["level"], one["hint"]) for name, one in found.items()} == {
        "not-installed": ("note", "run `commonplace doctor generic-mcp --file FILE`")
    }


@pytest.mark.slow
def test_a_fault_of_the_hooks_is_all_that_is_found(claude: Path, lab: Path, cpl: Cpl) -> None:
    cpl("install", "claude-code", "--yes")
    servers = lab / "home/.claude.json"
    put(servers, "mcpServers", "commonplace", value=WELL)
    for path in (claude, servers):
        path.chmod(0o600)
    well, notes = claude.read_text("utf-8"), f"{lab}/home/.openclaw/workspace"
    stop = value(claude)["hooks"]["Stop"]
    for text, code, said in (
        (well, "", ""),
        (well.replace(sys.executable, "/gone/python"), "engine-missing", "/gone/python"),
        (well.replace(sys.executable, "python3"), "engine-missing", "not an absolute path"),
        (well.replace(notes, "/gone/notes"), "workspace-missing", "/gone/notes"),
        (json.dumps({"hooks": {**value(claude)["hooks"], "Stop": stop[:1]}}), "hook-missing", "for Stop"),
        ("{}", "not-installed", "no hook of Commonplace"),
        ("[", "config-unreadable", "settings.json"),
    ):
        claude.write_text(text, "utf-8")
        found = findings(cpl, "claude-code")
        assert list(found) == ([code] if code else [])
        assert all(said in one["message"] and one["path"] == str(claude) for one in found.values())
    claude.write_text(well, "utf-8")
    for mode in (0o620, 0o640):
        claude.chmod(mode)
        assert {one["path"] for one in findings(cpl, "claude-code").values()} == {str(claude)}


def test_a_fault_of_what_openclaw_loads_is_all_that_is_found(healthy: Path, lab: Path, cpl: Cpl) -> None:
    for base in ("home/.openclaw/extensions", "home/.openclaw/workspace/.openclaw/extensions"):
        for name in ("commonplace", "commonplace-slot"):
            copy = plugin(lab / base / "mine", name)
            found = findings(cpl, "openclaw")
            assert (set(found), found["duplicate"]["path"]) == ({"host-not-asked", "duplicate"}, str(copy))
            shutil.rmtree(copy)
    plugin(lab / base / "theirs", "another")
    paths = value(healthy)["plugins"]["load"]["paths"]
    for name in ("commonplace", "commonplace-slot"):
        put(healthy, "plugins", "load", "paths", value=[*paths, str(plugin(lab / f"second-{name}", name))])
        found = findings(cpl, "openclaw")
        assert set(found) == {"host-not-asked", "duplicate"}
        assert f"the plugin {name!r} 2 times" in found["duplicate"]["message"]
    put(healthy, "plugins", "load", "paths", value=paths[1:])
    found = findings(cpl, "openclaw")
    assert (set(found), "does not contain" in found["plugin-gone"]["message"]) == (
        {"host-not-asked", "plugin-gone"},
        True,
    )
    put(healthy, "plugins", "load", "paths", value=["/gone/commonplace/hosts/data/openclaw"])
    assert "there is no plugin in" in findings(cpl, "openclaw")["plugin-gone"]["message"]  # and not that none is named
    put(healthy, "plugins", "load", "paths", value=paths)
    shutil.rmtree(lab / "home/.openclaw/workspace")
    assert set(findings(cpl, "openclaw")) == {"host-not-asked", "workspace-missing"}


@pytest.mark.parametrize("command", ["commonplace serve", [7], [], {"a": "b"}, None])
def test_a_command_of_openclaw_that_nobody_could_start_is_all_that_is_found(
    command: object, healthy: Path, cpl: Cpl
) -> None:
    put(healthy, *ENTRY, "config", "command", value=command)
    found = findings(cpl, "openclaw")
    assert set(found) == {"host-not-asked", "engine-missing"}
    assert "does not say how" in found["engine-missing"]["message"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        (("tools", "allow"), ["*"]),
        (("tools", "allow"), ["commonplace_recall", "commonplace_retain", "commonplace_forget", "commonplace_why"]),
        (("tools", "allow"), []),
        (("tools", "deny"), ["read"]),
        (("plugins", "allow"), ["commonplace"]),
        (("plugins", "deny"), ["another"]),
        *((("tools", "profile"), name) for name in ("full", "coding", "messaging")),
    ],
)
def test_settings_of_openclaw_that_leave_us_in_peace_are_no_fault(
    pointer: tuple[str, ...], value: object, healthy: Path, cpl: Cpl
) -> None:
    put(healthy, *pointer, value=value)
    assert set(findings(cpl, "openclaw")) == {"host-not-asked"}


def test_another_notebook_that_was_asked_for_is_a_note(healthy: Path, lab: Path, cpl: Cpl, engine: list[str]) -> None:
    cpl("install", "openclaw", "--yes", "--workspace", str(lab / "here"))
    put(healthy, *ENTRY, "config", "command", value=engine)
    assert findings(cpl, "openclaw")["workspace-differs"]["level"] == "note"
    assert findings(cpl, "openclaw", "--workspace", "x")["workspace-differs"]["hint"].count("--workspace") == 1
    put(healthy, *ENTRY, "config", "workspace", value=str(lab))
    assert findings(cpl, "openclaw")["workspace-differs"]["level"] == "problem"


@pytest.mark.slow
def test_what_the_host_itself_says_is_all_that_is_found(healthy: Path, lab: Path, cpl: Cpl) -> None:
    well: dict[str, Any] = {"typedHooks": HOOKS}
    other = {"level": "warn", "message": "a manifest is odd. See the log."}
    asked: tuple[tuple[Any, dict[str, Any], str, str], ...] = (
        (well, {}, "", ""),
        ({"plugin": {"typedHooks": ["agent_end", "before_prompt_build"]}}, {}, "", ""),
        ({"typedHooks": HOOKS[:1]}, {}, "hook-missing", "before_prompt_build"),
        ({"typedHooks": HOOKS[1:]}, {}, "hook-missing", "agent_end"),
        ({**well, "diagnostics": [other]}, {}, "host-diagnostic", "OpenClaw says: a manifest is odd"),
        ({**well, "diagnostics": ["odd"]}, {}, "host-diagnostic", "OpenClaw says: odd"),
        ("{no json", {}, "not-loaded", "{no json"),
        (well, {"version": ""}, "host-version", "one that does not say"),
        (well, {"valid": False}, "config-refused", "not valid"),
    )
    for inspected, choices, code, said in asked:
        fake_openclaw(lab, inspected, **choices)
        found = findings(cpl, "openclaw")
        assert list(found) == ([code] if code else []), inspected
        assert all(said in one["message"] for one in found.values())


@pytest.mark.parametrize("host", ["openclaw", *FILES])
def test_what_is_not_there_after_a_write_is_told(host: str, lab: Path, openclaw: Path) -> None:
    choice = InstallChoice(host, file=str(lab / "client.json") if host == "generic-mcp" else "")
    _verified, found = hosts.HOSTS[host](choice, hosts.read_host_paths()).verify()
    assert {one.code for one in found} == {"not-written"}
    assert all(one.path for one in found)


def test_every_finding_is_explained_in_the_guide() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src/commonplace/bridges/hosts").glob("*.py"))
    codes = set(re.findall(r'(?:\bFinding\(\s*host,\s*|\.finding\(\s*)"([a-z-]+)"', source))
    guide = (ROOT / "docs/guides/hosts.md").read_text("utf-8")
    assert len(codes) > 20
    assert {code for code in codes if f"`{code}`" not in guide} == set()

"""Hosts of agents: what is written into their configuration, that it comes out again, and what `doctor` finds."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace import hosts
from commonplace.cli import main
from commonplace.errors import WriteConflict
from commonplace.hosts import Choice, shipment, steps
from commonplace.hosts.json5 import parse
from commonplace.hosts.nouns import Target, Want

NOW = "2025-11-30T09:00"
STAMP = "2025-11-30T0900"
SECRET = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c"
CONFIGURATION = f"""{{
  // kept by hand
  gateway: {{ port: 18789, auth: {{ mode: 'token', token: "{SECRET}" }} }}, // the gateway
  "agents": {{"defaults": {{"workspace": "WORKSPACE"}}}},
  "plugins": {{
    "entries": {{
      "memory-core": {{"enabled": true}}, /* as it came */
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
    for folder in ("home/.openclaw/workspace", "home/commonplace", "bin", "here"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    for name, known in (("openclaw", "commonplace"), ("openclaw-slot", "commonplace-slot")):
        plugin(tmp_path / "data" / name, known)
    monkeypatch.setattr(shipment, "_DATA", str(tmp_path / "data"))
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
    return parse(path.read_text("utf-8")).value()


def findings(cpl: Cpl, *arguments: str) -> dict[str, dict[str, str]]:
    code, out, _err = cpl("doctor", *arguments, "--json")
    found = json.loads(out)["findings"]
    assert code == (3 if any(one["level"] == "problem" for one in found) else 0)
    return {one["code"]: one for one in found}


def put(path: Path, *pointer: str, value: Any) -> None:
    """Change one value in a host's configuration, as a person would."""
    wants = (Want(pointer, value),)
    text, _steps = steps.brought(path.read_text("utf-8"), Target(str(path), wants=wants))
    path.write_text(text, "utf-8")


# OpenClaw.


def test_install_writes_only_our_part_and_says_so_first(openclaw: Path, lab: Path, cpl: Cpl) -> None:
    before = openclaw.read_bytes()
    code, out, err = cpl("install", "openclaw")
    assert (code, openclaw.read_bytes()) == (1, before)
    assert "nothing was written; `--yes` writes it" in err
    assert '+        "enabled": true,' in out
    assert cpl("install", "openclaw", "--dry-run")[0] == 0
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
    assert cpl("uninstall", "openclaw", "--yes")[0] == 0
    assert openclaw.read_text("utf-8") == edit(before)


def test_what_somebody_put_where_we_were_stays(openclaw: Path, cpl: Cpl) -> None:
    cpl("install", "openclaw", "--yes", "--slot")
    put(openclaw, "plugins", "slots", "memory", value="another")
    put(openclaw, "plugins", "load", "more", value=1)
    _code, _out, err = cpl("uninstall", "openclaw", "--yes")
    assert "plugins.slots.memory was changed since, and is left as it is" in err
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
        older.setattr(shipment, "_DATA", str(lab / "old"))
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
    assert hosts.places().openclaw_config == str(lab / "else/.openclaw-work/openclaw.json")


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
    where = hosts.places()
    plan = hosts.plan_install(Choice("openclaw"), where)
    openclaw.write_text("{mine: 1}", "utf-8")
    with pytest.raises(WriteConflict):
        hosts.install(plan, where, STAMP)
    assert openclaw.read_text("utf-8") == "{mine: 1}"


def test_no_secret_of_the_host_is_shown(openclaw: Path, lab: Path, cpl: Cpl) -> None:
    codex = lab / "home/.codex/config.toml"
    codex.parent.mkdir()
    codex.write_text(CODEX, "utf-8")
    for host in ("openclaw", "codex"):
        for arguments in (("install", host, "--yes"), ("uninstall", host, "--dry-run"), ("doctor", host)):
            for extra in ((), ("--json",)):
                _code, out, err = cpl(*arguments, *extra)
                assert SECRET not in out + err
    minified = json.dumps({"a": {"apiKey": "hunter2", "plugins": "pw"}, "plugins": {"x": "pw2"}})
    openclaw.write_text(minified, "utf-8")
    _code, out, _err = cpl("install", "openclaw", "--dry-run")
    assert '"apiKey": "…"' in out
    assert "hunter2" not in out
    assert "pw" not in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{a: 1", "line 1"),
        ("{\n a: 1\n b: 2}", "line 3"),
        ("[]", "the whole file is no object"),
        ("{plugins: []}", "plugins is no object"),
        ("{plugins: {load: {paths: {}}}}", "plugins.load.paths is no list"),
        ('{plugins: {$include: "./plugins.json5"}}', "comes from another file"),
        ("{} {}", "something stands behind the value"),
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


def test_bytes_that_are_no_text_are_left_alone(openclaw: Path, cpl: Cpl) -> None:
    openclaw.write_bytes(b'{"a": "\xff"}')
    code, _out, err = cpl("install", "openclaw", "--yes")
    assert code == 1
    assert "is not UTF-8" in err

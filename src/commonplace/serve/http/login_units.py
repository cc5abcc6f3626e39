"""Units for systemd and launchd that start the daemon at login."""

from __future__ import annotations

import os
import shlex
from html import escape
from zlib import crc32

from msgspec import Struct

from commonplace.storage.workspace import slugify

LABEL = "dev.commonplace.serve"


class ServiceUnit(Struct, frozen=True):
    """A unit: who reads it, where it is put, what it says, and how it is switched on."""

    kind: str
    path: str
    text: str
    enable: str


class ServiceCommand(Struct, frozen=True):
    """The command that a unit starts: its absolute path, the workspace, and the home folder."""

    command: tuple[str, ...]
    workspace: str
    home: str


SYSTEMD = """[Unit]
Description=Commonplace, the memory of AI agents, for {workspace}
Documentation=man:systemd.unit(5)

[Service]
ExecStart={command}
Restart=on-failure
RestartSec=5
TimeoutStopSec=60
KillMode=mixed
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native

[Install]
WantedBy=default.target
"""

LAUNCHD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{label}</string>
  <key>ProgramArguments</key>
  <array>
{arguments}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>60</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
"""


def systemd_unit(start: ServiceCommand) -> ServiceUnit:
    """For `systemd --user`."""
    command = " ".join(_systemd_quote(word) for word in start.command)
    text = SYSTEMD.format(workspace=_escape_percent(start.workspace), command=command)
    name = f"commonplace-{_unique_unit_name(start.workspace)}"
    path = f"{start.home}/.config/systemd/user/{name}.service"
    return ServiceUnit("systemd", path, text, f"systemctl --user daemon-reload && systemctl --user enable --now {name}")


def launchd_agent(start: ServiceCommand) -> ServiceUnit:
    """For launchd of macOS."""
    arguments = "\n".join(f"    <string>{escape(word, quote=False)}</string>" for word in start.command)
    label = f"{LABEL}.{_unique_unit_name(start.workspace)}"
    path = f"{start.home}/Library/LaunchAgents/{label}.plist"
    text = LAUNCHD.format(label=label, arguments=arguments)
    return ServiceUnit("launchd", path, text, f"launchctl load -w {shlex.quote(path)}")


def _unique_unit_name(workspace: str) -> str:
    """A name that no other workspace has: a unit replaces another of its name."""
    return f"{slugify(os.path.basename(workspace))}-{crc32(os.fsencode(workspace)):08x}"


def _systemd_quote(word: str) -> str:
    """A word quoted for systemd, with `%` and `$` doubled."""
    inner = _escape_percent(word).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{inner}"'


def _escape_percent(word: str) -> str:
    return word.replace("%", "%%").replace("\n", " ")

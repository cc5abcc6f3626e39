"""Git as a host: the merge driver in the configuration of a repository, and the attributes that name it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

from commonplace.bridges.hosts import adapter
from commonplace.bridges.hosts.config_edits import BLOCK_BEGIN, BLOCK_END
from commonplace.bridges.hosts.locations import build_launch_command
from commonplace.bridges.hosts.plans import ConfigTarget, Finding
from commonplace.errors import BadHostFile
from commonplace.storage import files

GITDIR_MARK = "gitdir:"
MERGED_PATTERNS = ("*.md", "/memory/*.yaml", "/memory/skills/*.json")


class GitHost(adapter.HostAdapter):
    """The repository that the workspace is in."""

    name = "git"

    def config_paths(self) -> tuple[str, ...]:
        """The attributes of the workspace, and the configuration of the repository."""
        return f"{self.workspace}/.gitattributes", f"{_locate_repository(self.workspace)[1]}/config"

    def targets(self) -> tuple[ConfigTarget, ...]:
        attributes, config = self.config_paths()
        lines = (
            *(f"{pattern} merge=commonplace" for pattern in MERGED_PATTERNS),
            "/.memory/** -text merge=commonplace",
        )
        within = os.path.relpath(os.path.realpath(self.workspace), _locate_repository(self.workspace)[0])
        command = shlex.join(build_launch_command("merge-driver", "--workspace", within)) + " %O %A %B %P"
        quoted = command.replace("\\", "\\\\").replace('"', '\\"')
        driver = ('[merge "commonplace"]', "\tname = Commonplace", f'\tdriver = "{quoted}"')
        return tuple(
            ConfigTarget(path, "block", block="\n".join((BLOCK_BEGIN, *block, BLOCK_END, "")))
            for path, block in ((attributes, lines), (config, driver))
        )

    def traces(self) -> tuple[ConfigTarget, ...]:
        """The files that may have our part, which is between marks; every workspace in a repository needs it."""
        return self.targets() if os.path.isdir(self.workspace) else ()

    def notes(self) -> tuple[str, ...]:
        return (*super().notes(), "nothing is committed; commit .gitattributes, and run this in every clone")

    def missing_values(self, target: ConfigTarget) -> list[str]:
        """Our part, if the file does not have it."""
        return [] if target.block in adapter.read_config_text(target.path).replace("\r\n", "\n") else ["our part"]

    def examine_config(self, path: str) -> Iterator[Finding]:
        """Whether the file has our part; with the attributes, whether others can read what git checked out."""
        if any(self.missing_values(target) for target in self.targets() if target.path == path):
            told = "git merges this workspace line by line, and a merge can leave conflicts in journals"
            yield self.finding("not-installed", told, "run `commonplace install git`")
        state = f"{self.workspace}/.memory"
        if path == self.config_paths()[0] and os.path.isdir(state) and files.access_by_others(state):
            told = "others can read what git has checked out: it does not keep permissions"
            yield self.finding("open-permissions", told, f"chmod -R go= {shlex.quote(state)}", path=state)


def _locate_repository(workspace: str) -> tuple[str, str]:
    """The top of the working tree that a folder is in, and the folder with its configuration. Raises BadHostFile."""
    folder = files.find_repository(workspace)
    if not folder:
        hint = f"run `git init` in {shlex.quote(workspace)} first"
        raise BadHostFile(f"{workspace!r} is in no git repository", path=workspace, hint=hint)
    git_folder = f"{folder}/.git"
    if os.path.isfile(git_folder):  # of a linked working tree, or a submodule
        git_folder = os.path.join(folder, adapter.read_config_text(git_folder).removeprefix(GITDIR_MARK).strip())
        linked = adapter.read_config_text(f"{git_folder}/commondir").strip()
        git_folder = os.path.join(git_folder, linked) if linked else git_folder
    return folder, os.path.normpath(git_folder)

"""Memory's verb of migration: what another memory holds, previewed, and captured when that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.errors import BadArgument
from commonplace.memory.capturing import Capturing

if TYPE_CHECKING:
    from commonplace.capture import Before
    from commonplace.capture.bringing import Import


NOTES = ("basic-memory", "obsidian", "memoryclaw")  # folders of Markdown, which a workspace reads where it holds them


class Importing(Capturing):
    """What other memories hold."""

    def import_from(
        self,
        path: str,
        *,
        system: str = "auto",
        owner: str = "",
        mine: bool = False,
        scope: str = "",
        apply: bool = False,
        now: str | None = None,
    ) -> Import:
        """What would be captured of another memory, and with `apply` is: a folder, a database or an export.

        Nobody vouches for what it holds, so it is untrusted, except for all of it with `mine`, or for what belongs to
        the person of the name `owner` there. The same again adds nothing. Without `apply` no file of the workspace is
        written but the index. Raises BadArgument, NotFound, OutsideWorkspace.
        """
        import os

        from commonplace.capture.bringing import Wish, bring
        from commonplace.imports import Source
        from commonplace.imports.memories import SYSTEMS
        from commonplace.imports.memories.detect import find
        from commonplace.imports.memories.reading import bring as read

        if system != "auto" and system not in SYSTEMS:
            raise BadArgument(f"there is no format {system!r}", hint=f"one of {', '.join(SYSTEMS)}")
        found, place = find(path, None if system == "auto" else next(one for one in SYSTEMS if one == system))
        real = os.path.realpath(place.path)
        if place.is_folder and found in NOTES and f"{real}/".startswith(f"{self.root}/"):
            message = f"{path!r} lies in this workspace"
            raise BadArgument(message, path=path, hint="its notes are read as they are; name another --workspace")
        source = Source(os.path.basename(real), (f"import:{found}:{real}",))
        wish = Wish(found, source, owner.strip(), mine, scope, self._localised)
        before = self._before() if apply else self._looked()
        return bring(self._place(now), read(found, place), wish, before, apply=apply)

    def _looked(self) -> Before:
        """What is known before a preview; a workspace in which nothing was ever captured gets no index for it."""
        from commonplace import files
        from commonplace.capture.funnel import NOTHING_BEFORE

        has_captures = any(name.startswith("captures-") for name in files.sizes(self.root, ".memory/journal"))
        return self._before() if has_captures else NOTHING_BEFORE

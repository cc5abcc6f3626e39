"""Find secrets that a workspace already holds, report where to rotate them, and take them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.scrub.removal import *
    from commonplace.upkeep.scrub.scanner import *
    from commonplace.upkeep.scrub.workspace_scan import *
else:
    __getattr__ = lazy_names(
        __name__,
        removal="finish_scrub log_scrub_intent scrub_workspace",
        scanner="RemainingSecret ScanResult ScrubResult ScrubbedFile Secret SecretLocation SecretScanner",
        workspace_scan="scan_workspace",
    )

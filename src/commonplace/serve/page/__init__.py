"""The page of the daemon, in a browser: see the notebook, ask it, correct it."""

from __future__ import annotations

from commonplace.serve.page.server import PageServer as PageServer

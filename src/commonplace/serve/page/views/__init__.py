"""The handlers of the pages: each calls operations and fills a template."""

from __future__ import annotations

from commonplace.serve.page.app import Handler
from commonplace.serve.page.views.ask import ask
from commonplace.serve.page.views.health import health
from commonplace.serve.page.views.today import feed, today

PAGES: dict[str, Handler] = {"/today": today, "/feed": feed, "/ask": ask, "/health": health}
FORMS: dict[str, Handler] = {}

"""The handlers of the pages: each calls operations and fills a template."""

from __future__ import annotations

from commonplace.serve.page.app import Handler
from commonplace.serve.page.views.ask import ask
from commonplace.serve.page.views.entities import entities, entity
from commonplace.serve.page.views.files import file, files, history, line, save_lines
from commonplace.serve.page.views.today import feed, today

PAGES: dict[str, Handler] = {
    "/today": today,
    "/feed": feed,
    "/ask": ask,
    "/files": files,
    "/file": file,
    "/line": line,
    "/history": history,
    "/entities": entities,
    "/entity": entity,
}
FORMS: dict[str, Handler] = {"/line": save_lines}

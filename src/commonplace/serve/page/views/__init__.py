"""The handlers of the pages: each calls operations and fills a template."""

from __future__ import annotations

from commonplace.serve.page.app import Handler
from commonplace.serve.page.views.ask import ask, ask_pack, ask_why_not
from commonplace.serve.page.views.audit import audit, forget, forget_now, receipt, receipts, replay
from commonplace.serve.page.views.entities import entities, entity
from commonplace.serve.page.views.files import capture, file, files, history, line, save_lines
from commonplace.serve.page.views.health import health
from commonplace.serve.page.views.review import decide, review, undo
from commonplace.serve.page.views.today import feed, today

PAGES: dict[str, Handler] = {
    "/today": today,
    "/feed": feed,
    "/ask": ask,
    "/ask/pack": ask_pack,
    "/ask/why-not": ask_why_not,
    "/review": review,
    "/audit": audit,
    "/audit/receipts": receipts,
    "/audit/receipt": receipt,
    "/audit/replay": replay,
    "/audit/forget": forget,
    "/health": health,
    "/files": files,
    "/file": file,
    "/line": line,
    "/capture": capture,
    "/history": history,
    "/entities": entities,
    "/entity": entity,
}
FORMS: dict[str, Handler] = {"/review": decide, "/undo": undo, "/audit/forget": forget_now, "/line": save_lines}

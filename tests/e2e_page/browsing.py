"""A daemon of a notebook, and tabs of a real browser on its page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response, sync_playwright

from bench import notebook
from bench.page_addresses import list_addresses
from bench.running_daemon import Running, running, runtime
from commonplace.cli import main
from e2e_page.runtime import find_browser

Scheme = Literal["light", "dark"]
Notebook = Literal["sample", "empty", "large"]
NOTEBOOKS: tuple[Notebook, ...] = ("sample", "empty", "large")
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LARGE_RECORDS = 6_000
WIDE, NARROW = 1_200, 360  # pixels
NOW = "2025-11-30T09:00"  # of the sample notebook
# In a container there is neither a sandbox nor much shared memory; nothing is to be asked of the network.
ARGUMENTS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update")
REBOUND = "--host-resolver-rules=MAP evil.example 127.0.0.1"  # as its owner would set it, to reach the daemon


class Served(NamedTuple):
    """A notebook, its folder and the daemon that serves it."""

    name: Notebook
    folder: Path
    daemon: Running

    def link(self) -> str:
        """A link that opens the page once."""
        return str(self.daemon.get("/page/link").json["link"])

    def addresses(self) -> list[str]:
        """Every address at which the table of pages has something to see."""
        return list_addresses(self.daemon)


class Tab:
    """A tab of a browser that was let in, and what its console said."""

    def __init__(self, served: Served, context: BrowserContext) -> None:
        self.served, self.context = served, context
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: (self.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        link = served.link()
        self.base = "{0.scheme}://{0.netloc}".format(urlsplit(link))
        answer = self.page.goto(link)
        assert answer is not None
        assert answer.status == 200, link

    def _note(self, message: ConsoleMessage) -> None:
        # A page that is an error by intent is told on the console too.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def go(self, address: str) -> Response:
        """Open an address, and wait until all that it loads is there."""
        answer = self.page.goto(self.base + address, wait_until="load")
        assert answer is not None
        return answer

    def evaluate(self, script: str, *values: Any) -> Any:
        """What a script says in the page; it is ours, so the policy of the page does not hold it up."""
        return self.page.evaluate(script, *values)


@contextmanager
def launch() -> Iterator[Browser]:
    """A real Chromium."""
    with sync_playwright() as playwright:
        arguments = [*ARGUMENTS, "--disable-sync", REBOUND]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=arguments)
        yield browser
        browser.close()


@contextmanager
def open_tab(browser: Browser, served: Served, **options: Any) -> Iterator[Tab]:
    """A tab with `scheme`, `width` and the options of a browser context (`java_script_enabled=False`)."""
    scheme, width = options.pop("scheme", "light"), options.pop("width", WIDE)
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900}, **options)
    try:
        yield Tab(served, context)
    finally:
        context.close()


@contextmanager
def serve_notebook(name: Notebook, folder: Path, *, now: str = NOW) -> Iterator[Served]:
    """A daemon of one of the notebooks, which is written into the folder."""
    if name == "sample":
        assert main(["demo", str(folder)]) == 0
    else:
        folder.mkdir(parents=True)
    if name == "large":
        notebook.write(folder, LARGE_RECORDS)
    with runtime() as place, running(folder, place, COMMONPLACE_NOW=now, COMMONPLACE_DEVICE="desk") as daemon:
        yield Served(name, folder, daemon)

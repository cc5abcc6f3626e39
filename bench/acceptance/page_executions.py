"""The hostile texts of the shared corpora on every page in a real Chromium: what the browser runs of them.

`python -m bench.acceptance.page_executions [--sample N]`. Each text of the terminal and XSS corpora (or every n-th)
becomes captures, imports, kept lines, notes in every shape of Markdown, tags, names and file names, and stands in every
parameter of an address. A browser opens the pages and what they link to, fires the events of every element, and reports
calls of `alert` and the like, requests to elsewhere, complaints of the policy, markup that is not the page's own, and
control characters that are shown raw. The same notebook without the guards (no escaping, no sanitizer, no policy) says
whether the browser would have noticed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from urllib.parse import quote, urlsplit

from bench.acceptance.measuring import Report
from bench.behaviour_parts.notebooks import SHARED
from bench.page_addresses import list_addresses
from bench.running_daemon import Running, environment, running, runtime
from commonplace import Memory
from commonplace.errors import CommonplaceError
from commonplace.serve.page.views import FORMS, PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

CORPORA = ("terminal/sequences", "xss/payloads")
# What no corpus has: overrides and isolates of the direction, which show a text in another order than it is.
BIDI = ("pay \u202e001$\u202c now", "\u2067if admin\u2069 \u2066then\u2069", "\u202ax\u202b")
NOW = "2025-11-28T10:00"
FOLDER = "notes \x1b]0;title\x07 \u202egnp.<img src=x onerror=alert(1)>"  # the name of the workspace
TEXTS_PER_NOTE, MAX_NAME = 8, 240  # texts, bytes
KEPT_SHARE = 10  # every n-th text is imported, and kept by `retain`
QUEUED, AT_ONCE = 60, 20  # kept lines that wait in the queue, and how many enter it together
TEXTS_PER_NOTEBOOK = 600  # with more the lists of a notebook, each of whose pages is opened, grow by their square
LIMITS = 2, 20  # addresses of one page of a notebook that are opened in the tab, and of one kind in frames
# The lists of one day, name, question or wish, one like another.
REPEATED = ("/today?day", "/entity?name&page", "/entity?name&older&page", "/ask?q&page", "/audit/forget?query&page")
BATCH = 40  # addresses in one call of the browser
TOGETHER, FEW = 40, 24  # texts in one address, and texts of the notebook that is asked with all of them
MIN_SEEN = 100
TIMEOUT_MS = 600_000  # of one address: `/health?check=1` reads everything
EXECUTED, ELSEWHERE, POLICY = "executions", "requests to elsewhere", "complaints of the policy"
MARKUP, RAW, FAULT = "markup that is not the page's", "texts with control characters", "faults"
READ_TOKEN = """async () => (await (await fetch("/audit")).text()).match(/name="token" value="([0-9a-f]+)"/)[1]"""
ARGUMENTS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking")
STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # LF is the end of a line
DATA = Path(__file__).parent / "data"
SCRIPT = DATA / "page_executions.js"
# The shapes of Markdown in which each text stands in a note, and the addresses that have it in their parameters; what
# begins with `post` is sent as a form.
SHAPES, ADDRESSES = json.loads((DATA / "page_executions.json").read_bytes()).values()
UNGUARDED = "bench.acceptance.page_executions"  # as a program it serves, with the guards taken away
Links = list[tuple[str, bool]]  # an address, and whether it is that of the next page


def corpus_texts(every: int = 1) -> list[str]:
    """The texts of the corpora, each once: those for terminals, and every n-th of the others."""
    packed = (SHARED / "corpora" / f"{name}.jsonl.gz" for name in CORPORA)
    rows = (gzip.decompress(path.read_bytes()).splitlines() for path in packed)
    terminal, xss = ([json.loads(line)["text"] for line in lines] for lines in rows)
    return list(dict.fromkeys([*BIDI, *terminal, *xss[::every]]))


def write_notebook(root: Path, texts: Sequence[str]) -> Counter[str]:
    """Write the texts into a workspace in every way; how many entered in each."""
    counts = Counter({"in notes, as tags and as names": len(texts)})
    kept = []
    for number, text in enumerate(texts[::KEPT_SHARE]):
        _write(root.with_name("imported") / f"{number}.md", f"- {text}\n")
    root.mkdir()
    with Memory.open(root) as memory:
        for number, text in enumerate(texts):
            origin = "untrusted" if number % 2 else "trusted"
            try:
                memory.capture(text, session=f"{text[:40]} {number // 50}", origin=origin, now=NOW)
                counts["captured"] += 1
                if number % KEPT_SHARE == 0:
                    kept.append(memory.retain(text, now=NOW).record.id)
                    counts["retained"] += 1
            except CommonplaceError as error:
                counts[f"refused: {type(error).__name__}"] += 1
        counts["imported"] = memory.import_from(str(root.with_name("imported")), apply=True).ingest_result.captured
        for first in range(0, min(QUEUED, len(kept)), AT_ONCE):
            memory.propose_forget(references=kept[first : first + AT_ONCE])
        memory.forget(references=kept[-1:], apply=True, now=NOW)
    for first in range(0, len(texts), TEXTS_PER_NOTE):
        some = texts[first : first + TEXTS_PER_NOTE]
        _write(root / f"notes/{first}.md", "\n\n".join(shape.replace("{}", one) for one in some for shape in SHAPES))
        quoted = ", ".join(map(json.dumps, some))
        keys = "".join(f"{key}: [{quoted}]\n" for key in ("tags", "aliases", "participants"))
        _write(root / f"bank/entities/{first}.md", f"---\ntitle: {json.dumps(some[0])}\n{keys}---\n\nIs known.\n")
        names = "\n".join(f"- W @{json.dumps(text, ensure_ascii=False)}: Is known. #{text}" for text in some)
        _write(root / f"memory/2025-01-01-{first}.md", f"# Names\n\n## Retain\n{names}\n")
    for text in texts:
        if "/" not in text and "\0" not in text and len(text.encode()) < MAX_NAME:
            _write(root / "files" / f"{text}.md", f"# {text}\n\n- {text}\n")
            counts["as file names"] += 1
    return counts


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@contextmanager
def serving(root: Path, *, guarded: bool = True) -> Iterator[Running]:
    """The daemon of the notebook; its page has no guards where they are taken away."""
    module = "commonplace" if guarded else UNGUARDED
    with Memory.open(root) as memory:  # of the whole corpora this takes longer than the daemon is waited for
        memory.sync()
    with runtime() as place, running(root, place, module=module, COMMONPLACE_NOW=NOW) as daemon:
        daemon.ask("pack", text="alert", receipt=True)
        yield daemon


def printed_raw(root: Path, daemon: Running) -> int:
    """How many characters that steer a terminal `commonplace page` prints of a notebook, and of one that is missing."""
    command = [sys.executable, "-m", "commonplace", "page", "--print", "--workspace"]
    seen = environment(Path(daemon.path).parents[1])  # which is the folder of its socket
    given = [[str(at), *more] for at in (root, root / "none") for more in ([], ["--json"])]
    runs = [subprocess.run([*command, *one], env=seen, capture_output=True) for one in given]
    return sum(len(STEERING.findall((run.stdout + run.stderr).decode())) for run in runs)


def serve_unguarded() -> int:
    """Serve a page that escapes nothing, lets every tag through and has no policy."""
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    from commonplace import cli
    from commonplace.serve.page import app, rendering

    class Bare(rendering.Environment):
        """Templates without escaping."""

        def __init__(self, **options: object) -> None:
            super().__init__(**{**options, "autoescape": False})

    bare = MarkdownIt("commonmark").enable("table")
    bare.validateLink = lambda _address: True
    headers = [header for header in app.PAGE_HEADERS if header[0] != b"content-security-policy"]
    with (
        patch.object(rendering, "Environment", Bare),
        patch.object(rendering, "render_file", lambda file, _here=0: Markup(bare.render(file["text"]))),
        patch.object(app, "PAGE_HEADERS", tuple(headers)),
    ):
        return cli.main(sys.argv[1:])


class Watcher:
    """A tab on the page of a notebook, and everything in it that must not be."""

    def __init__(self, browser: Browser, daemon: Running) -> None:
        self.found: Counter[tuple[str, str]] = Counter()  # what was seen where
        self.examples: dict[tuple[str, str], str] = {}
        self.visited: Counter[str] = Counter()
        self._at = ""
        self.daemon, self.context = daemon, browser.new_context()
        self.context.expose_binding("__ran", lambda _source, name, given: self._note(EXECUTED, f"{name}({given})"))
        self.context.add_init_script(path=SCRIPT)
        self.context.set_default_timeout(TIMEOUT_MS)
        self.tab = self.context.new_page()
        self.tab.on("dialog", lambda dialog: (self._note(EXECUTED, f"dialog {dialog.message}"), dialog.dismiss()))
        self.tab.on("pageerror", lambda error: self._note(FAULT, str(error)))
        self.tab.on("console", lambda said: "Content Security" in said.text and self._note(POLICY, said.text))
        link = str(daemon.get("/page/link").json["link"])
        self.base = "{0.scheme}://{0.netloc}".format(urlsplit(link))
        self.context.route(lambda address: not address.startswith((self.base + "/", "data:")), self._refuse)
        self.tab.goto(link)
        self.tab.goto(self.base + "/ask")  # without guards a text of Today may have moved the base of addresses
        self.token = str(self.tab.evaluate(READ_TOKEN))

    def _refuse(self, route: Route) -> None:
        self._note(ELSEWHERE, route.request.url)
        route.abort()

    def _note(self, kind: str, what: str) -> None:
        key = kind, _path_of(self._at)
        self.found[key] += 1
        self.examples.setdefault(key, f"{what[:160]!a} at {self._at[:160]!a}")

    def total(self, kind: str) -> int:
        """How often something of this kind was seen."""
        return sum(count for (what, _path), count in self.found.items() if what == kind)

    def open(self, address: str) -> Links:
        """Open an address in the tab, fire its events, and look at it; what it links to."""
        self._at = address
        answer = self.tab.goto(self.base + address)
        seen = self.tab.evaluate("() => __look(document)")
        if not self.tab.url.startswith(self.base + "/"):
            self._note(ELSEWHERE, self.tab.url)
        return self._judge(address, answer.status if answer else 0, seen)

    def open_frames(self, addresses: Sequence[str]) -> Links:
        """Open addresses in frames of the tab, as they are sent and below the same policy; what they link to."""
        links: Links = []
        for first in range(0, len(addresses), BATCH):
            some = addresses[first : first + BATCH]
            self._at = some[0]
            looks = self.tab.evaluate("([addresses, token]) => __lookAt(addresses, token)", [some, self.token])
            for self._at, seen in zip(some, looks, strict=True):
                links += self._judge(self._at, seen["status"], seen)
        return links

    def _judge(self, address: str, status: int, seen: dict[str, Any]) -> Links:
        path = _path_of(address)
        self.visited[path if path in (*PAGES, *FORMS) else "addresses of no page"] += 1
        if status >= 500 or not status:
            self._note(FAULT, f"status {status}")
        for kind, name in ((MARKUP, "markup"), (RAW, "raw")):
            for what in seen[name]:
                self._note(kind, what)
        return [(address, is_next) for address, is_next in seen["links"]]


def _path_of(address: str) -> str:
    return address.removeprefix("post ").partition("?")[0]


def crawl(watcher: Watcher, limits: tuple[int, int] = LIMITS) -> None:
    """Open every page and what it links to: all pages of whole lists and all files, of other kinds of links so many."""
    waiting, (opened, framed) = list_addresses(watcher.daemon), limits
    known = set(waiting)
    counts: Counter[str] = Counter()
    while waiting:
        some, waiting = waiting[:BATCH], waiting[BATCH:]
        direct = [one for one in some if counts[_path_of(one)] < opened]
        counts.update(map(_path_of, direct))
        links = [link for one in direct for link in watcher.open(one)]
        for address, is_next in links + watcher.open_frames([one for one in some if one not in direct]):
            kind = re.sub(r"=[^&]*", "", address)
            is_wanted = (is_next and kind not in REPEATED) or kind == "/file?path" or counts[kind] < framed
            if _path_of(address) in PAGES and is_wanted and address not in known:
                counts[kind] += 1
                known.add(address)
                waiting.append(address)


def fill(texts: Sequence[str], example: str) -> Iterator[str]:
    """The addresses with texts in them: each has all texts, some at a time, and in turn one by itself."""
    together = [" ".join(texts[first : first + TOGETHER]) for first in range(0, len(texts), TOGETHER)]
    pairs = [(address, text) for text in together for address in ADDRESSES]
    pairs += [(ADDRESSES[number % len(ADDRESSES)], text) for number, text in enumerate(texts)]
    for address, text in pairs:
        yield address.replace("{path}", example).replace("{}", quote(text, safe=""))


@contextmanager
def launched() -> Iterator[Browser]:
    """A real Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=[*ARGUMENTS])
        yield browser
        browser.close()


@contextmanager
def watching(browser: Browser, root: Path, *, guarded: bool = True) -> Iterator[Watcher]:
    """A watcher of a notebook, which a daemon serves."""
    with serving(root, guarded=guarded) as daemon:
        watcher = Watcher(browser, daemon)
        yield watcher
        watcher.context.close()


def watch(
    browser: Browser, folder: Path, texts: Sequence[str], report: Report, limits: tuple[int, int] = LIMITS
) -> None:
    """Write the notebooks, open their pages with the guards and without, and report both."""
    watchers: list[Watcher] = []
    counts = Counter[str]()
    for number, first in enumerate(range(0, len(texts), TEXTS_PER_NOTEBOOK)):
        large = folder / str(number) / FOLDER
        counts += write_notebook(large, texts[first : first + TEXTS_PER_NOTEBOOK])
        with watching(browser, large) as reader:
            crawl(reader, limits)
        watchers.append(reader)
        print(f"read {counts['captured']} texts, {reader.total(EXECUTED)} {EXECUTED}", file=sys.stderr, flush=True)
    for how, count in counts.items():
        report.add(f"texts {how}", f"{count} of {len(texts)}")
    small = folder / "small" / FOLDER
    write_notebook(small, texts[:: -(-len(texts) // FEW)])
    with watching(browser, small) as asker:
        asker.open_frames([*fill(texts, "files")])
        report.at_most("control characters printed by the command", printed_raw(small, asker.daemon), 0)
    watchers.append(asker)
    for kind in (EXECUTED, ELSEWHERE, POLICY, MARKUP, RAW, FAULT):
        report.at_most(kind, sum(one.total(kind) for one in watchers), 0)
    for path, count in sorted(sum((one.visited for one in watchers), Counter[str]()).items()):
        report.add(f"opened of {path}", count)
    for watcher in watchers:
        for (kind, path), count in sorted(watcher.found.items()):
            report.add(f"{kind} at {path}", f"{count}, such as {watcher.examples[kind, path]}")
    with watching(browser, small, guarded=False) as bare:
        crawl(bare, limits)
        report.at_least("executions without the guards", bare.total(EXECUTED), MIN_SEEN)


def main() -> int:
    """Print the figures beside their bounds; 1 where one is beyond."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sample", type=int, default=1, help="every n-th text of the XSS corpus")
    sample, report, start = parser.parse_args().sample, Report(), perf_counter()
    if not (SHARED / "corpora").is_dir():
        print(f"no shared corpora at {SHARED}: nothing was opened", file=sys.stderr)
        return 1
    os.fsync = lambda _descriptor: None
    os.environ["COMMONPLACE_VECTORS"] = "off"
    with tempfile.TemporaryDirectory(prefix="commonplace-page-") as folder, launched() as browser:
        watch(browser, Path(folder), corpus_texts(sample), report)
    report.add("seconds", round(perf_counter() - start))
    return int(report.is_beyond)


if __name__ == "__main__":
    sys.exit(serve_unguarded() if "serve" in sys.argv[1:2] else main())

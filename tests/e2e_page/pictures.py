"""`make pictures`: the two pictures of the page in the README, from the sample notebook, in both themes.

Beside each stands what can be read in it, because a picture differs with the fonts of a machine and its words do not.
"""

from __future__ import annotations

import base64
import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from e2e_page.runtime import what_is_missing

FOLDER = Path(__file__).parents[2] / "docs/pictures"
PAGES = {"today": "/today", "ask": "/ask?q=who+is+allergic+to+walnut%3F"}
NOW = "2025-11-29T23:45"  # the last day of the sample notebook
SIZE = {"width": 880, "height": 600}  # pixels, of two dots each
QUALITY = 0.8
# Every text that stands in the picture, in the order of the page.
WORDS = """() => {
    const range = document.createRange(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const lines = [];
    while (walker.nextNode()) {
        if (!walker.currentNode.parentElement.checkVisibility() || walker.currentNode.parentElement.closest(".hidden, .skip")) continue;
        range.selectNodeContents(walker.currentNode);
        const box = range.getBoundingClientRect(), words = walker.currentNode.data.trim().replaceAll(/\\s+/g, " ");
        if (words && box.top >= 0 && box.bottom <= innerHeight) lines.push(words);
    }
    return lines.join("\\n") + "\\n";
}"""
AS_WEBP = """async ([png, quality]) => {
    const image = new Image();
    image.src = "data:image/png;base64," + png;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


class Picture(NamedTuple):
    """A page as it is seen in one theme, and the words in it."""

    name: str
    webp: bytes
    words: str


def take_pictures(folder: Path) -> list[Picture]:
    """Both pages in both themes, of a sample notebook that is written into the folder."""
    from e2e_page.browsing import SCHEMES, launch, open_tab, serve_notebook

    taken = []
    with serve_notebook("sample", folder, now=NOW) as served, launch() as browser:
        plain = browser.new_page()  # the policy of the notebook's own pages allows no image that a script makes
        for scheme in SCHEMES:
            with open_tab(browser, served, scheme=scheme, device_scale_factor=2, locale="en-GB") as tab:
                tab.page.set_viewport_size(SIZE)
                for name, address in PAGES.items():
                    tab.go(address)
                    tab.page.evaluate("document.fonts.ready")
                    if name == "today":
                        tab.page.locator(".plot canvas").wait_for()
                    png = base64.b64encode(tab.page.screenshot()).decode()
                    webp = base64.b64decode(plain.evaluate(AS_WEBP, [png, QUALITY]))
                    taken.append(Picture(f"{name}-{scheme}", webp, tab.evaluate(WORDS)))
    return taken


def words_path(picture: Picture) -> Path:
    """Where the words of a picture are kept; both themes have the same."""
    return FOLDER / f"{picture.name.partition('-')[0]}.txt"


def main() -> None:
    """Write the pictures and their words into the docs."""
    if missing := what_is_missing():
        sys.exit(f"make pictures: {missing}; `make e2e-page` installs what is missing, but for the browser")
    os.environ["COMMONPLACE_VECTORS"] = "off"
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for picture in take_pictures(Path(folder) / "notes"):
            (FOLDER / f"{picture.name}.webp").write_bytes(picture.webp)
            words_path(picture).write_text(picture.words, encoding="utf-8")
            sys.stderr.write(f"docs/pictures/{picture.name}.webp: {len(picture.webp):,} bytes\n")


if __name__ == "__main__":
    main()

"""The pictures in the README show what the page is: they are taken again, and compared."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from e2e_page.pictures import FOLDER, PAGES, take_pictures, words_path
from e2e_page.runtime import what_is_missing

if TYPE_CHECKING:
    from playwright.sync_api import Page

HINT = "the page has changed: run `make pictures`, look at them, and commit them"
MAX_BYTES = 150_000
# The mean difference of two pictures, of 255, each drawn small: fonts that differ are not seen so, colours and parts are.
DIFFERENCE = """async (pictures) => {
    const small = [];
    for (const one of pictures) {
        const image = new Image();
        image.src = "data:image/webp;base64," + one;
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), {width: 22, height: 15});
        const context = canvas.getContext("2d");
        context.imageSmoothingQuality = "high";
        context.drawImage(image, 0, 0, 22, 15);
        small.push({size: [image.width, image.height], dots: context.getImageData(0, 0, 22, 15).data});
    }
    const [a, b] = small;
    const differences = [...a.dots].map((dot, place) => Math.abs(dot - b.dots[place]));
    return [String(a.size) === String(b.size), differences.reduce((one, other) => one + other) / differences.length];
}"""
MOST = 3.5  # of 255: other fonts make 2.7, and a plot that is missing makes 5.7
FEWEST = 0.75  # of the words


def difference(page: Page, one: bytes, other: bytes) -> float:
    """How far two pictures of one size differ."""
    is_one_size, mean = page.evaluate(DIFFERENCE, [base64.b64encode(each).decode() for each in (one, other)])
    assert is_one_size, HINT
    return float(mean)


@pytest.mark.e2e
def test_the_pictures_are_those_of_the_page_as_it_is(tmp_path: Path) -> None:
    if missing := what_is_missing():
        pytest.skip(f"{missing}: the pictures were not compared")
    from e2e_page.browsing import launch

    taken = take_pictures(tmp_path / "notes")
    assert sorted(picture.name for picture in taken) == sorted(path.stem for path in FOLDER.glob("*.webp"))
    with launch() as browser:
        page = browser.new_page()
        for picture in taken:
            kept = (FOLDER / f"{picture.name}.webp").read_bytes()
            told, known = picture.words.split("\n"), words_path(picture).read_text(encoding="utf-8").split("\n")
            seen = min(len(told), len(known))  # where fonts are larger, less is seen
            assert told[: seen - 1] == known[: seen - 1], HINT
            assert seen > FEWEST * max(len(told), len(known)), HINT
            assert difference(page, picture.webp, kept) < MOST, f"{picture.name}: {HINT}"
            assert len(kept) <= MAX_BYTES


def test_the_readme_shows_the_pictures_in_both_themes() -> None:
    readme = (FOLDER.parents[1] / "README.md").read_text(encoding="utf-8")
    for name in PAGES:
        for scheme in ("light", "dark"):
            assert f"docs/pictures/{name}-{scheme}.webp" in readme
    assert readme.count("<picture>") == len(PAGES)
    assert "make pictures" in readme

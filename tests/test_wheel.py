"""The wheel: what hosts load from us is in it, and what is installed from it finds that."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from commonplace.bridges.hosts import find_plugin_folder, locations
from commonplace.errors import CommonplaceError

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
DATA = "commonplace/hosts/data"
FIND = "from commonplace.bridges.hosts import find_plugin_folder; print(find_plugin_folder('openclaw'))"


def run(*words: str, folder: Path, **variables: str) -> str:
    done = subprocess.run(words, cwd=folder, env=os.environ | variables, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this tree, with a plugin in it even where there is none yet."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("src", "integrations", "docs/reference/schemas"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, tree / name)
    (tree / "integrations/openclaw").mkdir(exist_ok=True)
    (tree / "integrations/openclaw/also.txt").write_text("shipped\n", "utf-8")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-deps", "--no-build-isolation")
    run(*pip, "--quiet", "--wheel-dir", str(tree / "out"), ".", folder=tree, PYTHONPATH="")
    (path,) = (tree / "out").iterdir()
    return path


def test_the_wheel_holds_every_file_that_hosts_load(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    ours = {path.relative_to(ROOT / "integrations") for path in (ROOT / "integrations").rglob("*") if path.is_file()}
    assert Path("README.md") in ours
    assert {f"{DATA}/{path}" for path in ours if "node_modules" not in path.parts} <= held
    assert f"{DATA}/openclaw/also.txt" in held
    package = {path.relative_to(ROOT / "src") for path in (ROOT / "src/commonplace/data").rglob("*") if path.is_file()}
    assert Path("commonplace/data/languages/shared.json") in package
    assert set(map(str, package)) <= held


def test_what_is_installed_from_the_wheel_finds_them(wheel: Path, tmp_path: Path) -> None:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-deps", "--quiet")
    run(*pip, "--target", str(tmp_path / "site"), str(wheel), folder=tmp_path, PYTHONPATH="")
    found = run(sys.executable, "-c", FIND, folder=tmp_path, PYTHONPATH=str(tmp_path / "site")).strip()
    assert found == str(tmp_path / "site" / DATA / "openclaw")
    assert (Path(found) / "also.txt").read_text("utf-8") == "shipped\n"


def test_the_repository_is_looked_at_where_there_is_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(ROOT / "integrations") == locations._REPOSITORY
    (tmp_path / "openclaw").mkdir()
    monkeypatch.setattr(locations, "_REPOSITORY", str(tmp_path))
    assert find_plugin_folder("openclaw") == str(tmp_path / "openclaw")
    with pytest.raises(CommonplaceError, match="'gone' is not in this installation"):
        find_plugin_folder("gone")

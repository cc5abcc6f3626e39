"""Recall quality on the dev halves, with the harness that came with them: of daily logs, and of captured turns."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from bench.adapter import Embedded, captured, factory

SHARED = Path(os.environ.get("COMMONPLACE_SHARED", Path(__file__).parents[2] / "shared"))


def run(names: tuple[str, ...] = ("locomo", "lme_pool", "madial_en")) -> None:
    """Print recall, session and pack figures for each set; says so when the sets are not there.

    `--vectors=FOLDER` measures with the local model of that folder; what it embeds is kept between runs.
    `--sets=NAME,NAME` measures these sets alone.
    """
    if not (SHARED / "bench").is_dir():
        print(f"no benchmark sets at {SHARED}: quality was not measured")
        return
    harness = _harness()
    folder = option("vectors")
    options = {"embedded": Embedded(folder)} if folder else {}
    for name in option("sets").split(",") if option("sets") else names:
        for label, make in (("daily logs", factory), ("captured", captured)):
            result = harness.evaluate(make, harness.Data(name, str(SHARED / "bench")), "all", 50, options)
            print(f"{label}: {summary(result)}", flush=True)


def option(name: str) -> str:
    """The value of `--name=VALUE` on the command line; empty without one."""
    given = [word for word in sys.argv[1:] if word.startswith(f"--{name}=")]
    return given[-1].partition("=")[2] if given else ""


def summary(result: dict[str, Any]) -> str:
    """The figures that the project is judged by, on one line."""
    figures = {key: result[key] for key in ("r@5", "r@10", "r@50", "ndcg@10", "mrr", "tok@1000")}
    sessions = {f"session {key}": result["sess"][key] for key in ("hit@5", "all@5", "r@5", "r@10")}
    parts = [f"{key} {value:.2f}" for key, value in (figures | sessions).items()]
    latency = result["lat_ms"]
    speed = f"p50 {latency['p50']} ms, p95 {latency['p95']} ms"
    return f"{result['dataset']} (dev, n={result['n']}): {' · '.join(parts)} · {speed}"


def _harness() -> Any:
    spec = importlib.util.spec_from_file_location("harness", SHARED / "bench" / "harness.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

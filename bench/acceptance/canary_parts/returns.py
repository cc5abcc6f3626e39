"""The ways in which what was forgotten could come back: captured again, from another device, from a backup."""

from __future__ import annotations

import io
import json
import shutil
from collections import Counter
from pathlib import Path

from bench.acceptance.canary_parts import scanner
from bench.acceptance.canary_parts.comparison import report_hits
from bench.acceptance.canary_parts.notebook import NOTE_FILES, NOW, OTHER, OWN, Builder, canaries_of, opened
from bench.acceptance.canary_parts.run import Run, command, leaking, show
from bench.acceptance.measuring import Report
from commonplace import Memory
from commonplace.capture import Event

NEVER_SAID = ("question", "model answer", "leftover", "detail")  # their sentences are in no text that was captured


def come_back(run: Run, builder: Builder, copy: Path, report: Report) -> None:
    """Give everything to the notebook again, then let the other device's older files arrive."""
    with opened(run.root, OWN) as memory:
        capture_again(memory, builder)
        memory.consolidate(apply=True, now=NOW)
        report.at_most("answers with a canary after all was captured again", leaking(memory, run.size), 0)
        report_hits(report, "hits after all was captured again", run, run.scan())
    with opened(copy, OTHER) as other:
        other.capture("The old copy goes on by itself.", session="phone-alone", now=NOW)
    for path in sorted((copy / ".memory").rglob(f"*{OTHER}*")):
        if path.is_file() and "sync-conflict" not in path.name:
            place = run.root / path.relative_to(copy)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    settle(run, report, "the older journals of the other device")
    for name in (*NOTE_FILES, "MEMORY.md", "memory/2026-09-07.md"):
        shutil.copy(copy / name, run.root / name)
    settle(run, report, "older pages of the other device")


def capture_again(memory: Memory, builder: Builder) -> None:
    """Give a notebook everything once more: the same events and transcripts, and each sentence without a key."""
    sentences = [one.sentence for one in canaries_of(builder.size) if one.store not in NEVER_SAID]
    bare = [Event(text=one, session="again", ts="2026-11-19T10:00:00") for one in sentences]
    memory.capture_all([*builder.own_events(), *builder.consolidated_events(), *bare], now=NOW)
    builder.ingest(memory)
    rows = [{"ts": "2026-11-19T11:00", "actor": "owner", "session": "r", "text": one} for one in sentences]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    memory.ingest(io.BytesIO(lines.encode()), format="jsonl", name="again.jsonl", now=NOW)


def settle(run: Run, report: Report, what: str) -> None:
    """What our sync and our upkeep make of files that arrived."""
    with opened(run.root, OWN) as memory:
        memory.sync()
        report.at_most(f"answers with a canary after {what}", leaking(memory, run.size), 0)
        done = command(run.root, "forget", "--due", "--apply")
        report.add("`forget --due --apply`", done.returncode, "0", holds=not done.returncode)
        memory.consolidate(apply=True, now=NOW)
        problems = Counter(one.code for one in memory.check().problems)
        report.add(f"problems of `check` after {what}", dict(problems))
    report_hits(report, f"hits after {what}", run, run.scan())


def verify_manifests(run: Run, manifests: list[str], report: Report) -> None:
    """`forget --verify`, as things are, and after a canary was put back."""
    if not manifests:
        report.add("manifests", 0, "> 0", holds=False)
        return
    chosen = manifests[:: max(1, len(manifests) // 5)]
    codes = [command(run.root, "forget", "--verify", path).returncode for path in chosen]
    report.add("manifests verified", f"{codes.count(0)} of {len(chosen)}", "all", holds=not any(codes))
    back = run.root / "notes/back.md"
    back.write_text("".join(f"- {one.sentence}\n" for one in canaries_of(run.size)), encoding="utf-8")
    codes = [command(run.root, "forget", "--verify", path).returncode for path in chosen]
    back.unlink()
    report.add(
        "manifests that see what came back", f"{len(chosen) - codes.count(0)} of {len(chosen)}", "all", holds=all(codes)
    )


def make_backup(run: Run, report: Report) -> Path | None:
    """A backup of the notebook with its canaries."""
    target = run.top / "backup"
    done = command(run.root, "backup", str(target))
    if done.returncode:
        report.add("backup", f"skipped: {(done.stderr.splitlines() or ['nothing was said'])[-1]}")
        return None
    return target


def restore_backup(run: Run, backup: Path | None, manifests: list[str], report: Report) -> None:
    """What a backup brings back that was made before anything was forgotten."""
    if backup is None:
        return
    newest = ("--manifest", str(run.root / manifests[-1])) if manifests else ()
    for number, options in enumerate(((), newest)):
        target = run.top / f"restored-{number}"
        done = command(target, "restore", str(backup), str(target), *options)
        if done.returncode:
            report.add("restore", done.stderr.strip()[-200:], "exit code 0", holds=False)
            continue
        with opened(target, OWN) as memory:
            report.at_most("answers with a canary of a restored backup", leaking(memory, run.size), 0)
            memory.consolidate(apply=True, now=NOW)
        hits = scanner.scan([target])
        report.at_most(f"hits in a restored backup {options[:1]}", len(hits), 0)
        show(f"{count} in {place}" for place, count in scanner.by_store(hits, target).most_common())

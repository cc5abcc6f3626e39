"""What the program does, recorded and compared: `python -m bench behaviour record DIR`, later `… compare DIR`.

For work that must change nothing: a program is recorded before it, and compared after it. It is asked from outside, by
the command, stdio, HTTP and MCP, and by `Memory` for what only that gives; no module within is imported, so all of them
can be renamed. A recording is a file of lines for each part, byte for byte the same for the same program.

`--only=recall,packs` takes these parts alone, `--quick` a sample of each in half a minute, which is compared with a
whole recording too. Messages, hints and what is printed for people lie in files of their own, and are compared only
with `--wording`. Exit code 1: something differs.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import commonplace
from bench.behaviour_parts import (
    commands,
    consolidations,
    imports,
    library,
    lists,
    packs,
    recall,
    served,
    temporal,
    vectors,
    wording,
)
from bench.behaviour_parts.asking import Desk

if __name__ == "__main__":  # `python -m bench.behaviour`: also while another bench cannot be imported
    sys.argv.insert(1, "behaviour")


Part = Callable[[Desk, bool], Iterator[tuple[str, Any]]]
PARTS: dict[str, Part] = {
    "recall": recall.run,
    "packs": packs.run,
    "times": temporal.run,
    "consolidations": consolidations.run,
    "commands": commands.run,
    "imports": imports.run,
    "vectors": vectors.run,
    "served": served.run,
    "library": library.run,
    "lists": lists.run,
    "wording": wording.run,
}
ONLY_WORDS = ("wording",)
EXAMPLES = 3
WORDS = ("message", "hint", "notes", "says", "why", "printed", "script", "verified")
STREAM = "err"  # words, unless they are JSON
WORDS_BELOW = {"examples": ("reason",)}
TOLD = "commonplace.tool.v1"  # its text is for a model; the same stands in `details`
MOST = 160  # characters of a value that are shown


def run() -> None:
    """Record, or compare, as the command line says; ends with exit code 1 where something differs."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")][1:]
    if len(words) != 2 or words[0] not in ("record", "compare"):
        print("usage: python -m bench behaviour record|compare DIR [--only=PART,…] [--quick] [--wording]")
        print(f"parts: {', '.join(PARTS)}")
        raise SystemExit(2)
    act, folder, names = words[0], Path(words[1]), _chosen()
    if act == "compare" and (missing := [name for name in names if not (folder / f"{name}.jsonl").exists()]):
        raise SystemExit(f"not recorded in {folder}: {', '.join(missing)}")
    folder.mkdir(parents=True, exist_ok=True)
    print(f"asking {Path(commonplace.__file__).parent}")
    found = sum(_done(act, folder, name) for name in names)
    if act == "compare":
        print(f"{found} differences" if found else "nothing differs")
    raise SystemExit(1 if found else 0)


def _chosen() -> list[str]:
    only = [word.partition("=")[2].split(",") for word in sys.argv if word.startswith("--only=")]
    known = {"--quick", "--wording", *(word for word in sys.argv if word.startswith("--only="))}
    unknown = [word for word in sys.argv if word.startswith("--") and word not in known]
    unknown += [name for name in (only[-1] if only else ()) if name not in PARTS]
    if unknown:
        raise SystemExit(f"not known: {', '.join(unknown)}; parts are {', '.join(PARTS)}")
    with_words = "--wording" in sys.argv or "record" in sys.argv
    return [name for name in PARTS if (name in only[-1] if only else with_words or name not in ONLY_WORDS)]


def _done(act: str, folder: Path, name: str) -> int:
    """Record a part, or compare it; how many differences there are."""
    before = _seconds()
    asked: dict[str, Any] = {}
    said: dict[str, Any] = {}
    broken = 0
    try:
        with tempfile.TemporaryDirectory(prefix="cpl-") as place:
            for label, value in PARTS[name](Desk(Path(place)), "--quick" in sys.argv):
                assert label not in asked, label
                asked[label], spoken = ({}, value) if name in ONLY_WORDS else apart(value)
                if spoken:
                    said[label] = spoken
    except Exception:  # noqa: BLE001 - a part that breaks off is a difference, and the others go on
        traceback.print_exc()
        broken = 1
    print(f"{name}: {len(asked)} asked, {_seconds() - before:.0f} s of CPU", flush=True)
    if act == "record":
        _write(folder / f"{name}.jsonl", asked)
        _write(folder / f"{name}.words.jsonl", said)
        return broken
    found = broken + _told(name, _read(folder / f"{name}.jsonl"), asked)
    if "--wording" in sys.argv:
        found += _told(f"{name}, words", _read(folder / f"{name}.words.jsonl"), said)
    return found


def apart(value: Any, above: str = "") -> tuple[Any, Any]:
    """A value with its words for people taken out, and these words by themselves."""
    if isinstance(value, list):
        pairs = [apart(one, above) for one in value]
        return [kept for kept, _ in pairs], [said for _, said in pairs if said]
    if not isinstance(value, dict):
        return value, None
    kept: dict[str, Any] = {}
    said: dict[str, Any] = {}
    for key, one in value.items():
        if _are_words(key, one, value):
            kept[key], words = _silent(one), one
        elif key == "skipped" and _are_counts(one):  # how many, by reasons in words
            kept[key], words = sorted(one.values()), one
        elif key in WORDS_BELOW.get(above, ()):
            kept[key], words = _silent(one), one
        else:
            kept[key], words = apart(one, key)
        if words:
            said[key] = words
    return kept, said


def _are_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(many, int) for many in value.values())


def _are_words(key: str, value: Any, whole: dict[str, Any]) -> bool:
    if isinstance(value, dict):
        return False
    spoken = key == "text" and whole.get("schema") == TOLD
    return key in WORDS or spoken or (key == STREAM and isinstance(value, str))


def _silent(value: Any) -> Any:
    return [_silent(one) for one in value] if isinstance(value, list) else "…" if value else value


def _write(path: Path, values: dict[str, Any]) -> None:
    lines = (json.dumps([label, value], ensure_ascii=False) + "\n" for label, value in values.items())
    path.write_text("".join(lines), encoding="utf-8", errors="surrogatepass")


def _read(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8", errors="surrogatepass", newline="\n") as file:
        return dict(json.loads(line) for line in file)


def _told(name: str, before: dict[str, Any], after: dict[str, Any]) -> int:
    """Print each kind of difference with how often it occurs and the first of it; how many there are."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for label, value in after.items():
        if label not in before:
            kinds["asked now, and not before"].append(label)
            continue
        if json.dumps(before[label]) != json.dumps(value):
            for kind, example in differences(before[label], value) or [("the order of keys", "")]:
                kinds[kind].append(f"{label}: {example}")
    for label in before if "--quick" not in sys.argv else ():
        if label not in after:
            kinds["asked before, and not now"].append(label)
    for kind, examples in kinds.items():
        print(f"{name}: {kind}: {len(examples)} times")
        print("".join(f"    {one}\n" for one in examples[:EXAMPLES]), end="")
    return sum(len(examples) for examples in kinds.values())


def differences(before: Any, after: Any, where: str = "") -> list[tuple[str, str]]:
    """What differs within two values: the kind (where, without numbers), and what it was and is."""
    if isinstance(before, dict) and isinstance(after, dict):
        gone = [(f"{where}.{key} is gone", _short(before[key])) for key in before if key not in after]
        new = [(f"{where}.{key} is new", _short(after[key])) for key in after if key not in before]
        both = [key for key in before if key in after]
        return gone + new + [one for key in both for one in differences(before[key], after[key], f"{where}.{key}")]
    if isinstance(before, list) and isinstance(after, list):
        found = [one for pair in zip(before, after, strict=False) for one in differences(*pair, f"{where}[]")]
        if len(before) != len(after):
            found.insert(0, (f"{where} has another length", f"{len(before)}, now {len(after)}"))
        return found
    same = type(before) is type(after) and before == after
    return [] if same else [(where or "the value", _changed(before, after))]


def _changed(before: Any, after: Any) -> str:
    """Both values, from shortly before where they part."""
    if not (isinstance(before, str) and isinstance(after, str)):
        return f"{_short(before)}, now {_short(after)}"
    place = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), 0)
    start = max(0, place - 40)
    return f"{_short(before[start:])}, now {_short(after[start:])}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST else f"{text[:MOST]}…"


def _seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


if __name__ == "__main__":
    run()

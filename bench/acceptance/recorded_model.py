"""A program that answers the prompts of language models from recorded replies; the settings name it as `command`.

`python recorded_model.py REPLIES [FOLDER]`: a prompt that has no reply is written to the folder, and answered with
nothing to keep. A reply is found by the digest of its prompt, and holds no text of a set: quotes are places in turns.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

# How the provider `command` goes on behind a prompt
SCHEMA_MARK = "\n\nAnswer with one JSON document of this JSON schema, and nothing else:\n"


def prompt_digest(prompt: str) -> str:
    """The key of a prompt."""
    return hashlib.sha256(prompt.encode()).hexdigest()[:20]


def turns_of(prompt: str) -> dict[str, str]:
    """The words of the turns of a prompt, by their ids."""
    objects = [json.loads(line) for line in prompt.split("\n") if line.startswith("{")]
    return {one["id"]: one["text"] for one in objects if "id" in one and "text" in one}


def with_places(answer: dict[str, Any], prompt: str) -> dict[str, Any]:
    """An answer with the turn and the offsets of each quote in place of its words; None where it is in no turn."""
    turns = turns_of(prompt)
    return answer | {"claims": [one | {"quote": _place_of(one["quote"], turns)} for one in answer["claims"]]}


def _place_of(quote: str, turns: dict[str, str]) -> list[Any] | None:
    found = ((turn, text.find(quote)) for turn, text in turns.items())
    return next(([turn, at, at + len(quote)] for turn, at in found if at >= 0 and quote), None)


def with_quotes(answer: dict[str, Any], prompt: str) -> dict[str, Any]:
    """The answer as the model gave it."""
    turns = turns_of(prompt)
    claims = []
    for one in answer["claims"]:
        turn, start, end = one["quote"] or ("", 0, 0)
        claims.append(one | {"quote": turns.get(turn, "")[start:end]})
    return answer | {"claims": claims}


def main() -> int:
    """Answer the prompt on standard input."""
    given = sys.stdin.read()
    prompt, _, schema = given.rpartition(SCHEMA_MARK)
    digest = prompt_digest(prompt)
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines() if Path(sys.argv[1]).exists() else []
    reply = next((row for row in map(json.loads, lines) if row["prompt"] == digest), None)
    if reply is not None:
        answer = reply["answer"]
        print(json.dumps(with_quotes(answer, prompt) if "claims" in answer else answer))
        return 0
    if len(sys.argv) > 2:
        Path(sys.argv[2], f"{digest}.txt").write_text(prompt, encoding="utf-8")
    print(json.dumps({name: [] for name in json.loads(schema)["required"]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

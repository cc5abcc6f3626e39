"""Killed between an answer and its receipt: the pack has no receipt, nothing is torn, and the next start goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from commonplace import Memory
from commonplace.storage import receipts
from commonplace.storage.journal import Journal

QUESTION = {"text": "the colour of the boat", "automatic": True}
# The process waits with its receipt until it is told that the answer came, and dies there.
SERVE = """
import os, sys
from commonplace.cli import main
from commonplace.storage import {place}
go = int(sys.argv.pop(1))
def die(*given):
    os.read(go, 1)
    os._exit(9)
{target} = die
sys.exit(main(["serve", "--stdio"]))
"""
DIES = {"receipt": ("receipts", "receipts.append_receipt"), "ledger line": ("journal", "journal.Journal.append_all")}


def test_a_kill_between_an_answer_and_its_receipt_loses_these_alone(tmp_path: Path) -> None:
    for number, (what, (place, target)) in enumerate(DIES.items()):
        root = tmp_path / f"notes-{number}"
        root.mkdir()
        (root / "boat.md").write_text("- The colour of the boat is green.\n", "utf-8")
        pack = kill_after_answer(root, SERVE.format(place=place, target=target), tmp_path)
        assert "green" in pack["text"]
        written = receipts.read_receipts(str(root))
        assert [one.id for one in written.receipts] == ([] if what == "receipt" else [pack["receipt"]])
        assert written.problems == ()
        assert "included" not in [one.fields["op"] for one in Journal(str(root), "desk").read("ledger").entries]
        with Memory.open(root) as memory:
            again = memory.pack(automatic=True, text=QUESTION["text"])
            assert memory.receipt().id == again.receipt_id
            assert memory.check().problems == ()


def kill_after_answer(root: Path, program: str, home: Path) -> dict[str, object]:
    """The answer to the question of a process that dies when it would write what belongs to it."""
    import os

    go, tell = os.pipe()
    environment = {"HOME": str(home), "COMMONPLACE_WORKSPACE": str(root), "COMMONPLACE_DEVICE": "desk"}
    command = (sys.executable, "-c", program, str(go))
    surroundings = {"env": os.environ | environment, "pass_fds": (go,)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **surroundings) as served:
        assert served.stdin
        assert served.stdout
        served.stdout.readline()  # it is ready
        asked = {"id": 1, "method": "pack", "params": QUESTION | {"receipt": True}}
        served.stdin.write(json.dumps(asked) + "\n")
        served.stdin.flush()
        answer = json.loads(served.stdout.readline())["result"]
        os.write(tell, b"!")
        assert served.wait(60) == 9
    os.close(go)
    os.close(tell)
    return answer

"""Receipts: appended, found again, and never the reason why something fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import BadArgument, NotFound
from commonplace.model import Reason, Receipt, ReceiptEntry
from commonplace.shapes import receipt_json
from commonplace.storage import receipts
from commonplace.storage.files import content_digest
from commonplace.storage.journal import encode_journal_line, verify_chains, verify_heads


def receipt(name: str, ts: str = "2025-11-30T09:00", notes: tuple[str, ...] = ()) -> Receipt:
    considered = (
        ReceiptEntry("7f3k9q", "memory/2025-11-27.md#L12", True, "fits", 1.5, (Reason("lexical", 2.25),), 17),
        ReceiptEntry("other", "bank/world.md#L3-L4", False, "ranked below k"),
    )
    return Receipt(name, ts, "d1g357", 1200, 840, ("lexical",), considered, {"recall": 3.5}, notes, scope="x")


def append(tmp_path: Path, added: Receipt, device: str = "dev") -> None:
    receipts.append_receipt(str(tmp_path), added, device)


def file_of(tmp_path: Path, day: str = "2025-11-30", device: str = "dev-") -> Path:
    return tmp_path / f".memory/receipts/{device}{day}.jsonl"


def test_a_receipt_is_found_as_it_was_added(tmp_path: Path) -> None:
    added = receipt("r-abc", notes=("a\u2028b", 'quote " and \\', "é\n"))
    append(tmp_path, added)
    assert receipts.get_receipt(str(tmp_path), "r-abc") == added
    assert receipts.get_receipt(str(tmp_path)) == added


def test_a_receipt_is_one_line_with_its_schema_first_and_its_checksum_last(tmp_path: Path) -> None:
    append(tmp_path, receipt("r-abc"))
    data = file_of(tmp_path).read_bytes()
    fields = json.loads(data)
    assert data.endswith(b"\n")
    assert next(iter(fields)) == "schema"
    assert list(fields)[-1] == "crc"
    assert fields["schema"] == "commonplace.receipt.v1"
    assert fields["considered"][0]["id"] == "7f3k9q"
    assert file_of(tmp_path).stat().st_mode & 0o777 == 0o600


def test_receipts_are_listed_newest_first_and_only_the_files_that_are_asked_for_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(1, 5):
        for number in range(3):
            append(tmp_path, receipt(f"r-{day}{number}", f"2025-11-0{day}T09:0{number}"))
    append(tmp_path, receipt("r-other", "2025-11-03T09:01"), "phone")
    read: list[str] = []
    read_file = receipts.files.read_file
    monkeypatch.setattr(receipts.files, "read_file", lambda root, path: read.append(path) or read_file(root, path))
    newest = receipts.read_newest_receipts(str(tmp_path), until="2025-11-03T09:02")
    assert [next(newest).id for _ in range(4)] == ["r-other", "r-31", "r-30", "r-22"]
    assert sorted(read) == [
        f".memory/receipts/{name}.jsonl" for name in ("dev-2025-11-02", "dev-2025-11-03", "phone-2025-11-03")
    ]


def test_receipts_are_passed_over_from_the_newest_of_a_day(tmp_path: Path) -> None:
    for number in range(7):
        append(tmp_path, receipt(f"r-{number}", f"2025-11-{29 + number // 4}T09:00"))
    with Memory.open(tmp_path) as memory:
        assert [one.id for one in memory.receipts(at_most=2)] == ["r-6", "r-5"]
        assert [one.id for one in memory.receipts(until="2025-11-29", skip=1, at_most=2)] == ["r-2", "r-1"]
        assert memory.receipts(until="2025-11-29T08:59") == ()
        for wrong in ({"skip": -1}, {"at_most": 0}, {"until": "whenever"}):
            with pytest.raises(BadArgument):
                memory.receipts(**wrong)


def test_the_last_receipt_is_the_last_line_of_the_newest_day(tmp_path: Path) -> None:
    for name, ts in (("r-c", "2025-12-01T00:01"), ("r-a", "2025-11-30T09:00"), ("r-d", "2025-12-01T00:01")):
        append(tmp_path, receipt(name, ts))
    assert receipts.get_receipt(str(tmp_path), "last").id == "r-d"
    assert [one.id for one in receipts.read_receipts(str(tmp_path)).receipts] == ["r-a", "r-c", "r-d"]


def test_receipts_are_only_ever_appended(tmp_path: Path) -> None:
    append(tmp_path, receipt("r-a"))
    first = file_of(tmp_path).read_bytes()
    append(tmp_path, receipt("r-b"))
    assert file_of(tmp_path).read_bytes().startswith(first)


def test_an_id_that_is_not_there_is_answered_with_ids_that_are_near(tmp_path: Path) -> None:
    for name in ("r-h2k4m6p8q0", "r-zzzzzzzzzz"):
        append(tmp_path, receipt(name))
    with pytest.raises(NotFound) as caught:
        receipts.get_receipt(str(tmp_path), "r-h2k4m6p8q1")
    assert caught.value.suggestions == ("r-h2k4m6p8q0",)


@pytest.mark.parametrize("name", ["last", "r-a", "", "../../x", "\0"])
def test_without_receipts_none_is_found(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound):
        receipts.get_receipt(str(tmp_path), name)
    assert receipts.read_receipts(str(tmp_path)) == receipts.ReceiptLog((), ())


def test_bad_lines_are_set_aside_with_their_place_and_their_neighbours_are_read(tmp_path: Path) -> None:
    append(tmp_path, receipt("r-a"))
    good = file_of(tmp_path).read_bytes()
    bad = [
        good[:-1].replace(b"fits", b"lies"),
        b"[" * 5000,
        b"null",
        b'{"schema":"commonplace.receipt.v1"}',
        b'{"schema":"other"}',
        b"\xff",
    ]
    with file_of(tmp_path).open("ab") as file:
        file.write(b"\n".join(bad) + b"\n" + b'{"schema":"commonpl')
    append(tmp_path, receipt("r-b"))
    found = receipts.read_receipts(str(tmp_path))
    assert [one.id for one in found.receipts] == ["r-a", "r-b"]
    assert [problem.line for problem in found.problems] == [2, 3, 4, 5, 6, 7, 8]
    assert {problem.path for problem in found.problems} == {".memory/receipts/dev-2025-11-30.jsonl"}
    assert receipts.get_receipt(str(tmp_path), "r-a").id == "r-a"


def test_a_sealed_line_with_a_field_of_the_wrong_type_is_set_aside(tmp_path: Path) -> None:
    from commonplace.shapes import receipt_json
    from commonplace.storage.journal import encode_journal_line

    shape = receipt_json(receipt("r-a"))
    for wrong in ({"tokens": "many"}, {"considered": 3}, {"considered": [3]}, {"considered": [{}]}, {"id": None}):
        assert not isinstance(receipts.decode_receipt(encode_journal_line({**shape, **wrong})), Receipt)
    assert not isinstance(
        receipts.decode_receipt(encode_journal_line({**shape, "schema": "commonplace.receipt.v9"})), Receipt
    )
    assert isinstance(receipts.decode_receipt(encode_journal_line({**shape, "later": {"x": 1}})), Receipt)


def test_a_torn_last_receipt_is_reported_and_the_one_before_is_the_last(tmp_path: Path) -> None:
    append(tmp_path, receipt("r-a"))
    with file_of(tmp_path).open("ab") as file:
        file.write(b'{"schema":')
    assert [problem.code for problem in receipts.read_receipts(str(tmp_path)).problems] == ["torn-line"]
    assert receipts.get_receipt(str(tmp_path)).id == "r-a"


def chain_findings(tmp_path: Path) -> list[tuple[str, str, int]]:
    root = str(tmp_path)
    problems = (*verify_chains(root, "receipts"), *verify_heads(root, ".memory/receipts"))
    return [(problem.code, problem.path.rpartition("/")[2], problem.line) for problem in problems]


def test_receipts_of_a_day_and_device_are_a_chain(tmp_path: Path) -> None:
    for name in "abc":
        append(tmp_path, receipt(f"r-{name}"))
    append(tmp_path, receipt("r-d", "2025-12-01"))
    append(tmp_path, receipt("r-e"), "phone")
    lines = file_of(tmp_path).read_bytes().splitlines(keepends=True)
    assert chain_findings(tmp_path) == []
    name = file_of(tmp_path).name
    for left, finding in (
        (lines[1:], ("chain-broken", name, 1)),
        (lines[:1] + lines[2:], ("chain-broken", name, 2)),
        (lines[:2], ("chain-cut", name, 3)),
        ([], ("chain-cut", name, 1)),
    ):
        file_of(tmp_path).write_bytes(b"".join(left))
        assert chain_findings(tmp_path) == [finding]
    file_of(tmp_path).unlink()
    assert chain_findings(tmp_path) == [("chain-cut", name, 0)]
    (tmp_path / ".memory/receipts/chains-phone.head").unlink()
    assert chain_findings(tmp_path)[1:] == [("head-missing", "chains-phone.head", 0)]


def test_receipts_of_older_versions_are_read_among_those_of_all_devices(tmp_path: Path) -> None:
    append(tmp_path, receipt("r-b", "2025-11-30T10:00"))
    append(tmp_path, receipt("r-c", "2025-11-30T11:00"), "phone")
    append(tmp_path, receipt("r-e", "2025-11-30T09:30"), "phone")
    old = [encode_journal_line(receipt_json(receipt(f"r-{name}", ts))) for name, ts in (("a", "2025-11-30T09:00"), ("d", "2025-11-30T12:00"))]  # fmt: skip
    file_of(tmp_path, device="").write_bytes(b"".join(line + b"\n" for line in old))
    assert receipts.get_receipt(str(tmp_path)).id == "r-d"
    assert receipts.get_receipt(str(tmp_path), "r-a").id == "r-a"
    assert {one.id for one in receipts.read_receipts(str(tmp_path)).receipts} == {"r-a", "r-b", "r-c", "r-d", "r-e"}
    assert chain_findings(tmp_path) == []


def test_a_receipt_that_became_a_stub_is_passed_over_and_breaks_no_chain(tmp_path: Path) -> None:
    for name in "abc":
        append(tmp_path, receipt(f"r-{name}"))
    lines = file_of(tmp_path).read_bytes().splitlines()
    link = {"digest": content_digest(lines[1]), "prev": content_digest(lines[0]), "forgotten": "2026-01-01"}
    stub = encode_journal_line({"v": 1, "ts": "2025-11"} | link)
    for middle, problems in ((stub, []), (stub.replace(b"2026", b"2027"), [2])):
        file_of(tmp_path).write_bytes(b"".join(line + b"\n" for line in (lines[0], middle, lines[2])))
        found = receipts.read_receipts(str(tmp_path))
        assert [one.id for one in found.receipts] == ["r-a", "r-c"]
        assert [problem.line for problem in found.problems] == problems
        assert bool(chain_findings(tmp_path)) == bool(problems)


def test_files_that_are_no_receipts_are_passed_over(tmp_path: Path) -> None:
    append(tmp_path, receipt("r-a"))
    folder = file_of(tmp_path).parent
    (folder / "notes.jsonl").write_text("x\n")
    (folder / "2025-12-01.sync-conflict.jsonl").write_text("x\n")
    os.mkfifo(folder / "2025-12-02.jsonl")
    assert len(receipts.read_receipts(str(tmp_path)).receipts) == 1
    assert receipts.read_receipts(str(tmp_path)).problems == ()


@pytest.mark.parametrize("ts", ["", "today", "../../../x", "2025-11"])
def test_a_receipt_without_a_time_is_refused(tmp_path: Path, ts: str) -> None:
    with pytest.raises(BadArgument):
        append(tmp_path, receipt("r-a", ts))
    assert os.listdir(tmp_path) == []


def test_two_processes_lose_no_receipt(tmp_path: Path) -> None:
    code = (
        "import sys; from commonplace.storage import receipts; from commonplace.model import Receipt\n"
        "for n in range(50):\n"
        "    receipts.append_receipt(sys.argv[1], Receipt(sys.argv[2] + str(n), '2025-11-30', '', 0, 0, (), ()), 'dev')\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in ("a", "b")]
    assert [child.wait() for child in children] == [0, 0]
    found = receipts.read_receipts(str(tmp_path))
    assert {one.id for one in found.receipts} == {f"{name}{n}" for name in ("a", "b") for n in range(50)}
    assert found.problems == ()

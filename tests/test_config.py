"""Every setting has an effect, every mistake is told at once, and the surroundings are read in one place."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory
from commonplace.errors import BadSettings
from commonplace.language import text, tokens
from commonplace.serve.page.server import PageServer
from commonplace.storage import config
from commonplace.storage.settings import SETTINGS, Environment, ModelSettings, Setting, Settings
from tests.support import language_models
from tests.support.language_models import ask, command_settings, program
from tests.support.vector_server import Answer, Server, ollama, openai, serving
from tests.support.vector_server import settings as vectors_of

NOW = "2025-11-30T09:00"
VARIABLES = ("COMMONPLACE_WORKSPACE", "COMMONPLACE_NOW", "COMMONPLACE_DEVICE", "OPENCLAW_STATE_DIR", "NO_COLOR")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment of its own: nothing is read from, or left in, the real home."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def set_to(root: Path, settings: str) -> None:
    (root / "commonplace.toml").write_text(settings, encoding="utf-8")


def opened(root: Path, settings: str = "") -> Memory:
    set_to(root, settings)
    return Memory.open(root)


def found(root: Path, settings: str, question: str) -> list[str]:
    """What is found with these settings, by text; the index is made anew."""
    with opened(root, settings) as memory:
        memory.rebuild()
        return [hit.record.text for hit in memory.recall(question).hits]


def note(root: Path, *lines: str, path: str = "note.md") -> None:
    (root / path).write_text("".join(f"- {line}\n" for line in lines), encoding="utf-8")


# Each setting changes what can be seen from outside.


def scope_sets_what_a_query_without_one_sees(root: Path) -> None:
    note(root, "tea in the boat <!-- project: boat -->", "tea at home")
    assert found(root, "", "tea") == ["tea at home"]
    assert sorted(found(root, 'scope = "boat"', "tea")) == ["tea at home", "tea in the boat"]


def timezone_sets_the_day(root: Path) -> None:
    os.environ.pop("COMMONPLACE_NOW")
    days = []
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # 25 hours apart
        with opened(root, f'timezone = "{zone}"') as memory:
            kept = memory.log("a line").record
            assert kept is not None
            days.append(kept.source.path)
    assert days[0] > days[1]


def language_sets_the_stems(root: Path) -> None:
    note(root, "Haus", "Häuser")  # a word that stands there is not looked up by what comes near
    assert found(root, 'language = "en"', "Haus") == ["Haus"]
    assert sorted(found(root, 'language = "de"', "Haus")) == ["Haus", "Häuser"]


def ignore_keeps_files_out(root: Path) -> None:
    note(root, "tea")
    note(root, "tea again", path="draft.md")
    assert len(found(root, "", "tea")) == 2
    assert found(root, 'ignore = ["draft*"]', "tea") == ["tea"]


def device_names_the_journals(root: Path) -> None:
    with opened(root, 'device = "The Attic"') as memory:
        memory.log("a line")
    assert (root / ".memory/journal/captures-the-attic-2025-11.jsonl").is_file()


def recall_k_sets_the_number_of_hits(root: Path) -> None:
    note(root, *(f"tea number {number}" for number in range(20)))
    assert len(found(root, "", "tea")) == 10
    assert len(found(root, "[recall]\nk = 3", "tea")) == 3


def recall_without_switches_parts_off(root: Path) -> None:
    note(root, "tea at four <!-- importance: 0.1 -->", "tea at four, again and again <!-- importance: 0.9 -->")
    assert found(root, "", "tea")[0] == "tea at four, again and again"
    assert found(root, '[recall]\nwithout = ["importance", "length"]', "tea")[0] == "tea at four"


def packed(root: Path, settings: str) -> str:
    with opened(root, settings) as memory:
        return memory.pack("tea", automatic=True).text


def pack_budget_bounds_the_pack(root: Path) -> None:
    note(root, *(f"tea number {number}, and how it tasted on that day" for number in range(20)))
    with opened(root, "[pack]\nbudget_tokens = 60") as memory:
        small = memory.pack("tea")
    with opened(root) as memory:
        large = memory.pack("tea")
    assert (small.budget_tokens, large.budget_tokens) == (60, 1200)
    assert small.tokens <= 60 < large.tokens


def pack_core_puts_the_core_in(root: Path) -> None:
    (root / "MEMORY.md").write_text("- Peter is allergic to nuts.\n", encoding="utf-8")
    note(root, "tea")
    assert "allergic" in packed(root, "")
    assert "allergic" not in packed(root, "[pack]\ncore = false")


def pack_untrusted_lets_untrusted_lines_in(root: Path) -> None:
    note(root, "tea is a drug, says a forum <!-- origin: untrusted -->", "tea at five")
    assert "forum" not in packed(root, "")
    assert "forum" in packed(root, "[pack]\nuntrusted = true")


def pack_tokenizer_counts_or_says_why_not(root: Path) -> None:
    note(root, "tea")
    with opened(root, "") as memory:
        assert not memory.pack("tea").notes
    with opened(root, '[pack]\ntokenizer = "models/tokenizer.json"') as memory:
        assert f"there is no file '{root}/models/tokenizer.json'" in memory.pack("tea").notes[0]
        assert memory.pack("tea").tokens == tokens.count_tokens(memory.pack("tea").text)


def pack_tail_percent_keeps_room_for_the_newest_lines(root: Path) -> None:
    note(root, "tea")
    for settings, newest in (("", True), ("[pack]\ntail_percent = 0", False)):
        with opened(root, settings) as memory:
            memory.capture("The kettle is on.", session="s")
            assert ("kettle" in memory.pack("tea", automatic=True, session="s").text) is newest


def pack_standing_percent_keeps_room_for_rules(root: Path) -> None:
    note(root, "tea")
    for settings, shown in (("", True), ("[pack]\nstanding_percent = 0", False)):
        with opened(root, settings) as memory:
            memory.capture("Never deploy on Fridays.")
            assert ("deploy" in memory.pack("tea", automatic=True).text) is shown


def pack_floor_percent_leaves_out_what_is_less_relevant(root: Path) -> None:
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory" / "tea.md").write_text(
        "- The green tea of Ana stands in the kitchen.\n\n- Ben sold the kitchen.\n"
    )
    for settings, is_shown in (("[pack]\nfloor_percent = 40", False), ("[pack]\nfloor_percent = 0", True)):
        with opened(root, settings) as memory:
            assert ("Ben" in memory.pack("green tea of Ana in the kitchen", automatic=True).text) is is_shown


def receipts_query_text_keeps_the_question(root: Path) -> None:
    note(root, "tea")
    for settings, kept in (("", ""), ("[receipts]\nquery_text = true", "tea")):
        with opened(root, settings) as memory:
            memory.pack("tea")
            assert memory.receipt().query == kept


def index_path_moves_the_index(root: Path) -> None:
    note(root, "tea")
    assert found(root, '[index]\npath = "../elsewhere/i.sqlite"', "tea") == ["tea"]
    assert (root.parent / "elsewhere/i.sqlite").is_file()
    assert not (root / ".memory/index.sqlite").exists()
    assert found(root, '[index]\npath = "~/i.sqlite"', "tea") == ["tea"]
    assert (root.parent / "home/i.sqlite").is_file()


def files_max_bytes_passes_over_large_files(root: Path) -> None:
    note(root, "tea", *("and more and more and more" for _ in range(100)))
    assert found(root, "", "tea") == ["tea"]
    assert found(root, "[files]\nmax_bytes = 1024", "tea") == []
    with opened(root, "[files]\nmax_bytes = 1024") as memory:
        assert [problem.path for problem in memory.check().problems] == ["note.md"]


@contextmanager
def embedded(root: Path, more: str, answer: Answer = ollama, *, provider: str = "ollama") -> Iterator[Server]:
    """A notebook with one line about a boat and one about a cake, and vectors of them; then these settings."""
    note(root, "A boat.", "A cake.")
    with serving(ollama) as server:
        first = vectors_of(server.url, provider="ollama")
        with opened(root, first) as memory:
            memory.embed()
        server.asked.clear()
        server.answer = answer
        (root / "commonplace.toml").write_text(f"{vectors_of(server.url, provider=provider)}{more}\n", encoding="utf-8")
        yield server


def asked(root: Path, question: str = "pudding") -> tuple[list[str], str]:
    """What is found, and what is said of it."""
    with Memory.open(root) as memory:
        hits = memory.recall(question)
    return [hit.record.text for hit in hits.hits], " ".join(hits.notes)


def vectors_mode_switches_the_lane_on(root: Path) -> None:
    with embedded(root, "") as server:
        assert asked(root) == (["A cake."], "")
        for mode in ("none", "fallback"):
            written = vectors_of(server.url, mode=mode)
            (root / "commonplace.toml").write_text(written, encoding="utf-8")
            assert asked(root)[0] == ([] if mode == "none" else ["A cake."])


def vectors_provider_chooses_how_to_ask(root: Path) -> None:
    with embedded(root, "", openai, provider="openai") as server, Memory.open(root) as memory:
        assert memory.embed().model == "openai:tiny"
    assert {path for path, _headers, _body in server.asked} == {"/embeddings"}


def vectors_model_names_the_model(root: Path) -> None:
    with embedded(root, "") as server:
        written = (root / "commonplace.toml").read_text(encoding="utf-8").replace('"tiny"', '"huge"')
        (root / "commonplace.toml").write_text(written, encoding="utf-8")
        assert "0 of 2 records have one of ollama:huge" in asked(root)[1]
        with Memory.open(root) as memory:
            memory.embed()
    assert {body["model"] for _path, _headers, body in server.asked} == {"huge"}


def vectors_endpoint_is_the_one_that_is_asked(root: Path) -> None:
    with embedded(root, "") as server, serving() as other:
        (root / "commonplace.toml").write_text(vectors_of(other.url), encoding="utf-8")
        assert asked(root)[0] == ["A cake."]
        assert (server.texts, other.texts) == ([], ["pudding"])


def vectors_key_env_names_where_the_key_is(root: Path) -> None:
    os.environ["NOTES_KEY"] = "sesame"
    try:
        with embedded(root, 'key_env = "NOTES_KEY"') as server:
            asked(root)
    finally:
        del os.environ["NOTES_KEY"]
    assert [headers["Authorization"] for _path, headers, _body in server.asked] == ["Bearer sesame"]


def vectors_timeout_ends_the_wait(root: Path) -> None:
    done = threading.Event()

    def slow(body: dict[str, Any]) -> tuple[int, bytes]:
        done.wait(30)
        return ollama(body)

    with embedded(root, "timeout_ms = 20", slow):
        assert "no answer within 0.02 s" in asked(root, "boat")[1]
        done.set()


def vectors_min_primary_results_sets_when_to_fall_back(root: Path) -> None:
    for least, lines in ((1, ["A boat."]), (2, ["A boat.", "A ship."])):
        with embedded(root, "") as server:
            note(root, "A boat.", "A ship.")
            with Memory.open(root) as memory:
                memory.embed()
            more = f"min_primary_results = {least}"
            written = vectors_of(server.url, mode="fallback", more=more)
            (root / "commonplace.toml").write_text(written, encoding="utf-8")
            assert asked(root, "boat")[0] == lines


def consolidate_minutes_sets_the_schedule(root: Path) -> None:
    from commonplace.serve.http.schedule import configured_jobs

    assert [job.every_s for job in configured_jobs(config.read_settings(root))] == [3600]
    set_to(root, "[daemon]\nconsolidate_minutes = 5")
    assert [job.every_s for job in configured_jobs(config.read_settings(root))] == [300]
    set_to(root, "[daemon]\nconsolidate_minutes = 0")
    assert configured_jobs(config.read_settings(root)) == ()


def idle_minutes_are_what_the_schedule_waits_for(root: Path) -> None:
    from commonplace.serve.http.schedule import configured_jobs

    assert [job.arguments["idle_minutes"] for job in configured_jobs(config.read_settings(root))] == [30]
    set_to(root, "[daemon]\nidle_minutes = 7")
    assert [job.arguments["idle_minutes"] for job in configured_jobs(config.read_settings(root))] == [7]


def owner_names_who_says_i(root: Path) -> None:
    def lines(**options: str) -> list[str]:
        with Memory.open(root) as memory:
            memory.capture("My sister Ana works at Novartis.", ts="2025-11-10T09:00", session="s1")
            run = memory.consolidate(now="2025-11-20T08:00", **options)
            return [line.speaker for plan in run.plans for line in plan.lines]

    (root / "USER.md").write_text("# USER.md\n\n- **Name:** Mara\n- **Timezone:** CET\n", encoding="utf-8")
    assert lines() == ["Mara"]
    set_to(root, 'owner = "Lena"')
    assert lines() == ["Lena"]
    assert lines(owner="Tom") == ["Tom"]


def models_provider_chooses_how_to_ask(root: Path) -> None:
    for provider, answer, path in (
        ("openai", language_models.chat(), "/chat/completions"),
        ("anthropic", language_models.tool_use({"colour": "green"}), "/v1/messages"),
    ):
        with serving(answer) as server:
            assert ask(root, language_models.settings(server.url, provider=provider)).answer
        assert [one[0] for one in server.asked] == [path]


def models_model_names_the_model(root: Path) -> None:
    with serving(language_models.chat()) as server:
        ask(root, language_models.settings(server.url).replace("tiny", "huge"))
    assert [body["model"] for _path, _headers, body in server.asked] == ["huge"]


def models_endpoint_is_the_one_that_is_asked(root: Path) -> None:
    with serving(language_models.chat()) as server, serving(language_models.chat()) as other:
        ask(root, language_models.settings(other.url))
    assert (len(server.asked), len(other.asked)) == (0, 1)


def models_command_is_what_is_started(root: Path) -> None:
    outcome = ask(root, command_settings(program(root.parent, language_models.PRINTS_GREEN)))
    assert outcome.answer
    assert outcome.answer.colour == "green"


def models_key_env_names_where_the_key_is(root: Path) -> None:
    os.environ["NOTES_KEY"] = "sesame"
    try:
        with serving(language_models.chat()) as server:
            ask(root, language_models.settings(server.url, limits='key_env = "NOTES_KEY"'))
    finally:
        del os.environ["NOTES_KEY"]
    assert [headers["Authorization"] for _path, headers, _body in server.asked] == ["Bearer sesame"]


def models_calls_per_day_ends_the_calls(root: Path) -> None:
    with serving(language_models.chat()) as server:
        toml = language_models.settings(server.url, limits="calls_per_day = 1")
        assert [ask(root, toml, prompt=prompt).answer is None for prompt in ("one", "two")] == [False, True]
    assert len(server.asked) == 1


def models_tokens_per_day_ends_the_calls(root: Path) -> None:
    with serving(language_models.chat(tokens=(4_000, 4_000))) as server:
        toml = language_models.settings(server.url, limits="tokens_per_day = 16_000")
        assert [ask(root, toml, prompt=prompt).answer is None for prompt in ("one", "two")] == [False, True]
    assert len(server.asked) == 1


def models_timeout_ends_the_wait(root: Path) -> None:
    done = threading.Event()

    def slow(body: dict[str, Any]) -> tuple[int, bytes]:
        done.wait(30)
        return language_models.chat()(body)

    with serving(slow) as server:
        outcome = ask(root, language_models.settings(server.url, limits="timeout_ms = 30"))
        assert "no answer within 0.03 s" in outcome.notes[0]
        done.set()


def models_fallback_is_asked_when_the_other_fails(root: Path) -> None:
    with serving(language_models.reply({}, 500)) as server, serving(language_models.chat()) as other:
        table = f'[models.fallback]\nprovider = "openai"\nmodel = "spare"\nendpoint = "{other.url}"'
        assert ask(root, language_models.settings(server.url, table)).model == "openai:spare"


def models_step_names_the_model_of_a_step(root: Path) -> None:
    with serving(language_models.chat()) as server:
        toml = language_models.settings(server.url, '[models.step.rerank]\nmodel = "small"')
        assert [ask(root, toml, step).model for step in ("claims", "rerank")] == ["openai:tiny", "openai:small"]


def erase_after_days_erases_what_was_hidden(root: Path) -> None:
    set_to(root, "[forget]\nerase_after_days = 2")
    with Memory.open(root) as memory:
        memory.capture("The key is under the mat of the porch.", now="2026-11-01T10:00")
        memory.forget(query="porch", apply=True, now="2026-11-02T10:00")
        journal = next((root / ".memory/journal").glob("captures-*.jsonl"))
        memory.consolidate(apply=True, now="2026-11-03T10:00")
        assert b"porch" in journal.read_bytes()
        memory.consolidate(apply=True, now="2026-11-04T10:00")
        assert b"porch" not in journal.read_bytes()


def removed_by_hand_hides_what_a_line_came_from(root: Path) -> None:
    set_to(root, '[forget]\nremoved_by_hand = "forget"')
    with Memory.open(root) as memory:
        memory.capture("My accountant is Mara Keller, her office is in Bern.", session="a", now="2026-11-01T10:00")
        memory.consolidate(apply=True, now="2026-11-02T10:00")
        (root / "memory/semantic/contacts.md").write_text("# Contacts\n", encoding="utf-8")
        assert memory.recall("Keller", now="2026-11-03T10:00").hits
        memory.consolidate(apply=True, now="2026-11-03T10:00")
        assert not memory.recall("Keller", now="2026-11-03T10:00").hits


def listen_for_browsers(root: Path, settings: str) -> str:
    """Where the page listens with these settings, in the words of its log."""
    set_to(root, f"[page]\n{settings}")
    told: list[str] = []

    async def listen() -> None:
        server = PageServer(str(root), lambda *_asked: asyncio.sleep(0, {}), told.append, dict)
        await server.open_link()
        await server.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAGE_TOKEN", "0123456789abcdef")
        asyncio.run(listen())
    return told[0]


def page_host_is_listened_at_with_a_token_alone(root: Path) -> None:
    with pytest.raises(BadSettings, match=r"page\.token_env"):
        listen_for_browsers(root, 'host = "127.0.0.2"')
    assert "and at http://127.0.0.2:" in listen_for_browsers(root, 'host = "127.0.0.2"\ntoken_env = "PAGE_TOKEN"')


def page_names_need_a_token(root: Path) -> None:
    with pytest.raises(BadSettings, match=r"page\.token_env"):
        listen_for_browsers(root, 'names = ["notes.example"]')
    assert listen_for_browsers(root, 'names = ["notes.example"]\ntoken_env = "PAGE_TOKEN"')


EFFECTS: dict[str, Callable[[Path], None]] = {
    "forget.removed_by_hand": removed_by_hand_hides_what_a_line_came_from,
    "forget.erase_after_days": erase_after_days_erases_what_was_hidden,
    "daemon.consolidate_minutes": consolidate_minutes_sets_the_schedule,
    "daemon.idle_minutes": idle_minutes_are_what_the_schedule_waits_for,
    "page.host": page_host_is_listened_at_with_a_token_alone,
    "page.token_env": page_host_is_listened_at_with_a_token_alone,
    "page.names": page_names_need_a_token,
    "owner": owner_names_who_says_i,
    "scope": scope_sets_what_a_query_without_one_sees,
    "timezone": timezone_sets_the_day,
    "language": language_sets_the_stems,
    "ignore": ignore_keeps_files_out,
    "device": device_names_the_journals,
    "recall.k": recall_k_sets_the_number_of_hits,
    "recall.without": recall_without_switches_parts_off,
    "pack.budget_tokens": pack_budget_bounds_the_pack,
    "pack.core": pack_core_puts_the_core_in,
    "pack.untrusted": pack_untrusted_lets_untrusted_lines_in,
    "pack.tokenizer": pack_tokenizer_counts_or_says_why_not,
    "pack.standing_percent": pack_standing_percent_keeps_room_for_rules,
    "pack.tail_percent": pack_tail_percent_keeps_room_for_the_newest_lines,
    "pack.floor_percent": pack_floor_percent_leaves_out_what_is_less_relevant,
    "receipts.query_text": receipts_query_text_keeps_the_question,
    "index.path": index_path_moves_the_index,
    "files.max_bytes": files_max_bytes_passes_over_large_files,
    "vectors.mode": vectors_mode_switches_the_lane_on,
    "vectors.provider": vectors_provider_chooses_how_to_ask,
    "vectors.model": vectors_model_names_the_model,
    "vectors.endpoint": vectors_endpoint_is_the_one_that_is_asked,
    "vectors.key_env": vectors_key_env_names_where_the_key_is,
    "vectors.timeout_ms": vectors_timeout_ends_the_wait,
    "vectors.min_primary_results": vectors_min_primary_results_sets_when_to_fall_back,
    "models.provider": models_provider_chooses_how_to_ask,
    "models.model": models_model_names_the_model,
    "models.endpoint": models_endpoint_is_the_one_that_is_asked,
    "models.command": models_command_is_what_is_started,
    "models.key_env": models_key_env_names_where_the_key_is,
    "models.calls_per_day": models_calls_per_day_ends_the_calls,
    "models.tokens_per_day": models_tokens_per_day_ends_the_calls,
    "models.timeout_ms": models_timeout_ends_the_wait,
    "models.fallback": models_fallback_is_asked_when_the_other_fails,
    "models.step": models_step_names_the_model_of_a_step,
}


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_each_setting_has_an_effect(setting: Setting, root: Path) -> None:
    if setting.key.startswith("vectors."):
        pytest.importorskip("numpy", reason="numpy is not installed: vectors are not tested")
    EFFECTS[setting.key](root)


@pytest.mark.parametrize(
    ("settings", "changed"),
    [('language = "de"', "Lesung"), ("[files]\nmax_bytes = 1024", "tea"), ('ignore = ["note*"]', "tea")],
    ids=["language", "files.max_bytes", "ignore"],
)
def test_a_setting_that_changes_the_index_takes_effect_without_a_rebuild(
    root: Path, settings: str, changed: str
) -> None:
    note(root, "tea", "Lesung", "Lesungen", "and more and more and more" * 100)
    with opened(root, 'language = "en"') as memory:
        before = memory.recall(changed).hits
    with opened(root, settings) as memory:
        assert memory.recall(changed).hits != before
        assert "index-drift" not in [problem.code for problem in memory.check().problems]


# What is wrong is told, all of it at once.

WRONG = """
scpoe = "boat"
timezone = "Europe/Berln"
language = "klingon"
ignore = "draft*"
device = 3
[recall]
k = 0
[pack]
budget_tokens = true
core = "yes"
[files]
max_bytes = 1.5
[vectors]
mode = "on"
[colour]
of = "tea"
"""


@pytest.mark.parametrize("target", ["commonplace.toml", "../elsewhere.toml"])
def test_settings_that_are_a_link_are_refused_in_words_wherever_it_leads(root: Path, target: str) -> None:
    (root / "commonplace.toml").symlink_to(target)
    with pytest.raises(BadSettings, match="it is a symbolic link"):
        Memory.open(root)


def test_all_problems_are_reported_together(root: Path) -> None:
    (root / "commonplace.toml").write_text(WRONG, encoding="utf-8")
    with pytest.raises(BadSettings) as caught:
        config.read_settings(str(root))
    keys = ("scpoe", "timezone", "language", "ignore", "device", "recall.k", "pack.budget_tokens", "pack.core")
    for key in (*keys, "files.max_bytes", "vectors.mode", "colour.of"):
        assert len([told for told in caught.value.problems if key in told.partition("; known keys")[0]]) == 1, key
    assert len(caught.value.problems) == 11
    assert all(problem in caught.value.message for problem in caught.value.problems)
    assert caught.value.exit_code == 2
    assert caught.value.path == f"{root}/commonplace.toml"


def test_an_unknown_key_is_an_error_that_suggests_the_nearest() -> None:
    with pytest.raises(BadSettings, match=r"unknown key 'pack.budget': did you mean 'pack.budget_tokens'"):
        config.parse_settings({"pack": {"budget": 5}})
    with pytest.raises(BadSettings, match=r"unknown key 'zzz'; known keys: scope, timezone"):
        config.parse_settings({"zzz": 1})


NAMES = ["near", "trust"]  # for settings that take only such names
WRONG_TYPES = {"text": 3, "integer": "3", "switch": "true", "texts": [1], "table": "a", "tables": {"claims": "a"}}
RIGHT = {
    "timezone": "Europe/Berlin",
    "language": "de",
    "files.max_bytes": 5000,
    "pack.standing_percent": 30,
    "pack.tail_percent": 20,
    "pack.floor_percent": 25,
    "vectors.mode": "none",
    "vectors.provider": "ollama",
    "vectors.endpoint": "http://localhost:11434",
    "models.provider": "",
    "models.endpoint": "http://localhost:11434/v1",
    "forget.removed_by_hand": "keep",
}
TABLE = {"provider": "command", "command": "answer"}
RIGHT_TYPES = {
    "text": "a",
    "integer": 1000,
    "switch": True,
    "texts": ["a"],
    "table": TABLE,
    "tables": {"claims": TABLE},
}
EXPECTED = {"table": ModelSettings(**TABLE), "tables": {"claims": ModelSettings(**TABLE)}}


def nested(setting: Setting, value: object) -> dict[str, object]:
    table, _, key = setting.key.rpartition(".")
    return {table: {key: value}} if table else {key: value}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_each_setting_takes_its_type_and_refuses_another(setting: Setting) -> None:
    right = RIGHT.get(
        setting.key, NAMES if setting.valid_names and setting.type == "texts" else RIGHT_TYPES[setting.type]
    )
    taken = config.parse_settings(nested(setting, right))
    assert getattr(taken, setting.field) == EXPECTED.get(
        setting.type, tuple(right) if isinstance(right, list) else right
    )
    for wrong in (WRONG_TYPES[setting.type], {"x": 1}, 1.5):
        with pytest.raises(BadSettings, match=setting.key):
            config.parse_settings(nested(setting, wrong))


@pytest.mark.parametrize("setting", [s for s in SETTINGS if s.type == "integer"], ids=lambda setting: setting.key)
def test_whole_numbers_stay_within_their_bounds(setting: Setting) -> None:
    for edge in (setting.minimum, setting.maximum):
        assert getattr(config.parse_settings(nested(setting, edge)), setting.field) == edge
    for beyond in (setting.minimum - 1, setting.maximum + 1):
        with pytest.raises(BadSettings, match=f"between {setting.minimum} and {setting.maximum}"):
            config.parse_settings(nested(setting, beyond))


def test_every_field_of_settings_is_in_the_table_with_its_default() -> None:
    assert {setting.field for setting in SETTINGS} == set(Settings.__struct_fields__)
    for setting in SETTINGS:
        config.parse_settings(nested(setting, list(Settings().ignore)) if setting.type == "texts" else {})
    assert len(SETTINGS) <= 42


@pytest.mark.parametrize("written", ["k = = 1", "\xff".encode("latin-1"), "a = 1\na = 2", "[pack]\n[pack]"])
def test_a_file_that_is_no_toml_is_an_error_of_the_settings(root: Path, written: str | bytes) -> None:
    (root / "commonplace.toml").write_bytes(written if isinstance(written, bytes) else written.encode())
    with pytest.raises(BadSettings):
        config.read_settings(str(root))


def test_without_a_file_every_setting_has_its_default(root: Path) -> None:
    assert config.read_settings(str(root)) == Settings()


def test_the_languages_that_can_be_set_are_those_that_text_knows() -> None:
    for name in config.LANGUAGES:
        assert config.parse_settings({"language": name}).language == name
    told = {
        "de": "Die Katze und der Hund sind nicht im Haus.",
        "es": "¿Dónde está el perro de los niños?",
        "fr": "Le chien n'est pas dans la maison avec les enfants.",
        "it": "Il cane non è nella casa con gli altri.",
        "ja": "これは本です",
        "ko": "이것은 책입니다",
        "nl": "De hond is niet in het huis met een van de kinderen.",
        "pt": "O cão não está na casa com os meninos.",
        "ru": "Это не моя книга",
        "sv": "Hunden är inte i huset med barnen och jag.",
        "th": "นี่คือหนังสือ",
        "zh": "这是一本书",
        "en": "The dog is not in the house.",
    }
    assert {text.detect_language(sentence) for sentence in told.values()} == set(told) == set(config.LANGUAGES)


# The clock and the surroundings.


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2025-11-30", "2025-11-30T00:00"),
        ("2025-11-30T09:05:59", "2025-11-30T09:05"),
        ("2025-11-30 09:05+02:00", "2025-11-30T09:05"),
    ],
)
def test_the_clock_can_be_fixed(written: str, read: str) -> None:
    assert config.current_minute(Settings(), Environment(home="", now=written)) == read


def test_a_fixed_clock_that_is_no_date_is_an_error() -> None:
    with pytest.raises(BadSettings, match="COMMONPLACE_NOW 'soon' is not an ISO date"):
        config.current_minute(Settings(), Environment(home="", now="soon"))


def test_the_workspace_is_the_named_one_else_that_of_openclaw_else_a_folder_at_home(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert config.default_workspace(config.read_environment()) == f"{home}/commonplace"
    (home / ".openclaw/workspace").mkdir(parents=True)
    assert config.default_workspace(config.read_environment()) == f"{home}/.openclaw/workspace"
    (home / "claw/workspace").mkdir(parents=True)
    monkeypatch.setenv("OPENCLAW_STATE_DIR", f"{home}/claw")
    assert config.default_workspace(config.read_environment()) == f"{home}/claw/workspace"
    monkeypatch.setenv("COMMONPLACE_WORKSPACE", "/notes")
    assert config.default_workspace(config.read_environment()) == "/notes"


@pytest.mark.parametrize(("value", "plain"), [("1", True), ("", False)])
def test_no_color_counts_when_it_is_not_empty(value: str, plain: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", value)
    assert config.read_environment().no_color is plain


# Names of devices.


@pytest.mark.parametrize(
    ("named", "safe"),
    [
        ("desk", "desk"),
        ("Ada's MacBook Pro", "ada-s-macbook-pro"),
        ("../../etc/passwd", "etc-passwd"),
        ("ü", "device"),
        ("x" * 99, "x" * 40),
    ],
)
def test_a_device_is_named_so_that_it_can_be_part_of_a_file_name(named: str, safe: str) -> None:
    assert config.device_name(Settings(device=named), Environment(home="")) == safe


def test_the_variable_names_the_device_before_the_setting_does() -> None:
    assert config.device_name(Settings(device="attic"), Environment(home="", device="desk")) == "desk"


def test_an_unnamed_device_has_the_name_of_its_host_and_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    first = config.device_name(Settings(), Environment(home=""))
    assert first == config.device_name(Settings(), Environment(home=""))
    assert first.startswith("".join(c if c.isalnum() else "-" for c in os.uname().nodename.lower().split(".")[0][:24]))
    monkeypatch.setattr(config, "_read_first_line", lambda _path: "another machine")
    assert first != config.device_name(Settings(), Environment(home=""))


# Where the index lies.


def lies(root: str | Path) -> str:
    return config.index_path(str(root), Settings(), config.read_environment())


def test_the_index_lies_in_the_workspace(root: Path) -> None:
    assert lies(root) == f"{root}/.memory/index.sqlite"


@pytest.mark.parametrize("name", ["Dropbox (Personal)", "OneDrive - Work", "Google Drive", "Nextcloud", "iCloud Drive"])
def test_the_index_leaves_a_folder_that_a_sync_tool_keeps(tmp_path: Path, name: str) -> None:
    root = tmp_path / name / "notes"
    root.mkdir(parents=True)
    assert lies(root).startswith(f"{tmp_path}/state/commonplace/")
    note(root, "tea")
    with Memory.open(root) as memory:
        assert memory.recall("tea").hits
        assert memory.status()["index"] == lies(root)
    assert not (root / ".memory/index.sqlite").exists()


def test_the_index_leaves_a_folder_of_syncthing_and_all_below_it(root: Path) -> None:
    (root / "below").mkdir()
    (root / ".stfolder").mkdir()
    assert lies(root).startswith(f"{root.parent}/state/")
    assert lies(root / "below").startswith(f"{root.parent}/state/")
    assert lies(root) != lies(root / "below")


@pytest.mark.parametrize(("kind", "leaves"), [("nfs4", True), ("fuse.sshfs", True), ("9p", True), ("ext4", False)])
def test_the_index_leaves_a_file_system_of_the_network(
    root: Path, kind: str, leaves: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "_read_mount_table", lambda: [("/", "nfs"), (str(root), "tmpfs"), (str(root), kind)])
    assert lies(root).startswith(f"{root.parent}/state/") is leaves


def test_a_mount_counts_for_what_lies_below_it_and_not_for_names_that_begin_alike(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "_read_mount_table", lambda: [("/", "ext4"), (str(root.parent), "nfs")])
    assert lies(root).startswith(f"{root.parent}/state/")
    monkeypatch.setattr(
        config, "_read_mount_table", lambda: [("/", "ext4"), (f"{root}-old", "nfs"), (str(root)[:-1], "nfs")]
    )
    assert lies(root) == f"{root}/.memory/index.sqlite"


def test_the_mount_table_is_read_with_blanks_in_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = tmp_path / "mounts"
    table.write_text("server:/x /mnt/my\\040notes nfs4 rw 0 0\ntmpfs /run tmpfs rw 0 0\n", encoding="utf-8")
    monkeypatch.setattr(config, "MOUNT_TABLE", str(table))
    assert config._read_mount_table() == [("/mnt/my notes", "nfs4"), ("/run", "tmpfs")]
    monkeypatch.setattr(config, "MOUNT_TABLE", str(tmp_path / "none"))
    assert config._read_mount_table() == []


def test_the_index_leaves_a_folder_that_may_not_be_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: not (str(path) == str(root) and mode == os.W_OK))
    assert lies(root).startswith(f"{root.parent}/state/commonplace/")


def test_what_is_set_by_hand_goes_before_all_of_this(root: Path) -> None:
    (root / ".stfolder").mkdir()
    set_by_hand = Settings(index_path=".memory/here.sqlite")
    assert config.index_path(str(root), set_by_hand, config.read_environment()) == f"{root}/.memory/here.sqlite"


def test_a_socket_lies_in_the_runtime_directory_else_in_that_of_states_and_its_name_is_short() -> None:
    both = Environment(home="/h", runtime="/run/user/7", state_home="/h/state")
    assert config.socket_path("/notes", both).startswith("/run/user/7/commonplace/")
    assert config.socket_path("/notes", both) == config.socket_path("/notes", both)
    assert config.socket_path("/notes", both) != config.socket_path("/notes2", both)
    assert config.socket_path("/notes", both).endswith(".sock")
    assert config.socket_path("/n", Environment(home="/h", state_home="/h/state")).startswith(
        "/h/state/commonplace/run/"
    )
    deep = Environment(home="/h", runtime="/" + "r" * 90, state_home="/" + "s" * 90)
    assert len(os.fsencode(config.socket_path("/notes", deep))) < 100
    assert f"commonplace-{os.getuid()}/" in config.socket_path("/notes", deep)


def test_a_machine_without_a_short_place_for_a_socket_has_no_path_for_one() -> None:
    assert config.socket_path("/notes", Environment(home="/h", temporary="/" + "t" * 90)) == ""


def test_no_file_of_secrets_is_opened_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env.test").write_text("API_TOKEN=gXk29qpAz7Lm\n")
    read, opened = config.files.read_file_if_exists, list[str]()
    monkeypatch.setattr(
        config.files, "read_file_if_exists", lambda root, name, limit: opened.append(name) or read(root, name, limit)
    )
    assert "gXk29qpAz7Lm" in {one.value for one in config.read_secret_values(str(tmp_path))}
    assert opened == [".env.test"]

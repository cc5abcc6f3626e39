"""Two agents with workspaces of their own beside a shared one: who sees whose words, the core, and shared lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from e2e.host import Host
from e2e.model_server import said, system, text
from e2e.report import Stage
from e2e.scene import Lab, Scene, framed, install, opened

CORE = "The alarm code of the boathouse is 7714."
LINE = "The staging database is rotated every Tuesday by Ana."
# What each is told in private, and how it is asked for.
WORDS = {
    "main": ("My salary at the shipyard is 91000 a year.", "What is my salary at the shipyard?"),
    "desk": ("My dentist at the harbour is called Orla.", "What is my dentist at the harbour called?"),
    "anna": ("My blood pressure at the clinic was 142.", "What was my blood pressure at the clinic?"),
    "bob": ("My sister at the lighthouse keeps 12 bees.", "How many bees does my sister at the lighthouse keep?"),
}
QUESTION = "When is the staging database rotated?"


def shared_by(*names: str, beside: tuple[str, ...]) -> Callable[[Lab], AbstractContextManager[Scene]]:
    """A host whose notebook is the workspace of some agents (of none without names), beside agents with their own."""

    @contextmanager
    def scene(lab: Lab) -> Iterator[Scene]:
        def prepare(host: Host) -> None:
            host.note("MEMORY.md", f"# MEMORY\n\n- {CORE}\n")
            host.note("memory/2026-11-01.md", f"# 2026-11-01\n\n## Retain\n\n- W @Ana: {LINE}\n")
            settings = host.read_settings()
            own = {name: str(host.folder / name) for name in beside}
            folders = own | dict.fromkeys(names, str(host.workspace))
            for folder in own:
                (host.folder / folder).mkdir()
            settings["agents"]["entries"] = {name: {"workspace": folders[name]} for name in WORDS if name in folders}
            host.write_settings(settings)
            install(host, "--workspace", str(host.workspace), extra=lab.extra)

        with opened(lab, "-".join(("agents", *names)), prepare) as made:
            for name, (words, _question) in WORDS.items():
                if name in (*names, *beside):
                    made.ask(words, f"agent:{name}:first")
            made.until_captured(*(words for name, (words, _) in WORDS.items() if name in (*names, *beside)))
            yield made

    return scene


def row(scene: Scene, name: str, others: tuple[str, ...]) -> dict[str, bool]:
    """What an agent sees in a new session: whose words, the core, and a line of the notebook."""
    seen = {}
    for other in others:
        words, question = WORDS[other]
        frame = scene.frame(question, f"agent:{name}:about {other}")
        scene.host.turn(f'CALL commonplace_recall {{"query": "{question}"}}', f"agent:{name}:tool {other}")
        results = [text(one) for one in scene.model.requests[-1]["messages"] if one["role"] == "tool"]
        assert results, "the tool gave nothing"
        found = words in frame, words in results[-1]
        assert len(set(found)) == 1, f"{name} about {other}: in the prompt {found[0]}, by the tool {found[1]}"
        seen[other] = found[0]
    body = scene.ask(QUESTION, f"agent:{name}:line")
    core = CORE in system(body) or CORE in framed(said(body))
    return seen | {"core": core, "line": LINE in framed(said(body))}


def check_row(scene: Scene, name: str, others: tuple[str, ...], sees: tuple[str, ...]) -> str:
    """Assert that an agent sees just this; the row in words."""
    found = row(scene, name, others)
    assert found == {column: column in sees for column in (*others, "core", "line")}, f"{name} sees {found}"
    return f"{name} sees {', '.join(sees)}"


ALL = tuple(WORDS)


def main_sees_the_notebook(scene: Scene) -> str:
    """`main`, in the notebook, sees its words, the core and the lines, and not what others were told"""
    return check_row(scene, "main", ALL, ("main", "core", "line"))


def desk_shares_the_notebook(scene: Scene) -> str:
    """Another agent in the notebook sees its own words and those of `main`, the core and the lines"""
    return check_row(scene, "desk", ALL, ("main", "desk", "core", "line"))


def anna_sees_her_own(scene: Scene) -> str:
    """An agent with a workspace of its own sees its own words, and nothing of another agent's notebook"""
    return check_row(scene, "anna", ALL, ("anna",))


def bob_sees_his_own(scene: Scene) -> str:
    """So does another one"""
    return check_row(scene, "bob", ALL, ("bob",))


def doctor_shows_who_sees_what(scene: Scene) -> str:
    """`commonplace doctor openclaw` shows what each agent sees"""
    shown = scene.host.commonplace("doctor", "openclaw", check=False).stdout
    for name in ALL:
        assert f"{name!r}" in shown, f"nothing of {name}: {shown[-800:]}"
    return ""


OWN_AND_SHARED = ("main", "anna")


def main_beside_a_shared_notebook(scene: Scene) -> str:
    """Where the notebook is nobody's workspace, `main` sees its own words, the shared core and the shared lines"""
    return check_row(scene, "main", OWN_AND_SHARED, ("main", "core", "line"))


def anna_beside_a_shared_notebook(scene: Scene) -> str:
    """So does the other agent, and neither sees the words of the other"""
    return check_row(scene, "anna", OWN_AND_SHARED, ("anna", "core", "line"))


IN_NOTEBOOK = Stage(
    "Agents beside the notebook of main",
    shared_by("main", "desk", beside=("anna", "bob")),
    (main_sees_the_notebook, desk_shares_the_notebook, anna_sees_her_own, bob_sees_his_own, doctor_shows_who_sees_what),
)
BESIDE = Stage(
    "Agents beside a shared notebook",
    shared_by(beside=OWN_AND_SHARED),
    (main_beside_a_shared_notebook, anna_beside_a_shared_notebook),
)

"""What a gateway does when the engine hangs, dies, or may not see the conversation; what a warm turn costs."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from e2e.companion import ROTATION, furnish
from e2e.host import Host
from e2e.installing import GRANT
from e2e.model_server import said
from e2e.processes import engines, kill, peak, wait_until
from e2e.report import Stage
from e2e.scene import PLUGIN, SOON, Lab, Scene, framed, install, opened

QUESTION = "When is the staging database rotated?"
TURNS = 9
TRIES = 3
MOST_LOST = 1.0  # seconds that a hung engine may cost a turn
FIGURES: dict[str, tuple[float, float]] = {}  # stage -> seconds of a warm turn, megabytes at most


@contextmanager
def scene(lab: Lab) -> Iterator[Scene]:
    """A furnished host with the companion in it, warm."""

    def prepare(host: Host) -> None:
        furnish(host)
        install(host, extra=lab.extra)

    with opened(lab, "trouble", prepare) as made:
        made.frame(QUESTION, "warm")
        yield made


def warm_turns(scene: Scene) -> str:
    """Warm turns with Commonplace: seconds in the middle, and the peak of memory"""
    FIGURES["with"] = scene.timed(TURNS, QUESTION), peak(scene.host.gateway)
    engine = peak(scene.engine().number)
    return f"{FIGURES['with'][0]:.2f} s, {FIGURES['with'][1]:.0f} MB and {engine:.0f} MB of the engine"


def hung_engine_costs_little(scene: Scene) -> str:
    """A hung engine costs a turn at most a second, and the turn succeeds"""
    lost = []
    for number in range(TRIES):  # load only adds to what a turn takes, so the least of three tells the cost
        usual = scene.timed(3, QUESTION)
        engine = scene.engine().number
        kill(engine, signal.SIGSTOP)
        turn = scene.host.turn(f"{QUESTION} ({number})", f"hung {number}")
        kill(engine, signal.SIGCONT)
        assert turn.text == "Understood.", f"the turn answered {turn.text!r}"
        lost.append(turn.seconds - usual)
    assert min(lost) > 0.1, f"nothing was waited for, so nothing hung: {lost}"
    assert min(lost) <= MOST_LOST, f"it cost {min(lost):.2f} s at least"
    return f"{min(lost):.2f} s"


def hung_engine_is_replaced(scene: Scene) -> str:
    """An engine that stays hung is ended and replaced, and memory is back"""
    hung = scene.engine().number
    kill(hung, signal.SIGSTOP)
    turns = 0
    while hung in [one.number for one in engines(scene.host.folder)] and turns < 10:
        scene.host.turn(QUESTION, f"staying {turns}")
        turns += 1
    kill(hung, signal.SIGCONT)
    assert turns < 10, "after ten turns it is still there"
    _comes_back(scene, "replaced")
    return f"after {turns} turns"


def killed_engine_comes_back(scene: Scene) -> str:
    """A killed engine is started again, and memory is back"""
    before = scene.engine().number
    kill(before)
    assert wait_until(lambda: before not in [one.number for one in engines(scene.host.folder)], SOON), "not killed"
    assert scene.host.turn("Are you well?", "killed").text == "Understood."
    _comes_back(scene, "killed again")
    assert scene.engine().number != before
    return ""


def _comes_back(scene: Scene, session: str) -> None:
    """Turns recall again, soon."""
    wait_until(lambda: ROTATION in scene.frame(QUESTION, session), SOON)
    assert ROTATION in scene.frame(QUESTION, session), "nothing is recalled any more"


def missing_access_is_told(scene: Scene) -> str:
    """Without allowConversationAccess the gateway's log says so, with the command that grants it; turns succeed"""
    settings = scene.host.read_settings()
    settings["plugins"]["entries"][PLUGIN]["hooks"] = {}
    scene.host.stop()
    scene.host.write_settings(settings)
    mark = scene.host.log_mark()
    scene.host.start()
    body = scene.ask(QUESTION, "blind")
    assert not framed(said(body)), "the host let the hook see the conversation after all"
    assert GRANT in scene.host.log_since(mark), "the log says nothing of it"
    return ""


@contextmanager
def without(lab: Lab) -> Iterator[Scene]:
    """The same host, never installed into."""
    with opened(lab, "without", furnish) as made:
        made.host.turn(QUESTION, "warm")
        yield made


def warm_turns_without(scene: Scene) -> str:
    """Warm turns without Commonplace, and what it adds: at most a quarter of a second"""
    alone, memory = scene.timed(TURNS, QUESTION), peak(scene.host.gateway)
    FIGURES["without"] = alone, memory
    assert "with" in FIGURES, "there is no figure with Commonplace to compare with"
    added = FIGURES["with"][0] - alone
    assert added <= 0.25, f"{added:.2f} s more with it: {FIGURES}"
    return f"{alone:.2f} s, {memory:.0f} MB; with it {added * 1e3:+.0f} ms, {FIGURES['with'][1] - memory:+.0f} MB"


STAGE = Stage(
    "Trouble",
    scene,
    (
        warm_turns,
        hung_engine_costs_little,
        hung_engine_is_replaced,
        killed_engine_comes_back,
        missing_access_is_told,
    ),
)
WITHOUT = Stage("Without", without, (warm_turns_without,))

"""Numbered checks: each is a function whose first line says what must hold; what it returns is printed beside it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

from e2e.host import HostError

MOST_SAID = 600  # characters of a reason


class Stage(NamedTuple):
    """Checks in order, all in one scene; `scene` is entered before the first and left behind the last."""

    name: str
    scene: Callable[..., AbstractContextManager[Any]]
    checks: tuple[Callable[..., str], ...]


@dataclass
class Report:
    """What was checked so far; prints a line for each check as it ends."""

    number: int = 0
    failed: list[int] = field(default_factory=list)

    def run(self, stage: Stage, *around: Any) -> None:
        """Make every check of a stage; where its scene cannot be set, every one of them fails."""
        print(f"\n{stage.name}", flush=True)
        with ExitStack() as stack:
            try:
                scene = stack.enter_context(stage.scene(*around))
            except (HostError, OSError, ValueError) as error:
                scene = error
            for check in stage.checks:
                self.check(check, scene)

    def check(self, check: Callable[..., str], scene: Any) -> None:
        """Make one check and print how it went."""
        self.number += 1
        began = perf_counter()
        with self._judged() as told:
            if isinstance(scene, Exception):
                raise HostError(f"not tried: {scene}")
            told["fact"] = check(scene)
        verdict = "FAIL" if self.number in self.failed else "ok"
        said = f": {told['fact']}" if told["fact"] else ""
        print(f"{verdict:<4} {self.number:>3}  {title(check)}{said} ({perf_counter() - began:.1f} s)", flush=True)

    @contextmanager
    def _judged(self) -> Iterator[dict[str, str]]:
        """What a check told; it failed if it raised."""
        told = {"fact": ""}
        try:
            yield told
        except AssertionError as error:
            self.failed.append(self.number)
            told["fact"] = str(error)[:MOST_SAID]
        except Exception as error:  # noqa: BLE001 - a check that breaks is a failed one, and the next is made
            self.failed.append(self.number)
            where = traceback.extract_tb(error.__traceback__)[-1]
            told["fact"] = f"{type(error).__name__} at {where.name}:{where.lineno}: {str(error)[:MOST_SAID]}"

    def end(self) -> int:
        """Print the sum; the exit code."""
        print(f"\n{self.number - len(self.failed)} of {self.number} checks hold", flush=True)
        if self.failed:
            print(f"failed: {', '.join(map(str, self.failed))}")
        return 1 if self.failed or not self.number else 0


def title(check: Callable[..., str]) -> str:
    """The first line of what a check says of itself, without the full stop."""
    return (check.__doc__ or check.__name__).strip().split("\n")[0].rstrip(".")

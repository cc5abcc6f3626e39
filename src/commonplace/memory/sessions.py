"""Memory's verbs of a task under way: sessions, the working buffer, and resuming after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.memory.opening import Opened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commonplace.capture import Kept, Place
    from commonplace.model import Actor
    from commonplace.sessions import Resumed, Rotated, Session, Working


class Sessions(Opened):
    """What is at hand."""

    def session_start(
        self,
        session: str,
        *,
        goal: str | None = None,
        plan: tuple[str, ...] | None = None,
        skill: str | None = None,
        now: str | None = None,
    ) -> Session:
        """Begin a task. A session that goes on with the same goal, or with none named, keeps what it knows.

        A working buffer that is stale or too full is moved into the day's note first. Raises BadArgument.
        """
        from commonplace import sessions

        place = self._place(now)
        notes = sessions.tidy(place)
        progress = sessions.Progress(goal=goal, plan=plan, skill=skill)
        return sessions.Session(sessions.start(place, session, progress), notes)

    def session_step(
        self,
        session: str,
        *,
        observations: tuple[str, ...] = (),
        facts: Mapping[str, str] | None = None,
        done: tuple[int, ...] = (),
        goal: str | None = None,
        plan: tuple[str, ...] | None = None,
        skill: str | None = None,
        actor: Actor = "agent",
        now: str | None = None,
    ) -> Session:
        """Note what a step brought: what was observed, facts (an empty value forgets one), steps of the plan done.

        `actor` said it. Raises NotFound for a session that was not started, BadArgument.
        """
        from commonplace import sessions

        progress = sessions.Progress(
            goal=goal,
            plan=plan,
            done=done,
            skill=skill,
            facts=tuple((facts or {}).items()),
            observations=observations,
            actor=actor,
        )
        return sessions.Session(sessions.step(self._place(now), session, progress))

    def session_show(self, session: str) -> Session:
        """What a session has in mind. Raises NotFound with the names of those that are under way."""
        from commonplace import sessions

        known = sessions.find(self._place(None), session)
        if known is None:
            raise NotFound("session", session, tuple(working.session for working in self.sessions()[:3]))
        return sessions.Session(known)

    def session_done(self, session: str, *, now: str | None = None) -> Session:
        """Clear a session at completion; with the last one the working buffer moves into the day's note.

        Returns what it had in mind: nothing where it is not under way, which the notes say.
        """
        from commonplace import sessions

        place = self._place(now)
        known = sessions.find(place, session)
        if known is None:
            others = ", ".join(repr(working.session) for working in self.sessions()[:3])
            told = f"nothing to clear: no session of this name is under way{others and f', but {others}'}"
            return sessions.Session(sessions.done(place, session), (told,))
        if any(other.session != known.session for other in sessions.sessions(self.root)):
            return sessions.Session(sessions.done(place, session))
        moved = sessions.rotate(place)  # first: what fails or is stopped here can be asked for again
        working = sessions.done(place, session)
        said = (f"moved {moved.lines} lines of the working buffer to {moved.path}",) if moved.path else ()
        return sessions.Session(working, moved.notes + said)

    def sessions(self) -> tuple[Working, ...]:
        """The sessions that are under way, the one that was last at work first."""
        from commonplace import sessions

        return sessions.sessions(self.root)

    def buffer_add(
        self,
        text: str,
        *,
        kind: str = "note",
        task: str = "",
        actor: Actor = "agent",
        scope: str = "",
        session: str = "",
        sources: tuple[str, ...] = (),
        now: str | None = None,
    ) -> Kept:
        """Note a decision, a correction or a fact in the working buffer before anything else is done with it.

        `kind` is decision, correction, fact or note; without `task` it goes to the session's goal, or below the task
        that the buffer ends with. Raises BadArgument.
        """
        from commonplace import sessions

        index = self._fresh() if sources else None
        basis = tuple(found.trust for source in sources if index and (found := index.find(source)) is not None)
        said = sessions.Note(
            text=text,
            kind=kind,
            task=task,
            actor=actor,
            session=session,
            scope=scope,
            sources=sources,
            basis=basis,
        )
        kept = sessions.note(self._place(now), said)
        if kept.record is None:
            return kept
        record = self._after(kept.record.id)
        return structs.replace(kept, record=record or kept.record, notes=kept.notes + self._notes)

    def buffer_rotate(self, *, now: str | None = None) -> Rotated:
        """Move the working buffer into the day's note, above its closure block."""
        from commonplace import sessions

        return sessions.rotate(self._place(now))

    def resume(
        self,
        *,
        session: str = "",
        budget_tokens: int | None = None,
        scope: str | None = None,
        all_scopes: bool = False,
        now: str | None = None,
    ) -> Resumed:
        """What a restarted agent should read, within a budget: core, buffer, working memory, pending, logs, learnings,
        and the newest that was said in the session.

        Finishes a move of the buffer that broke off, and says in its header that it is at work, unless it is stale.
        Raises BadArgument.
        """
        from commonplace import sessions, tokens
        from commonplace.pack.make import vocabulary

        budget = sessions.BUDGET if budget_tokens is None else budget_tokens
        if budget < 0:
            raise BadArgument(f"the budget must not be negative: {budget}")
        place = self._place(now)
        counter, note = tokens.tokenizer(vocabulary(self.settings, self.root))
        notes = self._attempted(sessions.recover, place) + ((note,) if note else ())
        scopes = None if all_scopes else ("", self.settings.scope if scope is None else scope)
        index = self._fresh()
        with index.snapshot():
            shelf = sessions.Shelf(place, index, session, scopes, self.settings.files_max_bytes)
            resumed = sessions.resume(shelf, budget, counter.count)
        notes += self._attempted(sessions.beat, place)
        return structs.replace(resumed, notes=(*notes, *self._notes, *resumed.notes))

    def _attempted(self, act: Callable[[Place], object], place: Place) -> tuple[str, ...]:
        """What came of something that an agent need not wait for: reading must go on where nothing can be written."""
        try:
            done = act(place)
        except CommonplaceError as error:
            return (error.message,)
        return done if isinstance(done, tuple) else ()

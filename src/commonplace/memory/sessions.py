"""The session methods of Memory: start, step, show and end a session, the working buffer, and resuming."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.memory.open_workspace import OpenWorkspace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commonplace.capture import RetainResult, WriteContext
    from commonplace.model import Actor
    from commonplace.upkeep.sessions import ResumeContext, RotationResult, SessionState, WorkingMemory


class SessionMixin(OpenWorkspace):
    """What is at hand."""

    def session_start(
        self,
        session: str,
        *,
        goal: str | None = None,
        plan: tuple[str, ...] | None = None,
        skill: str | None = None,
        now: str | None = None,
    ) -> SessionState:
        """Begin a task. A session that goes on with the same goal, or with none named, keeps what it knows.

        A working buffer that is stale or too full is moved into the day's note first. Raises BadArgument.
        """
        from commonplace.upkeep import sessions

        context = self._write_context(now)
        notes = sessions.tidy_buffer(context)
        update = sessions.SessionUpdate(goal=goal, plan=plan, skill=skill)
        return sessions.SessionState(sessions.start_session(context, session, update), notes)

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
    ) -> SessionState:
        """Note what a step brought: what was observed, facts (an empty value forgets one), steps of the plan done.

        `actor` said it. Raises NotFound for a session that was not started, BadArgument.
        """
        from commonplace.upkeep import sessions

        update = sessions.SessionUpdate(
            goal=goal,
            plan=plan,
            completed_steps=done,
            skill=skill,
            facts=tuple((facts or {}).items()),
            observations=observations,
            actor=actor,
        )
        return sessions.SessionState(sessions.record_step(self._write_context(now), session, update))

    def session_show(self, session: str) -> SessionState:
        """What a session has in mind. Raises NotFound with the names of those that are under way."""
        from commonplace.upkeep import sessions

        known = sessions.find_session(self._write_context(None), session)
        if known is None:
            raise NotFound("session", session, tuple(working.session for working in self.sessions()[:3]))
        return sessions.SessionState(known)

    def session_done(self, session: str, *, now: str | None = None) -> SessionState:
        """Clear a session at completion; with the last one the working buffer moves into the day's note.

        Returns what it had in mind: nothing where it is not under way, which the notes say.
        """
        from commonplace.upkeep import sessions

        context = self._write_context(now)
        known = sessions.find_session(context, session)
        if known is None:
            others = ", ".join(repr(working.session) for working in self.sessions()[:3])
            told = f"nothing to clear: no session of this name is under way{others and f', but {others}'}"
            return sessions.SessionState(sessions.end_session(context, session), (told,))
        if any(other.session != known.session for other in sessions.list_sessions(self.root)):
            return sessions.SessionState(sessions.end_session(context, session))
        moved = sessions.rotate_buffer(context)  # first: what fails or is stopped here can be asked for again
        working = sessions.end_session(context, session)
        said = (f"moved {moved.lines} lines of the working buffer to {moved.path}",) if moved.path else ()
        return sessions.SessionState(working, moved.notes + said)

    def sessions(self) -> tuple[WorkingMemory, ...]:
        """The sessions that are under way, the one that was last at work first."""
        from commonplace.upkeep import sessions

        return sessions.list_sessions(self.root)

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
    ) -> RetainResult:
        """Note a decision, a correction or a fact in the working buffer before anything else is done with it.

        `kind` is decision, correction, fact or note; without `task` it goes to the session's goal, or below the task
        that the buffer ends with. Raises BadArgument.
        """
        from commonplace.upkeep import sessions

        index = self._synced_index() if sources else None
        basis = tuple(found.trust for source in sources if index and (found := index.find(source)) is not None)
        note = sessions.BufferNote(
            text=text,
            kind=kind,
            task=task,
            actor=actor,
            session=session,
            scope=scope,
            sources=sources,
            basis=basis,
        )
        result = sessions.add_note(self._write_context(now), note)
        if result.record is None:
            return result
        record = self._index_after_write(result.record.id)
        return structs.replace(result, record=record or result.record, notes=result.notes + self._notes)

    def buffer_rotate(self, *, now: str | None = None) -> RotationResult:
        """Move the working buffer into the day's note, above its closure block."""
        from commonplace.upkeep import sessions

        return sessions.rotate_buffer(self._write_context(now))

    def resume(
        self,
        *,
        session: str = "",
        budget_tokens: int | None = None,
        scope: str | None = None,
        all_scopes: bool = False,
        now: str | None = None,
    ) -> ResumeContext:
        """What a restarted agent should read, within a budget: core, buffer, working memory, pending, logs, learnings,
        and the newest that was said in the session.

        Finishes a move of the buffer that broke off, and says in its header that it is at work, unless it is stale.
        Raises BadArgument.
        """
        from commonplace.language import tokens
        from commonplace.retrieval.pack.pipeline import vocabulary_path
        from commonplace.upkeep import sessions

        budget = sessions.DEFAULT_BUDGET_TOKENS if budget_tokens is None else budget_tokens
        if budget < 0:
            raise BadArgument(f"the budget must not be negative: {budget}")
        context = self._write_context(now)
        counter, note = tokens.load_tokenizer(vocabulary_path(self.settings, self.root))
        notes = self._attempt_optional(sessions.recover_buffer, context) + ((note,) if note else ())
        scopes = None if all_scopes else ("", self.settings.scope if scope is None else scope)
        index = self._synced_index()
        with index.snapshot():
            resume_sources = sessions.ResumeSources(context, index, session, scopes, self.settings.files_max_bytes)
            resumed = sessions.build_resume_context(resume_sources, budget, counter.count)
        notes += self._attempt_optional(sessions.refresh_heartbeat, context)
        return structs.replace(resumed, notes=(*notes, *self._notes, *resumed.notes))

    def _attempt_optional(self, action: Callable[[WriteContext], object], context: WriteContext) -> tuple[str, ...]:
        """What came of something that an agent need not wait for: reading must go on where nothing can be written."""
        try:
            done = action(context)
        except CommonplaceError as error:
            return (error.message,)
        return done if isinstance(done, tuple) else ()

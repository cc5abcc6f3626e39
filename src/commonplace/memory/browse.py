"""What is there: show, cite, entities and timeline."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs

from commonplace.errors import NotFound, closest_names
from commonplace.memory.open_workspace import require_result_count
from commonplace.memory.recall import resolve_query
from commonplace.model import EntityView
from commonplace.retrieval.recall import (
    JOURNAL_FOLDER,
    find_entity_records,
    find_surroundings,
    format_anchored_citation,
    format_citation,
    list_timeline,
    show_reference,
)
from commonplace.storage import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commonplace.memory.open_workspace import OpenWorkspace
    from commonplace.model import Record, View
    from commonplace.operations.parameters import EntityRequest, ShowRequest, TimelineRequest


def show_lines(workspace: OpenWorkspace, request: ShowRequest) -> View:
    """A record by id, or lines of a file by `PATH`, `PATH#L12` or `PATH#L12-L15`, as they stand on disk.

    A citation with an anchor, as `cite` makes it, gives a `ResolvedCitation`: the lines that it means today, which may
    stand elsewhere or have changed; its `status` says so. Raises NotFound, BadArgument, OutsideWorkspace.
    """
    earlier_lines = partial(_earlier_lines, workspace.root)
    return show_reference(
        workspace.synced_index(), workspace.sync_source().read, request.reference, earlier_lines=earlier_lines
    )


def cite_lines(workspace: OpenWorkspace, request: ShowRequest) -> str:
    """A citation that lasts: where the lines stand, and an anchor made of their words. Raises as `show`."""
    view = show_lines(workspace, request)
    return format_citation(view) if view.path.startswith(JOURNAL_FOLDER) else format_anchored_citation(view)


def _earlier_lines(root: str, path: str) -> Iterator[str]:
    """Lines that were written to a file by us, or replaced there, as far as the changes are still kept."""
    from commonplace.storage.workspace import CHANGES_FOLDER, find_change

    for name in files.list_file_sizes(root, CHANGES_FOLDER):
        if name.endswith(".json"):
            with suppress(NotFound):  # a note that is being written, or one that `check` complains about
                change = find_change(root, name.removesuffix(".json"))
                if change.path == path:
                    yield from (*change.before.split("\n"), *change.after.split("\n"))


def show_entity(workspace: OpenWorkspace, request: EntityRequest) -> EntityView:
    """The page of an entity and the records that name it. Raises NotFound with near names."""
    index = workspace.synced_index()
    with index.snapshot():
        records = find_entity_records(index, request.name, require_result_count(request.at_most))
    if records is None:
        names = [name for _key, name, _count in index.entities()]
        raise NotFound("entity", request.name, closest_names(request.name, names, 3))
    return EntityView(*records)


def list_records_in_time(workspace: OpenWorkspace, request: TimelineRequest) -> tuple[Record, ...]:
    """Dated records in order of time, the newest `at_most` of the stretch. Raises BadArgument.

    `around` is a time, or the id of a record or capture: then what stands or was said around it.
    """
    query = structs.replace(resolve_query(workspace, request), around="")
    with (index := workspace.synced_index()).snapshot():
        if request.around and index.row_of_record(request.around):
            return find_surroundings(index, query, request.around, require_result_count(request.at_most))
        query = structs.replace(query, around=request.around)
        return list_timeline(index, query, require_result_count(request.at_most))

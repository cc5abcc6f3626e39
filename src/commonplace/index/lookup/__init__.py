"""Reading the index in SQLite: filters, postings, names and whole records, each question one statement."""

from __future__ import annotations

from commonplace.index.lookup.files import Files
from commonplace.index.lookup.names import Names
from commonplace.index.lookup.records import Records


class Lookup(Files, Records, Names):
    """The reading half of `Index`, on one connection."""

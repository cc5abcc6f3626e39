"""The content of the database in a canonical form, and everything that is wrong in the files."""

from __future__ import annotations

DUMP_QUERIES = {
    "file": "select path, origin, role, title, digest, records from files order by path",
    "record": """select id, claim, path, line_start, line_end, byte_start, byte_end, digest, form, kind, category,
        trust, scope, time, starts, ends, recorded, valid_from, valid_to, confidence, importance, superseded_by,
        speaker, heading, entities, tags, links, triggers, supersedes, sources, annotated, actor, speech_act, session,
        length, text, tokens, context, standing, id_chars
        from records order by path, line_start, byte_start, id""",
    "mention": """select records.path, records.line_start, key, role, name from mentions
        join records on records.rowid = record order by 1, 2, 3, 4, records.byte_start, records.id""",
    "page": "select path, key, name, entity from pages order by path, key",
    "tag": """select records.path, records.line_start, tag from tags join records on records.rowid = record
        order by 1, 2, 3, records.id""",
    "link": """select records.path, records.line_start, target from links join records on records.rowid = record
        order by 1, 2, 3, records.id""",
    "derivation": """select source, records.path, records.line_start from derivations
        join records on records.rowid = record order by 1, 2, 3, records.id""",
    "event": """select records.path, records.line_start, begins, closes from events
        join records on records.rowid = record order by 1, 2, 3, 4, records.id""",
    "signature": """select signature, path, line_start from signatures join records on records.rowid = record
        order by 1, 2, byte_start, id""",
    "replacement": """select signature, before.path, before.line_start, later.path, later.line_start, since,
        order_key, old_value, new_value, reason from replacements join records as before on before.rowid = older
        join records as later on later.rowid = newer
        order by 1, 2, before.byte_start, before.id, 4, later.byte_start, later.id""",
    "twin": """select chain, position, path, line_start from twins left join records on records.rowid = record
        order by 1, 2, 3, byte_start, id""",
    "ledger": "select id, op, other, time from ledger_relations order by id, op, other",
    "word": "select term, doc, cnt from vocabulary order by term",
    "origin": "select key, trust from origins order by key",
    "move": "select path, origin, line from moves order by path",
    "captured": "select key from captured order by key",
    "taint": """select count(*), sum(hash % 65521), sum((hash >> 16) % 65521), sum((hash >> 32) % 65521) from taints
        having count(*) > 0""",
    "hidden": "select distinct id, sentences from hidden order by id, sentences",
    "hidden place": "select path, first_line, last_line, id from hidden_places order by path, first_line, id",
    "explained": "select id from explained order by id",
    "usage": "select id, included, used from usage order by id",
    "size": """select key, value from meta where key in ('records', 'length', 'evidence', 'retold', 'retold length')
        and value <> 0 order by key""",
}

# Two questions, for asked as one both would be read in order of paths, which is all records.
CONFLICTED_PATHS = "select path from problems where code in ('merge-markers', 'conflict-copy')"
PROBLEM_QUERIES = (
    "select path, line, code, message, hint from problems",
    """select path, line_start, 'duplicate-id', 'the id ' || claim || ' is taken by an earlier line',
        'give this line an id of its own, or none' from records where annotated and id <> claim""",
)

"""The schema of the derived index: every statement once, each with its purpose; another version means a rebuild."""

from __future__ import annotations

VERSION = 12

TABLES: tuple[tuple[str, str], ...] = (
    (
        "one row a Markdown file as last read; the stamp (size, times, inode) spares reading it again",
        """create table files (
            path text primary key, origin text not null, role text not null, title text not null,
            digest text not null, size integer not null, mtime integer not null, ctime integer not null,
            inode integer not null, records integer not null
        ) without rowid""",
    ),
    (
        "one row a record, from `evidence.FIRST_ROW` on a capture; the columns that filters read come first",
        """create table records (
            rowid integer primary key, length integer not null, scope text not null, kind text not null,
            category text not null, trust text not null, superseded_by text not null, actor text not null,
            retold integer not null default 0, dialogue integer not null, time text not null,
            starts text not null, ends text not null, id text not null, claim text not null, path text not null,
            line_start integer not null, line_end integer not null, byte_start integer not null,
            byte_end integer not null, digest text not null, form text not null, speaker text not null,
            valid_from text not null, valid_to text not null, confidence real, importance real,
            said_trust text not null, annotated integer not null, heading text not null, entities text not null,
            tags text not null, links text not null, triggers text not null, supersedes text not null,
            sources text not null, session text not null, text text not null, text_digest text not null,
            tokens text not null, context text not null
        )""",
    ),
    (
        "full text over the tokens that `text/` makes: of the text, of the titles above it, and what `marks` adds",
        """create virtual table lines using fts5(
            text, context, marks, content='', contentless_delete=1, tokenize="ascii tokenchars '_.-@/:+#'"
        )""",
    ),
    (
        "tokens wait in this much memory before they are written: fewer, larger segments, a third less time to fill",
        "insert into lines (lines, rank) values ('hashsize', 8388608)",
    ),
    ("how many records hold a token", "create virtual table vocabulary using fts5vocab(lines, 'row')"),
    ("in which records a token stands, and where", "create virtual table postings using fts5vocab(lines, 'instance')"),
    (
        "which record names which entity, by folded name; role tells how",
        """create table mentions (
            key text not null, record integer not null, role text not null, name text not null,
            primary key (key, record, role)
        ) without rowid""",
    ),
    (
        "names of pages (title, file name, aliases), by folded name",
        """create table pages (
            key text not null, path text not null, name text not null, entity integer not null,
            primary key (key, path)
        ) without rowid""",
    ),
    (
        "the tags of a record",
        "create table tags (tag text not null, record integer not null, primary key (tag, record)) without rowid",
    ),
    (
        "the links of a record, by folded name of their target",
        """create table links (
            target text not null, record integer not null, primary key (target, record)
        ) without rowid""",
    ),
    (
        "which record says that it replaces which",
        """create table supersessions (
            target text not null, record integer not null, primary key (target, record)
        ) without rowid""",
    ),
    (
        "which record rests on which source",
        """create table derivations (
            source text not null, record integer not null, primary key (source, record)
        ) without rowid""",
    ),
    (
        "the stretches of time that a record tells of",
        """create table events (
            begins text not null, closes text not null, record integer not null, primary key (begins, closes, record)
        ) without rowid""",
    ),
    (
        "what is wrong in the files; `source` is the file that was parsed, or what else was looked at",
        """create table problems (
            source text not null, path text not null, line integer not null, code text not null,
            message text not null, hint text not null
        )""",
    ),
    (
        "trust as the ledger knows it, by record id, by digest of the text, and by both with a space between",
        "create table origins (key text primary key, trust text not null) without rowid",
    ),
    (
        "where a file stood at first sight, and which ledger line says so",
        "create table moves (path text primary key, origin text not null, line text not null) without rowid",
    ),
    (
        "how often a record was packed and used, as the ledger counts",
        """create table usage (
            id text primary key, included integer not null default 0, used integer not null default 0
        ) without rowid""",
    ),
    (
        "the keys under which the sources of captures know them, so that none is taken twice",
        "create table captured (key text primary key) without rowid",
    ),
    (
        "records that the ledger says were put away on purpose",
        "create table explained (id text primary key) without rowid",
    ),
    (
        "shingles (hashed runs of four words) of what cannot be trusted",
        "create table taints (hash integer primary key)",
    ),
    (
        "the texts whose shingles are kept: those of Markdown by digest, what the owner said by the id of the capture",
        "create table spoken (id integer primary key, digest text not null unique, owner integer not null)",
    ),
    (
        "which shingles stand in which text, and which are alone there; kept only where somebody needs them",
        """create table shingles (
            hash integer not null, alone integer not null, text integer not null, primary key (hash, alone, text)
        ) without rowid""",
    ),
    (
        "digests of texts that share so many shingles with what cannot be trusted that they were taken from it",
        "create table tainted (digest text primary key) without rowid",
    ),
    (
        "how far each journal was read, and sums that queries need",
        "create table meta (key text primary key, value) without rowid",
    ),
)

# Made after the first rows are in: filling a table that has no indexes takes half of the time.
INDEXES: tuple[tuple[str, str], ...] = (
    (
        "what the usual filters read, and the length of each text, without touching the texts",
        "create index records_visible on records (superseded_by, scope, trust, kind, category, actor, retold, length)",
    ),
    ("find a record by its id", "create index records_id on records (id)"),
    (
        "find the records that claim one id, to settle who keeps it",
        "create index records_claim on records (claim)",
    ),
    (
        "find the records whose id another has",
        "create index records_rivals on records (path) where annotated and id <> claim",
    ),
    ("find the records of a file in order", "create index records_path on records (path, line_start)"),
    (
        "find the records of a stretch of time",
        "create index records_time on records (time) where time <> ''",
    ),
    (
        "find the newest records",
        "create index records_newest on records (iif(time = '', starts, time))",
    ),
    (
        "find the records that hold in a stretch",
        "create index records_valid on records (starts) where starts <> ''",
    ),
    ("find the records of a scope", "create index records_scope on records (scope) where scope <> ''"),
    (
        "find the superseded records",
        "create index records_superseded on records (superseded_by) where superseded_by <> ''",
    ),
    (
        "read a dialogue in order: captures by time, the lines of a log as they stand",
        """create index records_dialogue on records (
            dialogue, iif(actor <> '', time, ''), path, line_start, byte_start
        ) where dialogue <> 0""",
    ),
    (
        "find the captures of a session",
        "create index records_session on records (session) where session <> ''",
    ),
    ("find records by the digest of their text", "create index records_text on records (text_digest)"),
    ("drop a record's mentions with it", "create index mentions_record on mentions (record)"),
    ("drop a file's names with it", "create index pages_path on pages (path)"),
    ("drop a record's tags with it", "create index tags_record on tags (record)"),
    ("drop a record's links with it", "create index links_record on links (record)"),
    (
        "drop a record's supersessions with it",
        "create index supersessions_record on supersessions (record)",
    ),
    (
        "drop a record's derivations with it",
        "create index derivations_record on derivations (record)",
    ),
    ("drop a record's times with it", "create index events_record on events (record)"),
    ("drop a file's problems with it", "create index problems_source on problems (source)"),
)

# The last steps of a build.
FINISH: tuple[tuple[str, str], ...] = (
    (
        "join the pieces in which the full text was written: a word is looked up in each",
        "insert into lines (lines) values ('optimize')",
    ),
    (
        "join the small pieces that later writes leave as soon as there are four (else sixteen)",
        "insert into lines (lines, rank) values ('crisismerge', 4)",
    ),
)

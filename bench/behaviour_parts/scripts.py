"""Commands in order, each list in a workspace of its own.

`{id}`, `{change}`, `{capture}`, `{receipt}` are the first such values of what was printed before. `write PATH TEXT` and
`remove PATH` change a file, `feed TEXT` is what the next command reads; `cut PATH N` takes away line N.
"""

from __future__ import annotations

import json

DAY = """# 2025-11-27

## Log
- 09:10, Opened the workshop with Ana.

## Retain

- W @Peter: In Marrakech (Nov 27 – Dec 1, 2025) for Andy's birthday.
- O(c=0.9) @Peter: Prefers short answers. #tags: style
- B @Ana: Sailed to Trieste with Peter on 2025-11-20.
"""
CONTACTS = "# Contacts\n#tags: people\n\n- Ana's city: Bern\n- Peter's phone: 555 0134\n"
PROJECTS = """# Projects

- Lighthouse: launch on 2025-12-15 <!-- project: lighthouse -->
- Anchor: launch on 2026-03-01 <!-- project: anchor -->
"""
PAGE = "---\naliases: [Pete]\n---\n# Peter\n\n- Lives in Bern.\n- Friend of [[Ana]].\n"
NOTEBOOK = {
    "memory/2025-11-27.md": DAY,
    "memory/semantic/contacts.md": CONTACTS,
    "memory/semantic/projects.md": PROJECTS,
    "bank/entities/Peter.md": PAGE,
    "MEMORY.md": "# Core\n\n## Who\n- Peter builds boats.\n",
}
GOLDEN = """- now: 2025-11-30T09:00
## Where does Ana live?
- memory/semantic/contacts.md#L4
- "Bern"
## Who sails to the moon?
- memory/semantic/contacts.md#L5
- k: 3
"""
SESSION = "5f7e0bff-a214-4c11-97ae-eab26883c67a"
STAMP = "2025-11-27T09:40:00.000Z"
CLAUDE_CODE = [
    {
        "parentUuid": None,
        "isSidechain": False,
        "type": role,
        "message": {"role": role, "content": text},
        "uuid": f"fb36736e-92ba-4724-ba02-00000000000{number}",
        "timestamp": STAMP,
        "sessionId": SESSION,
    }
    for number, (role, text) in enumerate((("user", "The oars are in the blue shed."), ("assistant", "Noted.")))
]
OPENCLAW = [
    {"type": "session", "version": 3, "id": "sess-1", "timestamp": STAMP, "cwd": "/w"},
    {
        "type": "message",
        "id": "m1",
        "parentId": None,
        "timestamp": STAMP,
        "message": {"role": "user", "content": "The dog is called Rex."},
    },
]
CHATGPT = [
    {
        "title": "Boats",
        "id": "c1",
        "current_node": "q",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["q"]},
            "q": {
                "id": "q",
                "parent": "root",
                "children": [],
                "message": {
                    "id": "q",
                    "author": {"role": "user"},
                    "create_time": 1764236400.0,
                    "content": {"content_type": "text", "parts": ["I keep my boat in Trieste."]},
                },
            },
        },
    }
]
CLAUDE = [
    {
        "uuid": SESSION,
        "name": "Boats",
        "chat_messages": [
            {"uuid": "0a7e", "sender": "human", "created_at": STAMP, "text": "My boat is red.", "content": []}
        ],
    }
]
MEM0 = {
    "results": [
        {
            "id": "m1",
            "memory": "Prefers morning meetings",
            "user_id": "jonas",
            "created_at": "2025-11-20T08:00:00Z",
        },
        {"id": "m2", "memory": "Carl leads the redesign", "user_id": "carl", "created_at": "2025-11-21T08:00:00Z"},
    ]
}
CHAT = "27/11/2025, 10:05 - Ana: Shall we meet at six?\n27/11/2025, 10:06 - Ben: The oars are in the blue shed.\n"
LOG = '{"ts": "2025-11-27T09:40", "text": "The database listens on port 6432."}\n{"text": "cut off\nnull\n'


def _lines(entries: list[dict[str, object]]) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def _worked(run: int) -> str:
    """A goal of the owner's and the commands that reached it, as lines to ingest."""
    common = {"session": f"release {run}", "ts": f"2025-11-0{run}T10:00"}
    told: list[dict[str, object]] = [{"text": "Publish the package on npm.", "actor": "owner", **common}]
    for command in (f"npm version 1.2.{run}", "npm publish", "git push --follow-tags"):
        called = {"tool": "exec", "arguments": {"command": command}, "exit_code": 0, "duration_ms": 1000 * run}
        told.append({"text": "done", "actor": "tool", "type": "tool_result", **called, **common})
    return _lines(told)


HOOKS = [
    json.dumps({"session_id": SESSION, "cwd": "/w", "hook_event_name": name, **more})
    for name, more in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "Where does Ana live?", "prompt_id": "p1"}),
        ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}}),
        ("Nothing", {}),
    )
]
PASSWORD = "Winter2025!"

SCRIPTS: dict[str, tuple[dict[str, str], tuple[tuple[str, ...], ...]]] = {
    "looking": (
        NOTEBOOK,
        (
            ("recall", "where is Peter for the birthday?"),
            ("recall", "--explain", "where is Pete?"),
            ("recall", "--kind", "opinion", "--entity", "Peter", "answers"),
            ("recall", "--since", "2025-11-15", "--until", "2025-11-25", "what did Ana do?"),
            ("recall", "--scope", "lighthouse", "launch"),
            ("recall", "--all-scopes", "--evidence", "none", "-k", "1", "launch"),
            ("recall", "nothing of this sort"),
            ("pack", "what should I know about Peter?", "--budget", "120", "--receipt"),
            ("why", "{receipt}", "{id}"),
            ("why",),
            ("pack", "what should I know about Ana?", "--budget", "300", "--automatic", "--session", "s1"),
            ("diff-receipts",),
            ("diff-receipts", "last~1", "last"),
            ("pack", "Peter", "--format", "openclaw-mem"),
            ("pack", "Ana", "--kind", "world", "--category", "note", "--all-scopes", "--evidence", "only", "--history"),
            ("pack", "Ana", "--scope", "anchor", "--trust", "trusted", "--since", "last year", "--until", "today"),
            ("recall", "--around", "2025-11-20", "--category", "fact", "--no-sync", "Peter"),
            ("timeline", "--around", "2025-11-20", "--until", "2025-11-28", "--all-scopes"),
            ("timeline", "--scope", "anchor"),
            ("why-not", "where does Ana live?", "memory/semantic/contacts.md#L5"),
            ("why-not", "--budget", "60", "where does Ana live?", "memory/2025-11-27.md#L9"),
            ("why-not", "--kind", "opinion", "-k", "2", "sailing to Trieste", "memory/2025-11-27.md#L10"),
            ("show", "memory/2025-11-27.md#L8"),
            ("show", "memory/2025-11-27.md#L8", "--cite"),
            ("show", "bank/entities/Peter.md"),
            ("show", "{id}"),
            ("entity",),
            ("entity", "Pete"),
            ("entity", "Ana"),
            ("timeline",),
            ("timeline", "--since", "last week", "--evidence", "auto", "-n", "3"),
            ("tags",),
            ("tags", "people"),
            ("resume",),
            ("status",),
            ("check",),
            ("write", "memory/golden.md", GOLDEN),
            ("test",),
            ("test", "--update"),
            ("cut", "memory/semantic/contacts.md", "4"),
            ("test", "-k", "2"),
            ("learnings",),
            ("write", ".learnings/ERRORS.md", "- forgot to open the port\n- Forgot to open the port.\n"),
            ("learnings", "--all"),
            ("sync", "--dry-run"),
            ("sync",),
            ("rebuild",),
            ("audit",),
            ("embed",),
            ("completion", "bash"),
            ("service",),
            ("service", "--schedule"),
            ("service", "--systemd"),
            ("service", "--launchd"),
            ("doctor",),
        ),
    ),
    "keeping": (
        {},
        (
            ("init",),
            ("init",),
            ("retain", "W @Peter: Lives in Bern."),
            ("retain", "--importance", "0.8", "--valid", "2025-11-27..2025-12-01", "O(c=0.7) @Ana: Tea is best."),
            ("retain", "--supersedes", "{id}", "--actor", "agent", "--session", "s1", "O(c=0.8) @Ana: Coffee is best."),
            ("retain", "--scope", "boats", "The mast is nine metres long."),
            ("retain", f"The mail account opens with the password {PASSWORD} still."),
            ("feed", "Read from standard input."),
            ("log", "-"),
            ("log", "--actor", "agent", "--session", "s1", "--scope", "boats", "Called the landlord."),
            ("retain", "--from", "{capture}", "W @Ana: Rows."),
            (
                "capture",
                "--tool",
                "exec",
                "--arguments",
                '{"command": "ls"}',
                "--duration-ms",
                "9",
                "--agent",
                "main",
                "a",
            ),
            ("demo", "sample"),
            ("demo", "sample"),
            ("capture", "My sister Ana moved to Bern.", "--session", "monday", "--key", "m1"),
            ("capture", "My sister Ana moved to Bern.", "--session", "monday", "--key", "m1"),
            ("capture", "--actor", "tool", "--type", "tool_result", "--tool", "exec", "--exit-code", "1", "failed"),
            ("capture", "--speaker", "Ben", "--at", "2025-11-24T09:00", "--from", "{capture}", "I row on Mondays."),
            ("recall", "where does my sister live?"),
            ("recall", "--trust", "untrusted", "failed"),
            ("consolidate",),
            ("consolidate", "--apply", "--owner", "Peter"),
            ("audit", "-n", "3"),
            ("undo", "{change}"),
            ("undo", "last"),
            ("undo", "last"),
            ("recall", "which drink does Ana like?", "--history"),
            ("recall", "which drink does Ana like?", "--as-of", "2025-11-01"),
            ("check",),
        ),
    ),
    "reviewing": (
        {},
        (
            ("capture", "The staging DB runs on port 6431.", "--session", "monday", "--at", "2025-11-24T09:00"),
            ("consolidate", "--apply"),
            ("capture", "The staging DB moved to port 6432.", "--actor", "agent", "--at", "2025-11-28T10:00"),
            ("capture", "I checked just now. I live in Bern.", "--actor", "agent", "--at", "2025-11-28T10:01"),
            ("consolidate", "--idle", "10"),
            ("consolidate", "--apply"),
            ("pending",),
            ("pending", "edit", "{id}", "The staging DB listens on port 6432."),
            ("pending", "list"),
            ("pending", "approve", "{id}"),
            ("pending",),
            ("pending", "reject", "{id}"),
            (
                "capture",
                "I checked again. The staging DB moved to port 6433.",
                "--actor",
                "agent",
                "--session",
                "friday",
            ),
            ("consolidate", "--apply"),
            ("pending",),
            ("pending", "reject", "{id}"),
            ("pending",),
            ("audit",),
            ("entity", "staging DB"),
            ("timeline",),
        ),
    ),
    "rejecting": (
        {},
        (
            ("capture", "The staging DB runs on port 6431.", "--session", "monday", "--at", "2025-11-24T09:00"),
            ("consolidate", "--apply"),
            ("capture", "The staging DB moved to port 6432.", "--actor", "agent", "--at", "2025-11-28T10:00"),
            ("consolidate", "--apply"),
            ("pending",),
            ("pending", "reject", "{id}"),
            ("pending",),
            ("audit", "--since", "last week"),
            ("undo", "last"),
            ("sync", "--force"),
        ),
    ),
    "bringing in": (
        {
            "in/chat.txt": CHAT,
            "in/log.jsonl": LOG,
            "in/code.jsonl": _lines(CLAUDE_CODE),
            "in/openclaw.jsonl": _lines(OPENCLAW),
            "in/chatgpt.json": json.dumps(CHATGPT),
            "in/claude.json": json.dumps(CLAUDE),
            "in/mem0.json": json.dumps(MEM0),
        },
        (
            ("ingest", "in/chat.txt", "--owner", "Ana"),
            ("ingest", "in/chat.txt", "--owner", "Ana"),
            ("ingest", "in/log.jsonl", "in/code.jsonl", "in/openclaw.jsonl"),
            ("ingest", "in/chatgpt.json", "--format", "chatgpt", "--scope", "boats"),
            ("ingest", "in/claude.json", "--session", "s9"),
            ("ingest", "in/nothing.json"),
            ("feed", CHAT),
            ("ingest", "-", "--format", "chat"),
            ("import", "in/mem0.json", "--owner", "jonas"),
            ("import", "in/mem0.json", "--owner", "jonas", "--apply"),
            ("import", "in/mem0.json", "--mine", "--apply"),
            ("consolidate", "--apply"),
            ("recall", "where is the boat?", "--all-scopes"),
            ("pack", "which meetings?", "--automatic"),
        ),
    ),
    "sessions": (
        {},
        (
            ("session", "start", "Move the database", "--session", "chat", "--plan", "stop", "--plan", "move"),
            ("session", "step", "It stopped.", "--session", "chat", "--did", "1", "--fact", "port=6432"),
            ("session", "step", "More.", "--session", "chat", "--goal", "Move it", "--skill", "move", "--plan", "look"),
            ("session", "step", "Ignore this.", "--session", "chat", "--actor", "tool", "--fact", "port="),
            ("session", "show", "--session", "chat"),
            ("session", "show"),
            ("buffer", "add", "The data moves by dump.", "--kind", "decision", "--session", "chat"),
            ("buffer", "add", "The dump needs 40 GB.", "--kind", "correction", "--task", "Move"),
            ("buffer", "add", "An aside.", "--actor", "tool", "--scope", "boats"),
            ("buffer", "show"),
            ("resume", "--session", "chat", "--budget", "400"),
            ("buffer", "rotate"),
            ("buffer", "rotate"),
            ("session", "done", "--session", "chat"),
            ("session", "show", "--session", "chat"),
            ("resume",),
            ("resume", "--all-scopes"),
            ("resume", "--scope", "boats"),
        ),
    ),
    "skills": (
        {"in/runs.jsonl": "".join(_worked(run) for run in (1, 2, 3, 4))},
        (
            ("ingest", "in/runs.jsonl"),
            ("consolidate",),
            ("consolidate", "--apply"),
            ("skills",),
            ("skills", "show", "publish-package-npm"),
            ("skills", "approve", "publish-package-npm"),
            ("skills", "match", "publish the npm package"),
            ("skills", "dry-run", "publish-package-npm", "version=1.3.0"),
            ("skills", "dry-run", "publish-package-npm"),
            ("skills", "reject", "publish-package-npm"),
            ("skills", "list"),
            ("recall", "how do I publish the package?"),
        ),
    ),
    "secrets": (
        {"mail.md": f"# Mail\n\nWe still log in with {PASSWORD} everywhere.\n", ".env": f"MAIL_PASSWORD={PASSWORD}\n"},
        (
            ("scan", "--no-history"),
            ("scrub",),
            ("scrub", "--apply", "--all-devices"),
            ("check",),
            ("recall", "how do we log in?"),
        ),
    ),
    "hosts": (
        NOTEBOOK,
        (
            ("install", "generic-mcp", "--dry-run"),
            ("install", "generic-mcp", "--yes", "--file", "mcp.json"),
            ("doctor", "generic-mcp", "--file", "mcp.json"),
            ("uninstall", "generic-mcp", "--yes", "--file", "mcp.json"),
            ("install", "codex", "--dry-run"),
            ("install", "cursor", "--yes"),
            ("doctor", "cursor"),
            ("uninstall", "cursor", "--yes"),
            ("install", "claude-code", "--dry-run"),
            ("install", "openclaw", "--dry-run"),
            ("install", "openclaw", "--dry-run", "--slot"),
            ("install", "cursor", "--project", "--yes"),
            ("uninstall", "cursor", "--project", "--dry-run"),
            ("doctor",),
            *(step for hook in HOOKS for step in (("feed", hook), ("hook", "claude-code"))),
            ("feed", HOOKS[1]),
            ("hook", "claude-code", "--budget", "200", "--scope", "shared", "--headless", "owner", "--tools", "off"),
        ),
    ),
    "mistakes": (
        {"odd.md": "---\nbroken: [\n---\n# Odd\n\n```\nnever closed\n", "commonplace.toml": ""},
        (
            ("check",),
            ("recal", "tea"),
            ("recall",),
            ("recall", "tea", "--since", "whenever"),
            ("recall", "tea", "-k", "0"),
            ("recall", "tea", "--kind", "nonsense"),
            ("--workspace", "nowhere", "recall", "tea"),
            ("retain", "O(c=7) too sure"),
            ("retain", " "),
            ("why",),
            ("why", "r-none"),
            ("show", "../outside.md"),
            ("show", "nothing7"),
            ("entity", "Nobody"),
            ("pack", "tea", "--budget", "5"),
            ("pack", "tea", "--budget", "-1"),
            ("undo", "nothing"),
            ("pending", "approve", "nothing"),
            ("skills", "show", "nothing"),
            ("session", "step", "x", "--session", "none"),
            ("import", "nothing.db"),
            ("test",),
            ("write", "commonplace.toml", '[recall]\nk = "many"\nwithoot = []\n'),
            ("status",),
            (
                "write",
                "commonplace.toml",
                "[recall]\nk = 2\n[receipts]\nquery_text = true\n[pack]\nbudget_tokens = 90\n",
            ),
            ("pack", "odd", "--receipt"),
            ("why",),
            ("status",),
            ("--version",),
            (),
        ),
    ),
}
NO_JSON = ("hook", "--version")
FACES: tuple[tuple[str, dict[str, object]], ...] = (
    ("recall", {"text": "where is Peter for the birthday?", "k": 2}),
    ("recall", {"text": "Peter", "k": 0}),
    ("recall", {"text": "Peter", "limit": 1}),
    ("pack", {"text": "what should I know about Peter?", "budget_tokens": 120, "receipt": True}),
    ("pack", {"text": "Peter", "budget_tokens": -1}),
    ("why", {}),
    ("why", {"receipt": "r-none"}),
    ("show", {"reference": "memory/2025-11-27.md#L8-L9"}),
    ("show", {"reference": "../outside.md"}),
    ("entity", {"name": "Pete", "at_most": 5}),
    ("entity", {"name": "Nobody"}),
    ("entities", {}),
    ("timeline", {"since": "2025-11-20", "at_most": 5}),
    ("resume", {"budget_tokens": 500}),
    ("status", {}),
    ("check", {}),
    ("retain", {"text": "W @Ana: Plays the cello in a quartet.", "importance": 0.8}),
    ("log", {"text": "Called Ana.", "session": "s1"}),
    ("capture", {"text": "My sister Ana moved to Bern.", "session": "s1", "keys": ["m1"]}),
    ("capture", {"text": "My sister Ana moved to Bern.", "session": "s1", "keys": ["m1"]}),
    ("ingest", {"text": CHAT, "format": "chat", "owner": "Ana", "name": "chat.txt"}),
    ("ingest", {"entries": [{"ts": "2025-11-29T10:00", "actor": "agent", "text": "Peter moved to Basel."}]}),
    ("capture", {"text": "The staging DB runs on port 6431.", "session": "s2", "ts": "2025-11-24T09:00"}),
    ("consolidate", {"owner": "Peter"}),
    ("consolidate", {"apply": True, "owner": "Peter"}),
    ("capture", {"text": "I checked just now. The staging DB moved to port 6432.", "actor": "agent", "session": "s3"}),
    ("consolidate", {"apply": True}),
    ("pending", {}),
    ("edit", {"item_id": "{id}", "text": "The staging DB listens on port 6432."}),
    ("approve", {"item_id": "{id}"}),
    ("reject", {"item_id": "{id}"}),
    ("audit", {"at_most": 3}),
    ("undo", {"change_id": "last"}),
    ("sync", {"dry_run": True}),
    ("prompt", {"host": "openclaw", "event": {"prompt": "where is Peter?"}, "context": {"sessionId": "s7"}}),
    ("turn", {"host": "openclaw", "event": {"messages": [{"role": "user", "content": "Ana moved to Rome."}]}}),
    ("tool", {"host": "openclaw", "event": {"name": "memory_search", "params": {"query": "where is Peter?"}}}),
    ("tool", {"host": "openclaw", "event": {"name": "memory_get", "params": {"path": "MEMORY.md"}}}),
    ("tool", {"host": "openclaw", "event": {"name": "commonplace_recall", "params": {"query": "Ana"}}}),
    ("tool", {"host": "openclaw", "event": {"name": "commonplace_retain", "params": {"text": "Ana sings."}}}),
    ("tool", {"host": "openclaw", "event": {"name": "commonplace_why", "params": {}}}),
    ("tool", {"host": "openclaw", "event": {"name": "nothing"}}),
    ("nothing", {}),
)
TOOLS: tuple[tuple[str, dict[str, object]], ...] = (
    *((name, given) for name, given in FACES[:16] if name in ("recall", "pack", "why", "show")),
    ("pack", {"text": "what should I know about Peter?", "budget_tokens": 120}),
    ("why", {}),
    ("retain", {"text": "W @Ana: Plays the cello in a quartet.", "importance": 0.8}),
    ("capture", {"text": "The server said hello.", "actor": "tool", "session": "s1"}),
    ("capture", {"text": "The server said hello.", "actor": "owner"}),
    ("review", {"action": "audit", "at_most": 2}),
    ("review", {"action": "pending"}),
    ("review", {"action": "undo", "change_id": "last"}),
    ("review", {"action": "approve", "item_id": "nothing"}),
    ("nothing", {}),
)

"""What some families of models were trained to read before a question and before a text, as their makers publish it."""

from __future__ import annotations

SEARCHING = "Represent this sentence for searching relevant passages: "
FAMILIES: tuple[tuple[str, str, str], ...] = (  # part of a model's name, before a question, before a text
    ("nomic-embed-text", "search_query: ", "search_document: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    ("arctic-embed-l-v2", "query: ", ""),
    ("arctic-embed-m-v2", "query: ", ""),
    ("arctic-embed2", "query: ", ""),
    ("arctic-embed", SEARCHING, ""),
    ("mxbai-embed", SEARCHING, ""),
    ("bge-small-en", SEARCHING, ""),
    ("bge-base-en", SEARCHING, ""),
    ("bge-large-en", SEARCHING, ""),
    ("e5-small", "query: ", "passage: "),
    ("e5-base", "query: ", "passage: "),
    ("e5-large", "query: ", "passage: "),
)


def prefixes(model: str) -> tuple[str, str]:
    """What stands before a question and before a text for the model of this name; mostly nothing."""
    name = model.lower()
    if "instruct" in name:  # these want a task in words, which nobody has named
        return "", ""
    return next(((asked, told) for part, asked, told in FAMILIES if part in name), ("", ""))

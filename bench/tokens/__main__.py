"""`python -m bench.tokens [write | count]`: measure the token estimate, or write its fragments or the counts anew."""

from __future__ import annotations

import sys

from bench.tokens import counted, oracle, run, table

if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        with oracle.installed() as vocabularies:
            print(f"wrote {table.write(vocabularies)} bytes")
    elif sys.argv[1:] == ["count"]:
        with oracle.installed() as vocabularies:
            print(f"wrote the counts of {counted.write(vocabularies)} texts")
    else:
        run()

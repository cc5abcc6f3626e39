"""`python -m bench.tokens [write]`: measure the token estimate, or write its table of fragments anew."""

from __future__ import annotations

import sys

from bench.tokens import oracle, run, table

if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        with oracle.installed() as vocabularies:
            print(f"wrote {table.write(vocabularies)} bytes")
    else:
        run()

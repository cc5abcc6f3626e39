"""`python -m commonplace` is the command line."""

from commonplace.cli import main

raise SystemExit(main())

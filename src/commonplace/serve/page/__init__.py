"""The page of the daemon, in a browser: see the notebook, ask it, correct it."""

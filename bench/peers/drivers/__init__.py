"""One file for each peer, run in the interpreter of the peer; `job` is what they share."""

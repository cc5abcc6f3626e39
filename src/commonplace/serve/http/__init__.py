"""The daemon: one process that keeps a workspace fresh and answers over a Unix socket, or loopback, in HTTP."""

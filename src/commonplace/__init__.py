"""Commonplace: the memory of AI agents, in Markdown that people own."""

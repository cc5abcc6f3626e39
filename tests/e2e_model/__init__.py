"""A real small language model in its real runtime: what it answers is valid or refused, and nothing is lost."""

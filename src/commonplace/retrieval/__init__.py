"""A query becomes ranked hits with reasons (`recall`), and hits and a budget become cited lines (`pack`)."""

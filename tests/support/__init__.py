"""Builders, counters and counterparts that several test files share; no test file imports another."""

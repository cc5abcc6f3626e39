"""Benchmarks: quality on sets that nobody here wrote, speed side by side with plain baselines in one run."""

"""The wordlists package."""

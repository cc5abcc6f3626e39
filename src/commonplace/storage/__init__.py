"""Everything that opens files: Markdown, append-only journals, receipts and settings."""

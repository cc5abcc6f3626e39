"""The page of the daemon in a real Chromium: every page of the table, and what people do on them."""

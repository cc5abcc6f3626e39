"""Break Commonplace on purpose: kill it, fail its calls, cut its power, write beside it; nothing acknowledged is lost."""

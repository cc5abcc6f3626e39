"""Find secrets and what its author marked private, and replace them before a text is stored; pure, no network."""

from commonplace.redact.found import Found, Redacted
from commonplace.redact.kinds import kinds
from commonplace.redact.redaction import redact, scan

__all__ = ["Found", "Redacted", "kinds", "redact", "scan"]

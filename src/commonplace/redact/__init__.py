"""Find secrets and what its author marked private, and replace them before a text is stored; pure, no network."""

from commonplace.redact.fields import redact_fields
from commonplace.redact.found import Found, Known, Redacted
from commonplace.redact.kinds import kinds
from commonplace.redact.redaction import redact, scan
from commonplace.redact.registered import known_secrets, read_variables

__all__ = ["Found", "Known", "Redacted", "kinds", "known_secrets", "read_variables", "redact", "redact_fields", "scan"]

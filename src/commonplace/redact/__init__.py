"""Find secrets and what its author marked private, and replace them before a text is stored; pure, no network."""

from commonplace.redact.exact_secrets import known_secrets, read_variables
from commonplace.redact.findings import KnownSecret, RedactedText, SecretFinding
from commonplace.redact.markers import secret_kinds
from commonplace.redact.redaction import find_secrets, redact, redact_fields, replace_findings

__all__ = [
    "KnownSecret",
    "RedactedText",
    "SecretFinding",
    "find_secrets",
    "known_secrets",
    "read_variables",
    "redact",
    "redact_fields",
    "replace_findings",
    "secret_kinds",
]

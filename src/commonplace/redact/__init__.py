"""Find secrets and what its author marked private, and replace them before a text is stored; pure, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.redact.exact_secrets import *
    from commonplace.redact.findings import *
    from commonplace.redact.patterns import *
    from commonplace.redact.redaction import *
else:
    __getattr__ = lazy_names(
        __name__,
        exact_secrets=("NO_MASKED_VALUES MaskedValues group_masked_values keyed_digest known_secrets read_variables"),
        findings="WEAK KnownSecret MaskedValue RedactedText SecretFinding",
        redaction=(
            "PRIVATE_PLACEHOLDER find_secrets has_marker mask_error mask_messages placeholder_spans redact"
            " redact_fields replace_findings secret_kinds"
        ),
        patterns="find_vendor",
    )

"""The parameters of each operation, declared once: names, types, defaults and help.

The keywords of the `Memory` method, the options of the command, the fields of the MCP tool, the OpenAPI document and
the reference page all follow from these Structs. Parameters that are not keyword-only are the subject of an operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.operations.parameters.basics import *
    from commonplace.operations.parameters.maintenance import *
    from commonplace.operations.parameters.questions import *
    from commonplace.operations.parameters.writes import *
else:
    __getattr__ = lazy_names(
        __name__,
        basics=(
            "AllScopes AsOf ClockRequest EmptyRequest HookCall KnownAt Now PackSession QueryScope Request ResultCount"
            " Scope Session Shared Since Sources Speaker Until"
        ),
        maintenance=(
            "ApproveRequest AuditRequest BackupRequest ConsolidateRequest CopyRequest DecisionRequest EditRequest"
            " ExportRequest ForgetRequest MergeRequest OrderRequest ProposeForgetRequest ReferencesRequest ScanRequest"
            " ScrubRequest SyncRequest UndoRequest VerifyManifestRequest"
        ),
        questions=(
            "CompareReceiptsRequest CoreRequest CorrectionRequest EntityRequest ExplainPackRequest FactsRequest"
            " GoldenRequest HeardSession NameRequest PackRequest PackWithReceiptRequest QuestionFileRequest"
            " QuestionRequest RecallLineRequest RecallRequest ReceiptRequest ReplayRequest ResumeRequest"
            " ShowRequest ShownReferences TimelineRequest WhyNotRequest WhyRequest"
        ),
        writes=(
            "BufferNoteRequest CaptureRequest EventTextRequest ImportRequest IngestRequest LogRequest"
            " NoteTextRequest PathRequest RetainRequest SentenceRequest SessionRequest SessionStartRequest"
            " SessionStepRequest StreamIngestRequest TranscriptRequest"
        ),
    )

"""The Markdown files: how they are read and edited (pure, in this package), swept and written (`sweep`, `edits`).

Names are imported when they are first asked for: a recall over unchanged files sweeps but parses nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.storage.workspace.annotations import *
    from commonplace.storage.workspace.edits import *
    from commonplace.storage.workspace.front_matter import *
    from commonplace.storage.workspace.ids import *
    from commonplace.storage.workspace.markdown import *
    from commonplace.storage.workspace.parser import *
    from commonplace.storage.workspace.paths import *
    from commonplace.storage.workspace.sweep import *
    from commonplace.storage.workspace.timestamps import *
else:
    __getattr__ = lazy_names(
        __name__,
        annotations=(
            "ANNOTATION_KEYS RetainPrefix is_valid_id join_lines parse_interval parse_retain_prefix render_annotation"
            " render_entity render_retain strip_annotation"
        ),
        edits=(
            "CHANGES_FOLDER RecordedChange Splice WriteResult append_under_heading append_under_headings archive_file"
            " change_lines detect_newline diff_lines find_change update_file"
        ),
        front_matter="YamlEntry parse_yaml_entries read_closure read_front_matter",
        ids="ID_ALPHABET derive_id derive_id_of_normalized encode_characters normalize_id_text",
        markdown="BOM NumberedPage heading_level read_page",
        parser="parse_document",
        paths=(
            "CATEGORY_BY_KIND HISTORY_HEADING HOST_FILES QUEUE_PATH REASON_MARK STARTER_FILES is_conflict_copy"
            " is_golden_path"
            " original_path path_date path_role path_stem slugify slugify_distinct"
        ),
        sweep="IncrementalSweep SKIPPED_FOLDERS Sweep restamped_paths sweep_files",
        timestamps="parse_timestamp",
    )

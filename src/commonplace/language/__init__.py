"""Pure functions over text: scripts, tokens, stems, languages, time expressions, token counts."""

"""Captures become records and pages; queue, undo, working memory, skills, secrets and health."""

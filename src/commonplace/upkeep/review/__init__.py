"""What a person decides and looks over: the review queue, recent writes, tags, repeated learnings, golden questions."""

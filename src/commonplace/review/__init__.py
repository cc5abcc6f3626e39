"""What a person decides and looks over: the review queue, what was written lately, tags, lessons that repeat."""

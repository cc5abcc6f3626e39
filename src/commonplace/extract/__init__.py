"""Read a text and extract what is worth storing, without a model: text in, claims out."""

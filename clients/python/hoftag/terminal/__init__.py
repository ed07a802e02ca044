"""Play in a terminal: input, words for documents, and a face for each game."""

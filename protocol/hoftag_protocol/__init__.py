"""The wire format of Hoftag: messages, documents, errors, merge patch. Knows no game, does no I/O."""

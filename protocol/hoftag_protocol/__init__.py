"""The wire format of Hoftag: messages, documents, errors, merge patch. No game, no I/O."""

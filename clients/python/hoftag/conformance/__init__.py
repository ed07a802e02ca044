"""Checks of servers and clients against the protocol: `hoftag conform`.

The server's side: `cases` reads the transcripts, `player` plays one with a `peer` for each client,
`waiting` is what its steps wait for, `patterns` compares what came, `runner` plays them all within
the `budget` of the server's limits, `process` starts and kills the server under test. `report` is
what both sides tell: one outcome for each numbered case.
"""

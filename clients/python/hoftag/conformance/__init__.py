"""Checks of servers and clients against the protocol: `hoftag conform`.

The server's side: `cases` reads the transcripts, `player` plays one with a `peer` for each client,
`waiting` is what its steps wait for, `patterns` compares what came, `server_check` plays them all
within the `budget` of the server's limits, `process` starts and kills the server under test.

`numbered` is what cases of both sides are, `report` what both tell: one outcome for each case.
"""

"""The server that makes it hard for a client: `hoftag conform client`.

`room` is the one room of a case, with the real rules; `channel` one connection to it; `desk`
answers what has nothing to do with the trouble; `stage` is what a case plays on, and judges all
that the client sends; `candidate` is the client's program. The cases stand in `watching`,
`patching`, `losing`, `acting`, `closing` and `growing`; `client_check` plays them all.
"""

"""What the client raises.

::

    HoftagError
    ├── RefusedError      the server refused a request; nothing has changed
    ├── ConnectionLost    the connection ended; a request that was under way has no answer
    ├── TicketLost        the ticket for the queue is gone, and no game came of it
    └── RecordError       a record of a game does not prove what it says
"""

from __future__ import annotations

from typing import Any

__all__ = ["ConnectionLost", "HoftagError", "RecordError", "RefusedError", "TicketLost"]

Json = dict[str, Any]


class HoftagError(Exception):
    """The base of everything that this package raises on purpose."""


class RefusedError(HoftagError):
    """The server answered a request with `error`. The request has changed nothing.

    `code` compares equal to a member of `hoftag_protocol.errors.Code`, whose table says what each
    means; a newer server may have more. `rule` is the stable id of the rule that an illegal action
    breaks, `path` a JSON pointer into the message that was sent, `legal` the list to choose from.
    """

    def __init__(self, reply: Json) -> None:
        self.code: str = str(reply.get("code", "internal"))
        self.message: str = str(reply.get("message", ""))
        self.path: str | None = reply.get("path")
        self.rule: str | None = reply.get("rule")
        self.retry_after_ms: int | None = reply.get("retry_after_ms")
        self.seq: int | None = reply.get("seq")
        self.decision: int | None = reply.get("decision")
        self.legal: list[Json] | None = reply.get("legal")
        super().__init__(self.code, self.message)

    def __str__(self) -> str:
        where = f" (at {self.path})" if self.path else ""
        rule = f" [{self.rule}]" if self.rule else ""
        return f"{self.code}: {self.message}{where}{rule}"


class ConnectionLost(HoftagError):
    """There is no connection, or it ended before the answer came.

    Of a request that raises this nobody knows whether it was done: look at the document. Answers
    to decisions never raise it while the client reconnects, they are sent again. `code` is the
    close code (`hoftag_protocol.errors.CLOSE_CODES`), None where there was no closing handshake.
    """

    def __init__(self, reason: str, code: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code

    def __str__(self) -> str:
        return self.reason if self.code is None else f"{self.reason} (close code {self.code})"


class TicketLost(HoftagError):
    """You wait for opponents no longer, and no game came of it. Queue again to wait again.

    `reason` is `declined` if you were not ready, `timeout` if you did not answer in time, and
    `unknown` where the server told nobody, e.g. when the ticket was given up on another connection
    of yours, or you had no connection for `abandon_after_s`, or while time ran out.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"the ticket for the queue is gone: {self.reason}"


class RecordError(HoftagError):
    """A record contradicts itself, or the rules; `entry` is the index in `entries`, if one is.

    `path` is a JSON pointer to what is wrong in the record, the empty one for the whole.
    """

    def __init__(self, message: str, entry: int | None = None, below: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.entry = entry
        self.path = ("" if entry is None else f"/entries/{entry}") + below
        self._exact = bool(below)

    def __str__(self) -> str:
        where = f" (at {self.path})" if self._exact else ""
        entry = "" if self.entry is None else f"entry {self.entry}: "
        return f"{entry}{self.message}{where}"

"""What a run may use up of the server's hourly limits, so that no case fails for that."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hoftag.conformance.cases import Case, Step

__all__ = ["Budget"]

Json = dict[str, Any]

NEWCOMERS = "guests_per_address_per_hour"
PASSWORDS = "passwords_per_hour"


class Budget:
    """Counts new users and passwords. A limit that hello does not announce is none."""

    def __init__(self, hello: Json) -> None:
        limits = hello.get("limits", {})
        self._left = {name: limits[name] for name in (NEWCOMERS, PASSWORDS) if name in limits}

    def spend(self, case: Case) -> str:
        """Take what a case needs; if there is not so much, say why it cannot be played."""
        needs = Counter({NEWCOMERS: len(case.guests)})
        for step in case.steps:
            needs.update(_spent(step))
        for name, left in self._left.items():
            if needs[name] > left:
                return f"the server's limit {name} is too low to play it as well"
        for name in self._left:
            self._left[name] -= needs[name]
        return ""


def _spent(step: Step) -> list[str]:
    message = step.get("send", {})
    kind = message.get("type", "") if isinstance(message, dict) else ""
    spent = [PASSWORDS] if "password" in message else []
    if kind == "account.register" or (kind == "auth" and "token" not in message):
        spent.append(NEWCOMERS)
    return spent

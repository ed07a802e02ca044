"""`protocol/samples.json`: valid messages and documents, for tests and pages in any language.

For each type of message there are one or more, together with every field that it has.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_FILE = Path(__file__).parents[1] / "protocol" / "samples.json"
_ALL: dict[str, list[Json]] = json.loads(_FILE.read_text("utf-8"))

SAMPLES = _ALL["client"]
"""What clients send."""

SERVER_SAMPLES = _ALL["server"]

DOCUMENTS = _ALL["documents"]
"""Documents, each as `doc` of its `topic`."""

RECORDS = _ALL["records"]
"""Records of ended games."""

"""`protocol/schema.json`, by which values are checked."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

FILE = Path(__file__).parents[1] / "protocol" / "schema.json"
SCHEMA: dict[str, Any] = json.loads(FILE.read_bytes())


@cache
def validator(name: str) -> Draft202012Validator:
    """What checks whether a value is of the definition of that name."""
    return Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{name}"})

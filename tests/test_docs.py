"""The published pages say what the code does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter

from hoftag_protocol.documents import ServerMessage
from hoftag_protocol.messages import CLIENT_MESSAGE, ClientMessage
from hoftag_protocol.patch import apply_patch
from hoftag_server.reference import FOLDER, made

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "protocol.md").read_text()
SAMPLES = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
SENT = {model.model_fields["type"].annotation: model for model in get_args(ClientMessage)}
MADE = made()
TYPES = {get_args(annotation)[0] for annotation in SENT}


def test_what_is_made_from_the_code_is_not_stale() -> None:
    for file, text in MADE.items():
        assert file.read_text("utf-8") == text, f"{file.name}: run `make generate`"
    assert set(FOLDER.glob("*.md")) <= set(MADE)


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: page.stem)
def test_everything_that_is_listed_is_explained(page: Path) -> None:
    sections = re.split(r"^##+ ", MADE[page], flags=re.MULTILINE)[1:]
    assert sections
    bare = [section.partition("\n")[0] for section in sections if not _explained(section)]
    assert bare == []


def _explained(section: str) -> bool:
    """Whether text stands below a heading before a table, and below a signature."""
    _, *parts = section.strip().split("\n\n")
    if parts and re.fullmatch(r"`.+\)( -> .+)?`", parts[0]):
        return len(parts) > 1
    return not parts or parts[0][0] != "|"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample["type"]))
def test_samples_are_valid_messages(sample: dict[str, Any]) -> None:
    if sample["type"] in TYPES:
        CLIENT_MESSAGE.validate_json(json.dumps(sample))
    else:
        TypeAdapter(ServerMessage).validate_json(json.dumps(sample))


def test_every_message_of_a_client_is_on_the_page() -> None:
    missing = {name for name in TYPES if f"`{name}" not in PAGE}
    assert not missing


def test_every_field_of_a_client_is_on_the_page() -> None:
    fields = {name for model in get_args(ClientMessage) for name in model.model_fields}
    missing = {name for name in fields if not re.search(rf"`[^`\n]*\b{name}\b", PAGE)}
    assert not missing


def test_the_ten_line_patch_is_right() -> None:
    (source,) = re.findall(r"```python\n(def apply_patch.*?)```", PAGE, re.DOTALL)
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    cases = json.loads((ROOT / "protocol" / "patch_cases.json").read_text())
    cases = cases["cases"] if isinstance(cases, dict) else cases
    for case in cases:
        assert namespace["apply_patch"](case["old"], case["patch"]) == case["new"]
        assert apply_patch(case["old"], case["patch"]) == case["new"]


def test_the_client_from_scratch_hashes_as_we_do() -> None:
    page = (ROOT / "docs" / "client.md").read_text()
    (source,) = re.findall(r"```python\n(# documents\.py\n.*?)```", page, re.DOTALL)
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    cases = json.loads((ROOT / "protocol" / "patch_cases.json").read_text())["cases"]
    assert [namespace["digest"](case["new"]) for case in cases] == [c["hash"] for c in cases]


def cited() -> Iterator[tuple[Path, str]]:
    """Sections of the page that the code names, with the file that does."""
    quoted = r'"[^"]+"'
    for folder in ("protocol", "server", "clients/python", "tests", "examples"):
        for file in (ROOT / folder).rglob("*.py"):
            text = " ".join(file.read_text().split())
            for names in re.findall(rf"docs/protocol\.md, ({quoted}(?: and {quoted})*)", text):
                yield from ((file, name) for name in re.findall(r'"([^"]+)"', names))


def test_what_the_code_cites_is_on_the_page() -> None:
    headings = set(re.findall(r"^#+ (?:\d+\. )?(.+)$", PAGE, re.MULTILINE))
    assert [(file.name, name) for file, name in cited() if name not in headings] == []
    assert len(set(cited())) > 20


PAGES = [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target

"""Puts documentation and transcripts into the wheel; a checkout has `make docs` and the folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SITE = "server/hoftag_server/site"


class Site(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        build_data["force_include"]["protocol/transcripts"] = "hoftag/conformance/transcripts"
        from sphinx.cmd.build import build_main

        site = Path(self.root, SITE)
        shutil.rmtree(site, ignore_errors=True)
        with TemporaryDirectory() as scratch:
            options = ["-q", "-W", "--keep-going", "-E", "-d", scratch]
            if build_main([*options, str(Path(self.root, "docs")), str(site)]):
                raise RuntimeError("the documentation does not build")

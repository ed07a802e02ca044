"""`hoftag serve`: every setting of `Config` is an option, an environment variable, a TOML key."""

from __future__ import annotations

import asyncio
import os
import sys
import tomllib
from argparse import Action, ArgumentParser
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import structlog
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import CliSettingsSource, SettingsConfigDict, SettingsError

from hoftag.bots import makers
from hoftag_games.registry import shipped
from hoftag_server import app
from hoftag_server.config import Config
from hoftag_server.data import DataError
from hoftag_server.edition_cli import chosen
from hoftag_server.logs import configure

log = structlog.get_logger()

FOR_CLIENTS = {"hoftag_password", "hoftag_token"}
"""Variables that other commands read."""


PLACEHOLDERS = {"Path": "PATH", "int": "N", "str": "TEXT"}
"""What `--help` shows in place of a type of Python."""


class ConfigError(Exception):
    """A setting is wrong; the message names it."""


def serve(argv: list[str]) -> int:
    """Run the server until it is told to stop. Exit code 0 after a drain, 2 for bad settings."""
    try:
        config = read_config(argv)
        edition = chosen(config.staufer_edition)
    except (ConfigError, DataError) as error:
        print(f"hoftag serve: {error}", file=sys.stderr)
        return 2
    configure(config)
    if unknown := unknown_variables(os.environ):
        log.warning("! unknown settings", variables=unknown)
    try:
        with _kept(config) as kept:
            asyncio.run(app.run(kept, shipped(edition), makers(edition)))
    except (DataError, OSError) as error:
        print(f"hoftag serve: {error}", file=sys.stderr)
        return 1
    return 0


@contextmanager
def _kept(config: Config) -> Iterator[Config]:
    """A sandbox that is given no folder throws away what it holds."""
    if not config.sandbox or "data" in config.model_fields_set:
        yield config
        return
    with TemporaryDirectory(prefix="hoftag-sandbox-") as folder:
        yield config.model_copy(update={"data": Path(folder)})


def read_config(argv: list[str]) -> Config:
    """Settings from options, then `HOFTAG_*`, then the TOML file, then defaults.

    Raises ConfigError; prints and exits for `--help`.
    """
    file = _toml_file(argv)

    class Settings(Config):
        model_config = SettingsConfigDict(
            toml_file=file,
            cli_prog_name="hoftag serve",
            cli_kebab_case=True,
            cli_hide_none_type=True,
            cli_avoid_json=True,
        )

    Settings.__doc__ = (
        "Run the game server. Every option may also stand in the environment (HOFTAG_PORT=...) or "
        "in a TOML file (port = ...); options win over the environment, that over the file."
    )
    try:
        options = CliSettingsSource[Config](
            Settings, cli_parse_args=argv, add_argument_method=_add_argument
        )
        return Settings(_cli_settings_source=options)  # type: ignore[call-arg]  # pydantic's own
    except ValidationError as error:
        faults = error.errors(include_url=False)
        raise ConfigError("; ".join(map(_words, faults))) from None
    except (SettingsError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file or 'settings'}: {error}") from None


def _words(fault: ErrorDetails) -> str:
    name = ".".join(map(str, fault["loc"]))
    if fault["type"] == "extra_forbidden":
        return f"there is no setting `{name}`"
    return f"setting `{name}`: {fault['msg']}, and this is {fault['input']!r}"


def _add_argument(parser: ArgumentParser, *names: str, **about: Any) -> Action:
    if (metavar := about.get("metavar")) in PLACEHOLDERS:
        about["metavar"] = PLACEHOLDERS[metavar]
    return parser.add_argument(*names, **about)


def unknown_variables(names: Iterable[str]) -> list[str]:
    """Which of the environment's variables look like settings and are none."""
    prefix = Config.model_config["env_prefix"].lower()
    known = {prefix + name for name in Config.model_fields} | FOR_CLIENTS
    return sorted(n for n in names if n.lower().startswith(prefix) and n.lower() not in known)


def _toml_file(argv: list[str]) -> Path | None:
    text = os.environ.get("HOFTAG_CONFIG")
    for index, word in enumerate(argv):
        if word == "--config" and index + 1 < len(argv):
            text = argv[index + 1]
        elif word.startswith("--config="):
            text = word.partition("=")[2]
    if text is None:
        return None
    if not Path(text).is_file():
        raise ConfigError(f"there is no file {text}")
    return Path(text)

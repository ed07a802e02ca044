"""What `hoftag bot` is told, by a TOML file, by options, or by both. docs/bots.md lists all keys.

Options go before the file. An option that says where to play, or who the bot is, takes the place
of all that the file says of that.
"""

from __future__ import annotations

import argparse
import math
import os
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from hoftag import address
from hoftag.commands.bots import short_name
from hoftag.commands.common import TOKEN, URL, CommandError, clock_mode
from hoftag.guard import OnError
from hoftag_protocol.competition import ClockMode
from hoftag_protocol.fields import Nonce, RoomId

__all__ = ["BotConfig", "NewRoom", "Place", "Queue", "Room", "read"]

Json = dict[str, Any]

INVITED_AT_ONCE = 8
"""Games at the same time by invitations, unless `at_once` says something else."""


def _clock(value: object) -> object:
    """Clocks may be written as on the command line."""
    try:
        return clock_mode(value) if isinstance(value, str) else value
    except argparse.ArgumentTypeError as error:
        raise ValueError(str(error)) from None


def _file(value: object) -> object:
    """Files are text in TOML."""
    return Path(value) if isinstance(value, str) and value else value


Count = Annotated[int, Field(ge=1)]
Text = Annotated[str, Field(min_length=1)]
File = Annotated[Path, BeforeValidator(_file)]


class Strict(BaseModel):
    """Takes no key that it does not know, and no value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Timed(Strict):
    """A kind of game with its time."""

    game: Text
    rated: bool = False
    clock: Annotated[ClockMode | None, BeforeValidator(_clock)] = None


class Queue(Timed):
    """A queue to wait in."""

    seats: list[Count] | None = None
    bots_after_s: Annotated[int, Field(ge=0)] | None = None

    @property
    def seat_counts(self) -> list[int]:
        """Numbers of players that are asked for; none: any."""
        return self.seats or []


class Room(Strict):
    """Somebody's room; the games after the first are rematches."""

    id: RoomId
    invite: str | None = None


class NewRoom(Timed):
    """A room to open; the games after the first are rematches."""

    seats: Count | None = None
    options: Json = {}
    against: list[Text] = []

    @property
    def seat_counts(self) -> list[int]:
        """The number of players that is asked for, if there is one."""
        return [] if self.seats is None else [self.seats]


Place = Queue | Room | NewRoom


class BotConfig(Strict):
    """All that a runner needs to know."""

    bot: Text
    url: Annotated[str, AfterValidator(address.websocket)] = URL
    name: Text | None = None
    token: Text | None = Field(default=None, repr=False)
    token_file: File | None = None
    login: Text | None = None
    queues: list[Queue] = []
    rooms: list[Room] = []
    new: NewRoom | None = None
    accept_invites: bool = False
    games: Annotated[int, Field(ge=0)] | None = None
    at_once: Count | None = None
    budget_ms: Count | None = None
    on_error: OnError = "stop"
    traceback: bool = False
    seed: str | None = None
    nonce: Nonce | None = None
    log: File | None = None
    log_decisions: bool = False

    @property
    def places(self) -> dict[str, Place]:
        """Where the bot goes, besides to those who invite it, by the path in the file."""
        queues = {f"queues[{number}]": queue for number, queue in enumerate(self.queues)}
        rooms = {f"rooms[{number}]": room for number, room in enumerate(self.rooms)}
        return {**queues, **rooms, **({} if self.new is None else {"new": self.new})}

    @property
    def most_games(self) -> float:
        """Games in all: one for each place, unless `games` says something else."""
        if self.games is None:
            return max(1, len(self.places))
        return self.games or math.inf

    @property
    def most_at_once(self) -> int:
        """Games at the same time, counting places in queues."""
        return self.at_once or len(self.places) + self.accept_invites * INVITED_AT_ONCE

    @property
    def at_once_in_vain(self) -> bool:
        """Whether it wants more games at the same time than its places can bring."""
        clocks = [queue.clock for queue in self.queues]
        more = self.accept_invites or any(
            clock is not None and "per_turn_s" in clock for clock in clocks
        )
        return not more and self.most_at_once > len(self.places)

    @property
    def guest(self) -> str | None:
        """The name that the bot asks for; none where a user is known otherwise."""
        if self.login is not None or self.secret() is not None:
            return None
        return self.name or short_name(self.bot)

    @property
    def lasts(self) -> bool:
        """Whether it may run for days: it has a log, or plays without end."""
        return self.log is not None or self.games == 0

    def secret(self) -> str | None:
        """The token, wherever it stands. Raises CommandError if its file cannot be read."""
        if self.token_file is not None:
            try:
                return self.token_file.read_text("ascii").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise CommandError(f"cannot read a token in {self.token_file}: {error}") from None
        if self.name is None and self.login is None:
            return self.token or os.environ.get(TOKEN)
        return None


ALTERNATIVES = (
    ("name", "token", "token_file", "login"),
    ("queues", "rooms", "new", "accept_invites"),
)
"""An option that is one of these takes the place of all of them in the file."""


def read(file: Path | None, given: Json) -> BotConfig:
    """What a file says, where options have given nothing else. Raises CommandError."""
    source = "the command line" if file is None else str(file)
    said = {} if file is None else _toml(file)
    for group in ALTERNATIVES:
        if given.keys() & set(group):
            said = {key: value for key, value in said.items() if key not in group}
    try:
        config = BotConfig.model_validate(said | given)
    except ValidationError as error:
        faults = sorted(error.errors(include_url=False), key=partial(_at, said | given))
        wrong = [f"{_where(fault['loc'], source, given)}: {_words(fault)}" for fault in faults]
    else:
        wrong = [f"{source}: {each}" for each in _contradictions(config)]
        if not wrong:
            return config
    raise CommandError("\n".join(wrong))


def _toml(file: Path) -> Json:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        quotes = "; text needs quotes" if "Invalid value" in str(error) else ""
        raise CommandError(f"{file}: {error}{quotes}") from None


def _at(said: Any, fault: Any) -> list[float]:
    """Where a fault stands in the file; what is missing comes last."""
    places: list[float] = []
    for part in fault["loc"]:
        if isinstance(said, dict):
            places.append(list(said).index(part) if part in said else math.inf)
            said = said.get(part)
        elif isinstance(said, list):
            places.append(part)
            said = said[part]
    return places


def _where(location: tuple[int | str, ...], source: str, given: Json) -> str:
    """The path of a fault in the file, as `bot.toml: queues[0].clock`; or the option, `--clock`."""
    location = tuple(part for part in location if part not in CLOCKS)
    if location[0] in given:
        place, *keys = (part for part in location if isinstance(part, str))
        option, *inner = keys or [place]
        if option in ("id", "game"):  # --room, --queue or --new names it
            option = place.removesuffix("s")
        name = option.removesuffix("_s").replace("_", "-")
        return ": ".join([name if name == "bot" else f"--{name}", *inner])
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return f"{source}: {''.join(parts).removeprefix('.')}"


CLOCKS = ("bank", "per_turn")
"""Names of the kinds of clocks, which stand in no file."""


def _words(error: Any) -> str:
    match error["type"]:
        case "extra_forbidden":
            like = get_close_matches(str(error["loc"][-1]), KEYS, 1)
            return "there is no such key" + (f"; did you mean {like[0]}?" if like else "")
        case "list_type" if error["loc"] in (("queues",), ("rooms",)):
            return f"write [[{error['loc'][0]}]], once for each"
        case "list_type":
            sample = '["random"]' if error["loc"][-1] == "against" else "[2], or [2, 3]"
            return f"write a list, like {sample}"
        case "string_type":
            return "write text, in quotes"
        case "string_too_short":
            return "this is empty"
        case "is_instance_of" if error["loc"][-1] in FILES:
            return "write the name of a file, in quotes"
        case "int_type":
            return "write a whole number, without quotes"
        case "bool_type":
            return "write true or false, without quotes"
        case "greater_than_equal":
            return f"{error['ctx']['ge']} is the least"
        case "less_than_equal":
            return f"{error['ctx']['le']} is the most"
        case "string_pattern_mismatch" if error["loc"][-1] == "id":
            return "that is no id of a room; they have 10 letters and digits"
        case "missing":
            return "this is needed"
        case "string_pattern_mismatch" if error["loc"] == ("nonce",):
            return "it may be 1 to 64 letters, digits, - and _, all of them ASCII"
        case _:
            message: str = error["msg"].removeprefix("Value error, ")
            return message[:1].lower() + message[1:]


FILES = ("log", "token_file")

KEYS = [key for kind in (BotConfig, Queue, Room, NewRoom) for key in kind.model_fields]


def _contradictions(config: BotConfig) -> Iterator[str]:
    """What cannot be together, in words."""
    if not config.places and not config.accept_invites:
        yield "it does not say where to play: queues, rooms, new or accept_invites"
    who = [key for key in ALTERNATIVES[0] if getattr(config, key) is not None]
    if len(who) > 1:
        yield f"{' and '.join(who)}: only one of them can be"
    for number, queue in enumerate(config.queues):
        if queue.rated and queue.bots_after_s is not None:
            yield f"queues[{number}]: no bots in rated games: rated or bots_after_s"
    games = [queue.game for queue in config.queues]
    if len(set(games)) < len(games):
        yield "queues: a bot waits in one queue for each game"
    if config.most_at_once < len(config.places):
        yield f"at_once: {len(config.places)} places to play need as many games at once"
    if config.most_games < len(config.places):
        yield (
            f"games: fewer games than places: {config.games} for {len(config.places)}, "
            "and each place gets one at once (0 is without end)"
        )

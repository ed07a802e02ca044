"""All settings: command line, then environment (`HOFTAG_*`), then a TOML file, then defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field
from pydantic_settings import (
    BaseSettings,
    CliImplicitFlag,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

Positive = Annotated[int, Field(ge=1)]


class Config(BaseSettings):
    """Settings of one server process; built once and passed down."""

    model_config = SettingsConfigDict(
        env_prefix="HOFTAG_", extra="forbid", frozen=True, toml_file=None
    )

    config: Path | None = Field(default=None, description="TOML file with any of these settings")
    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(
        default=8765, ge=0, le=65535, description="port to listen on; 0 picks a free one"
    )
    data: Path = Field(default=Path("data"), description="folder of journal.db and accounts.db")
    sandbox: CliImplicitFlag[bool] = Field(
        default=False, description="be a sandbox for tests; without --data all is thrown away"
    )
    staufer_edition: Path | None = Field(
        default=None, description="edition file of Die Staufer; none: the shipped edition"
    )
    log_format: Literal["text", "json"] = Field(default="text", description="form of the log lines")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="least severe lines that are logged"
    )
    heartbeat_s: Positive = Field(default=20, description="seconds between WebSocket pings")
    auth_timeout_s: Positive = Field(
        default=10, description="seconds to send `auth` after connecting"
    )
    abandon_after_s: Positive = Field(
        default=120, description="seconds offline after which a player counts as having left"
    )
    ended_room_s: Positive = Field(
        default=600, description="seconds that an ended room stays watchable"
    )
    guest_days: Positive = Field(
        default=90, description="days that a guest without a finished game is remembered"
    )
    rematch_s: Positive = Field(default=60, description="seconds that a rematch keeps the seats")
    history: Positive = Field(
        default=256, description="changes kept per topic for reconnecting clients"
    )
    messages_burst: Positive = Field(
        default=400, description="messages a connection may send at once"
    )
    messages_per_s: Positive = Field(
        default=200, description="messages a connection may send a second"
    )
    rooms_per_user: Positive = Field(default=50, description="rooms a user may be part of at once")
    watches_per_connection: Positive = Field(
        default=100, description="topics a connection may watch"
    )
    connections_per_address: Positive = Field(
        default=500, description="connections that one network address may hold"
    )
    guests_per_address_per_hour: Positive = Field(
        default=1000, description="guests that one network address may make an hour"
    )
    passwords_per_hour: Positive = Field(
        default=100, description="passwords that an address may try an hour, or be tried of a user"
    )
    invites_per_hour: Positive = Field(
        default=100, description="wrong invites that an address or a user may try an hour"
    )
    tokens_per_user: Positive = Field(default=50, description="tokens that a user may make")
    bots_per_user: Positive = Field(default=10, description="bot accounts that a user may own")
    outbox_frames: Positive = Field(
        default=256,
        description="frames that may wait for a slow peer before snapshots replace them",
    )
    stall_s: Positive = Field(
        default=10, description="seconds that a peer may read nothing before it is closed"
    )
    drain_ms: int = Field(
        default=500, ge=0, description="milliseconds between the notice of a stop and the closing"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    def limits(self, frame_bytes: int) -> dict[str, int]:
        """What `hello.limits` announces."""
        return {
            "frame_bytes": frame_bytes,
            "messages_burst": self.messages_burst,
            "messages_per_s": self.messages_per_s,
            "rooms_per_user": self.rooms_per_user,
            "watches_per_connection": self.watches_per_connection,
            "connections_per_address": self.connections_per_address,
            "guests_per_address_per_hour": self.guests_per_address_per_hour,
            "passwords_per_hour": self.passwords_per_hour,
            "invites_per_hour": self.invites_per_hour,
            "tokens_per_user": self.tokens_per_user,
            "bots_per_user": self.bots_per_user,
            "auth_timeout_s": self.auth_timeout_s,
            "abandon_after_s": self.abandon_after_s,
        }

"""Log lines: `<` in, `>` out, `=` state, `!` error, `x` closing; never payloads or secrets."""

from __future__ import annotations

import logging
import sys

import structlog

from hoftag_server.config import Config


def configure(config: Config) -> None:
    """Write log lines to standard error, as text or as JSON."""
    level = logging.getLevelNamesMapping()[config.log_level.upper()]
    logging.basicConfig(
        level=max(level, logging.WARNING), format="%(levelname)s %(name)s %(message)s"
    )
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if config.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )

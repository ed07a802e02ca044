"""All benchmarks one after the other: `make bench`. Each is also a command of its own.

The longer ones have options and are not among these: `kill`, `malformed`, `five_bots`,
`ladder` (`python -m tests.bench.kill --help` and so on).
"""

from __future__ import annotations

from . import engine, famiglia_stats, matchmaking, network, rl, room, sdk
from .measure import machine


def main() -> None:
    print(machine())
    for title, run in (
        ("The rules in process", engine.main),
        ("The learning environments", rl.main),
        ("A room without sockets and store", room.main),
        ("The whole path over real sockets", lambda: network.main([])),
        ("The Python client", lambda: sdk.main(["--famiglia", "1000", "--staufer", "100"])),
        ("Matchmaking", matchmaking.main),
        ("Famiglia: the policy stopper against the rules page", famiglia_stats.main),
    ):
        print(f"\n## {title}")
        run()


if __name__ == "__main__":
    main()

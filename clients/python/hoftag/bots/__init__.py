"""The bots that come with Hoftag, by game and name. They play in process and over the network."""

from __future__ import annotations

from hoftag.bot import Bot
from hoftag.bots import famiglia, staufer, uniform

BOTS: dict[str, dict[str, type[Bot]]] = {
    "famiglia": {"random": famiglia.Random, "greedy": famiglia.Greedy},
    "staufer": {"random": uniform.Random, "greedy": staufer.Greedy},
}

"""Shared by the benchmarks: medians, percentiles, and where the numbers were made."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..1) of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(values: Sequence[float]) -> str:
    """Median with minimum and maximum, for repeated runs."""
    return f"{statistics.median(values):,.1f} (min {min(values):,.1f}, max {max(values):,.1f})"


def machine() -> str:
    """Processor, cores and Python, as far as the system tells."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as info:
            model = next(
                (line.split(":", 1)[1].strip() for line in info if line.startswith("model name")),
                model,
            )
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"

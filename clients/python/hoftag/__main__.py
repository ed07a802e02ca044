"""`python -m hoftag` is the command `hoftag`."""

from __future__ import annotations

import sys

from hoftag.cli import main

sys.exit(main())

"""How Sphinx makes the site of the pages of this folder: `make docs`.

The pages are plain Markdown that reads as well on a code forge. `_ext/pages.py` does what Sphinx
needs besides.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Hoftag"
author = "the authors of Hoftag"
extensions = ["myst_parser", "pages"]
exclude_patterns = ["_ext"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = "Hoftag"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True, "footer_icons": []}

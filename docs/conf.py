"""The site: `make docs` builds it from these pages, the examples and the docstrings, without network."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import sweepless  # noqa: E402

project = "sweepless"
author = "The sweepless developers"
copyright = author
version = release = sweepless.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "reading_order",
    "reference",
]
exclude_patterns = ["_ext", "results/index.md"]  # that page is the second half of benchmarks.md
nitpicky = True
nitpick_ignore_regex = [("py:class", r"(numpy|collections)\..*")]  # without network nobody knows where they are
smartquotes = False  # quotes are mostly those of strings
default_role = "literal"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

pygments_style = "friendly"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "pydata_sphinx_theme"
html_title = "sweepless"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "sweepless", "alt_text": "sweepless"},
    "header_links_before_dropdown": 7,
    "navbar_align": "left",
    "show_toc_level": 2,
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "back_to_top_button": False,
    "pygments_light_style": "friendly",
    "pygments_dark_style": "github-dark",
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {name: [] for name in ("index", "methods", "compared", "changelog")}

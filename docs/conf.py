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
    "sphinx_gallery.gen_gallery",
    "reading_order",
    "reference",
    "measured",
    "walks",
]
exclude_patterns = ["_ext", "snippets", "results/index.md"]  # shown by the API reference, and by benchmarks.md
nitpicky = True
nitpick_ignore_regex = [("py:class", r"(numpy|collections)\..*")]  # without network nobody knows where they are
smartquotes = False  # quotes are mostly those of strings
default_role = "literal"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/(?!demo)\w+\.py",
    "ignore_pattern": r"demo\.py",  # it is for a terminal
    "within_subsection_order": "gallery_order.in_order",
    "reference_url": {"sweepless": None},
    "capture_repr": (),
    "thumbnail_size": (480, 300),
    "abort_on_example_error": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,  # times are those of the machine that built the site
    "write_computation_times": False,
    "download_all_examples": False,
    "plot_gallery": True,
    "image_scrapers": ("matplotlib",),
}

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
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "sweepless", "alt_text": "sweepless"},
    "header_links_before_dropdown": 9,
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

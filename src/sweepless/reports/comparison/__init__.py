"""A comparison of selectors as tables, sentences and a page, from its run directory."""

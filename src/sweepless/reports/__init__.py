"""Rows into tables, figures and a page; never runs, fits or searches anything."""

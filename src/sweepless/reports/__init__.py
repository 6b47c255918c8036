"""Turn the rows of finished runs into tables, charts and pages; nothing here runs, fits or searches."""

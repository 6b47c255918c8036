"""One schema for what is written and read again: specs, and the headers, cells and rows of run directories."""

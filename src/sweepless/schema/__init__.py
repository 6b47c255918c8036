"""One schema for what is written and read again: specs, run directories and journals."""

"""The schema of everything that is stored: specs, run directories and journals."""

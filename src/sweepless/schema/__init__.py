"""The schema of all stored records: specs, and the headers, cells and rows of run directories."""

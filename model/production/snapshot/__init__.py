"""The snapshot that plugins read: pods with derived data, and nodes as a table of arrays."""

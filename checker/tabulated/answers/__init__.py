"""The answers of the specification, as tables."""

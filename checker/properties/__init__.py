"""The properties that can be checked by name, and whether their premises were ever met."""

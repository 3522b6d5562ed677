"""The tabulated explorer: the same exploration on packed words, from tables that the specification answers."""

"""Inductive invariants: properties that every step keeps, with any number of pods on the nodes of a scenario."""

"""Invariants of the production scheduler and of its state machine."""

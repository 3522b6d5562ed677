"""Expressions and actions of TLA+, compiled to Python and evaluated."""

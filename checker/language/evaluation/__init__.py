"""Compilation of TLA+ expressions and actions to Python closures, and their evaluation."""

"""An interpreter and model checker for TLA+."""

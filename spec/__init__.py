"""The specification: predicates on a snapshot, and the decisions that a scheduler may take on it."""

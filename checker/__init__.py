"""The checkers of the model: explorers, properties, proofs, comparisons and explanations."""

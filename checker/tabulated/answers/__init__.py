"""What the specification answers, as tables."""

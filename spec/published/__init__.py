"""The published TLA+ model of the scheduler, as printed and as corrected."""

"""Recorded answers of kube-scheduler, and what the specification answers to the same questions."""

"""Preemption: candidate nodes and their victims, the choice among them, and the evictions."""

"""The priorities: a map function rates each node by itself, and a reduce function scales the scores to 0 to 10."""

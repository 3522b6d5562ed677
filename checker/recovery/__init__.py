"""Proofs by counting that a pod recovers from some events, and that no pod is evicted meanwhile."""

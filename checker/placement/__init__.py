"""The optimal placement of all pending pods, and the placements that the scheduler can reach."""

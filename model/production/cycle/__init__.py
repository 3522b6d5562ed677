"""A pod on its way to a node: the scheduling cycle, preemption, the binding cycle."""

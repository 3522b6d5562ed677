"""The scheduling queue: activeQ, backoffQ, unschedulablePods, and the events that move pods between them."""

"""The pods that wait: active, backing off, unschedulable; and the events that move them."""

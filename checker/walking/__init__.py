"""A state machine walked by hand: the steps that several schedulers would take from one state."""

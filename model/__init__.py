"""Systems that move, one step at a time."""

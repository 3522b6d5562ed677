"""What is true of a snapshot, and what a scheduler may do next."""

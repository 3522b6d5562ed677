"""What plugins look at: pods with what follows from them, and nodes as a table of arrays."""

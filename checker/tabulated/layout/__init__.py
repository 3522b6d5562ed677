"""The packing of states into words, and the part of a state on which each question depends."""

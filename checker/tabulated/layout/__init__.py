"""How states are packed into words, and which part of a state each question depends on."""

"""A scheduler's reply judged by the specification: allowed, refused with the clause, or unknown."""

"""The priorities of the early scheduler, one file for each: a score from 0 to 10 for each node."""

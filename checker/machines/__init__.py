"""Several machines: a Ray cluster, and cases that are independent of each other, done on it."""

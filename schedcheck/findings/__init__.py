"""What cannot work in a cluster, found without exploring it: one module for each group of rules, and `rules`."""

"""Problems of a cluster that are found without exploring it: one module for each group of rules, and `rules`."""

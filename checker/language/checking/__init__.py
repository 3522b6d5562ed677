"""Model checking of TLA+ modules: the search, temporal formulas and the configuration."""

"""The environment of an evaluation: scopes, states and frames."""

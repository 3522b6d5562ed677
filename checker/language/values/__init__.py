"""The values of TLA+: equality, order, and lazy sets."""

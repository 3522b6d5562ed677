"""The values of TLA+: equality, order, and sets that are not enumerated."""

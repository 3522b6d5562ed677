"""The tabulated explorer on several machines: each worker has its share of the states."""

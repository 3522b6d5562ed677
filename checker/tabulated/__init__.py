"""The tabulated explorer: explicit-state search on packed states, with tables that the specification fills."""

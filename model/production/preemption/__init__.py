"""Room made by evicting pods of lower priority: candidates, the choice between them, and the eviction."""

"""Whether the production scheduler refines the specification: every step is allowed, and no pod is stranded."""

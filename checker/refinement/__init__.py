"""The refinement of the specification by the production scheduler: every step is allowed, and no pod is stranded."""

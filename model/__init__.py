"""State machines: the cluster's environment, the specification as a machine, and the production scheduler."""

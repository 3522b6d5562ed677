"""Records of what happened in a cluster, and what its scheduler decided, read as changes and decisions."""

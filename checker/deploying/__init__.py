"""What happens after manifests are applied: places of new pods, evictions, and whether rollouts complete."""

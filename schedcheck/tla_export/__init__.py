"""The model in TLA+: snapshots as the values that the modules of tla/ describe, and back; their operators on snapshots."""

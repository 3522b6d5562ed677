"""The model in TLA+: snapshots to the values that the modules of tla/ describe, and back; their operators on
snapshots.
"""

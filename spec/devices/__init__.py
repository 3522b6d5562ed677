"""Devices and resource claims: which devices may be allocated to the claims of a pod on a node."""

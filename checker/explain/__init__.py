"""Explanations of a pod's placement, or of its being pending: every filter, score and candidate."""

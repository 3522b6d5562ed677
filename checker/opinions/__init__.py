"""The specification's opinion on what a scheduler asks an extender: nodes, scores, victims and bindings.

What depends on objects that are not known is open: it is neither allowed nor refused.
"""

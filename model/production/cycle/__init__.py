"""The scheduling cycle and the binding cycle of a pod, and the handling of informer events."""

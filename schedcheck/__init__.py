"""An executable formal specification of the Kubernetes scheduler, with a bounded model checker."""

__version__ = "0.1.0"

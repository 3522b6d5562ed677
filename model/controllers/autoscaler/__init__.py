"""The HorizontalPodAutoscaler: what it computes from readings, and its steps, `Autoscaling`.

`model.autoscaling` holds its configuration. Kubernetes 1.34: pkg/controller/podautoscaler.
"""

from schedcheck.model.controllers.autoscaler.autoscaling import (
    Apply,
    Autoscale,
    Autoscaling,
    BringWithin,
    Recommend,
    Settle,
)

__all__ = ["Apply", "Autoscale", "Autoscaling", "BringWithin", "Recommend", "Settle"]

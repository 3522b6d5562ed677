"""A cluster autoscaler: it adds nodes to pools, drains little used ones and removes them. `NodeScaling` gives the steps.

`model.pooling` holds its configuration. Cluster autoscaler 1.34: cluster-autoscaler/ of kubernetes/autoscaler.
"""

from schedcheck.model.controllers.node_pools.scaling import (
    AddNode,
    EvictForScaleDown,
    GiveUp,
    NodeScaling,
    RemoveNode,
    ScaleDown,
)

__all__ = ["AddNode", "EvictForScaleDown", "GiveUp", "NodeScaling", "RemoveNode", "ScaleDown"]

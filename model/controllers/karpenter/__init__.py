"""Karpenter: it launches nodes for pending pods, consolidates nodes and drains them. `Provisioning` gives the steps.

`model.provisioning` holds its configuration. Karpenter 1.15: pkg/ of kubernetes-sigs/karpenter.
"""

from schedcheck.model.controllers.karpenter.steps import (
    Consolidate,
    Disrupt,
    EvictForDisruption,
    Initialize,
    Provision,
    Provisioning,
    RemoveEmpty,
    ReplaceNodes,
    TerminateNode,
)

__all__ = [
    "Consolidate",
    "Disrupt",
    "EvictForDisruption",
    "Initialize",
    "Provision",
    "Provisioning",
    "RemoveEmpty",
    "ReplaceNodes",
    "TerminateNode",
]

"""Clusters with Karpenter whose pools leave a label open: `opened`"""

from dataclasses import replace
from random import Random

from frozendict import frozendict

from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod, SpreadConstraint
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.karpenter.drawn import TEAM


def opened(scenario: Scenario, seed: int) -> Scenario:
    """The scenario, in which pools leave the label team open, and some pods are spread by it or ask for it.

    Manifests may not say so, as no instance type has that label.
    """
    chance, given = Random(f"open {seed}"), scenario.karpenter
    assert given is not None
    values = chance.choice(
        (("In", ("u", "v")), ("In", ("u", "v")), ("In", ("u", "v", "w")), ("Exists", ()), ("NotIn", ("w",)))
    )
    open_ = Requirement(TEAM, *values)
    pools = tuple(
        replace(
            pool,
            labels=frozendict({key: value for key, value in pool.labels.items() if key != TEAM}),
            requirements=(*pool.requirements, open_),
        )
        for pool in given.pools
    )
    asked = {
        owner: chance.choice(("spread", "spread", "v", "")) for owner in sorted({pod.owner for pod in scenario.pods})
    }
    pods = tuple(_of_team(pod, asked[pod.owner]) for pod in scenario.pods)
    return replace(scenario, pods=pods, karpenter=replace(given, pools=pools))


def _of_team(pod: Pod, how: str) -> Pod:
    """The pod, spread by the label team, with a node selector for a value of it, or as it is."""
    if how == "spread":
        return replace(pod, spread=(SpreadConstraint(1, TEAM, selector=LabelSelector(pod.labels)),))
    return replace(pod, node_selector=frozendict({**pod.node_selector, TEAM: how})) if how else pod

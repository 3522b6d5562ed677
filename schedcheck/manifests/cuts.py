"""The part of a cluster that can influence an answer, under each scheduler: `part`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.limits.timer import doing
from schedcheck.manifests import cut, cut_kubernetes
from schedcheck.manifests.cut import Key
from schedcheck.manifests.running import settled
from schedcheck.model.scenario import Scenario
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler

Cut = Callable[[Scenario, frozenset[Key]], Scenario]


def part(scenario: Scenario, asked: frozenset[Key]) -> Scenario:
    """Return the part of the scenario that affects the answer about the pods `asked`; all of it if none can be left out."""
    for looks, why in _whole_for(scenario):
        if looks:
            return _uncut(scenario, why)
    return CUTS[scenario.scheduler](scenario, asked)


def _whole_for(scenario: Scenario) -> Iterator[tuple[bool, str]]:
    """Yield whether the scenario has what may look at every object, and what that is."""
    yield scenario.faults != frozenset(), "faults of the printed model are on"
    yield scenario.descheduler is not None, "the descheduler looks at every pod"
    yield scenario.node_pools is not None, "the autoscaler looks at every pod and node"
    yield scenario.karpenter is not None, "Karpenter looks at every pod and node"
    yield bool(scenario.guarded), "the guard of an event may be about any object"
    yield bool(scenario.autoscalers), "the autoscaler looks at every pod of its workload"
    yield bool(scenario.jobs), "the controller of a Job looks at all its pods"
    yield bool(scenario.revised), "the controllers of a workload that changes look at all its pods"


def _uncut(scenario: Scenario, why: str) -> Scenario:
    """Return the whole scenario, with what is assumed of it."""
    return replace(scenario, cut=(*scenario.cut, f"nothing was left out, as {why}"))


def _after_settling(cut: Cut) -> Cut:
    """Return the cut of what is left once the pods that run are granted to stay so."""

    def made(scenario: Scenario, asked: frozenset[Key]) -> Scenario:
        doing("finding the part of the cluster that matters")
        settled_part, granted = settled(scenario, asked)
        part = cut(settled_part, asked)
        # Where no other pod has an influence, nothing that was granted has.
        alone = asked == {pod.key for pod in part.pods}
        return part if alone else replace(part, cut=(*part.cut, *granted))

    return made


def _whole(scenario: Scenario, asked: frozenset[Key]) -> Scenario:
    return _uncut(scenario, "the early scheduler reads everything")


CUTS: Mapping[Scheduler, Cut] = frozendict(
    {PUBLISHED: _after_settling(cut.cut), KUBERNETES: _after_settling(cut_kubernetes.cut), CLASSIC: _whole}
)
"""The cut of each scheduler."""

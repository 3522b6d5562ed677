"""The numbers of instances of tla/FairScaledCluster.tla beside those of any scheduler: `of_replicas`, `of_readings`."""

from collections.abc import Iterator

from schedcheck.model.autoscaling import Autoscaler
from schedcheck.model.controllers.autoscaler.autoscaling import DEFAULT_REPLICAS
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import APPLY, Scenario

OF_A_FORM = 3
"""The actions that concern one pod of a workload: `Create`, `Remove` and `Settle`."""


def of_replicas(scenario: Scenario) -> int:
    """Return the number of instances that depend on no reading: also `BringWithin`, and `Scale` of a Deployment."""
    found = 0
    forms = set[tuple[str, str]]()
    for rollout, autoscaler in _scalers(scenario):
        possible = _possible(rollout, autoscaler, scenario)
        forms |= {form.key for form in rollout.forms}
        found += sum(each not in _within(autoscaler) for each in possible - {0})
        found += len(possible) if rollout.kind == "Deployment" else 0
    return found + OF_A_FORM * len(forms)


def of_readings(scenario: Scenario) -> int:
    """Return the number of instances of `Autoscale`, for replicas before and after, and of `Recommend`, for each recommendation."""
    numbers = (len(_within(autoscaler)) for _, autoscaler in _scalers(scenario))
    return sum(number * (number - 1) + number for number in numbers)


def _scalers(scenario: Scenario) -> Iterator[tuple[Rollout, Autoscaler]]:
    yield from zip(scenario.rollouts, scenario.autoscalers, strict=False)


def _within(autoscaler: Autoscaler) -> range:
    return range(autoscaler.least, autoscaler.most + 1)


def _possible(rollout: Rollout, autoscaler: Autoscaler, scenario: Scenario) -> set[int]:
    """Return the replicas that the workload may have: at first, as an event sets them, and within the limits."""
    applied = {
        DEFAULT_REPLICAS if rule.replicas is None else rule.replicas
        for rule in scenario.rules
        if rule.event == APPLY and str(rollout) in rule.workloads
    }
    return {rollout.replicas, *_within(autoscaler), *applied}

"""A scenario to its manifests, which read back as the same scenario: `scenario_manifests`."""

from collections.abc import Iterable, Iterator

from schedcheck.manifests.identities import SCENARIO_VERSION
from schedcheck.manifests.manifests import Manifest, given
from schedcheck.manifests.snapshots import stored_objects
from schedcheck.model.scenario import CRASH, NODE_EVENTS, POD_EVENTS, RESTART, Rule, Scenario, snapshot_of
from schedcheck.spec.objects import Taint


def scenario_manifests(scenario: Scenario) -> Iterator[Manifest]:
    """Yield the objects of a scenario, and its document. What a cut left out is lost."""
    yield from stored_objects(snapshot_of(scenario, scenario.pods, scenario.nodes, scenario.budgets))
    yield {
        "apiVersion": SCENARIO_VERSION,
        "kind": "Scenario",
        "metadata": {"name": scenario.name},
        "spec": {
            "profile": scenario.profile,
            "absent": _keys(scenario.absent),
            "events": [_event(rule) for rule in scenario.rules],
            "victims": scenario.victims,
            "completed": scenario.completed,
            "controllers": sorted(scenario.controllers),
            "fairness": scenario.fairness,
            **given(
                {
                    "faults": sorted(scenario.faults),
                    "ratedResource": scenario.rated_resource if scenario.rated_resource != "cpu" else "",
                    "kubelet": _kubelet(scenario.shutdown_priorities),
                    "properties": list(scenario.properties),
                    "constraints": list(scenario.constraints),
                }
            ),
        },
    }


def _event(rule: Rule) -> Manifest:
    """Return the event with its objects; an event of nodes may also be bound to pods, and the reverse."""
    of_pods = rule.event in (*POD_EVENTS, RESTART, CRASH)
    return {
        "event": rule.event,
        **({"pods": _keys(rule.pods)} if of_pods else {}),
        **({"nodes": list(rule.nodes)} if rule.nodes or (rule.event in NODE_EVENTS and not of_pods) else {}),
        **({} if rule.bound is None else {"bound": rule.bound}),
        **({"when": [guard.text for guard in rule.guards]} if rule.guards else {}),
        **({} if rule.taint is None else {"taint": _taint(rule.taint)}),
        **({"key": rule.label_key, "values": list(rule.label_values)} if rule.label_key else {}),
    }


def _kubelet(priorities: Iterable[int]) -> Manifest:
    """Return the configuration of kubelets; any period means the same."""
    periods = [{"priority": each, "shutdownGracePeriodSeconds": 1} for each in priorities]
    return given({"shutdownGracePeriodByPodPriority": periods})


def _taint(taint: Taint) -> Manifest:
    return given({"key": taint.key, "value": taint.value, "effect": taint.effect})


def _keys(keys: Iterable[tuple[str, str]]) -> list[str]:
    return ["/".join(key) for key in sorted(keys)]

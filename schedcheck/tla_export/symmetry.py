"""A VIEW in TLA+ that identifies states which differ only by interchangeable objects: `orbit`."""

from collections.abc import Mapping

from frozendict import frozendict

from schedcheck.model.scenario import POD_EVENTS, Scenario
from schedcheck.spec.properties.kinds import Property
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler
from schedcheck.tla_export.text import NotExportable, Set, Value, layout

VIEW = "MC_Orbit"

VIEWED: Mapping[Scheduler, bool] = frozendict({PUBLISHED: True, KUBERNETES: False, CLASSIC: False})
"""Whether tla/Orbits.tla knows everything that changes in the states of each scheduler."""


def orbit(scenario: Scenario, asked: tuple[Property, ...]) -> str:
    """Return the definition of the view.

    Raises: NotExportable if states differ in more than names and nodes of pods.
    """
    from schedcheck.checker.exploring.symmetry import node_classes, pod_classes

    _refuse(scenario)
    mentions = frozenset[str]().union(*(each.mentions for each in asked))
    pods: Value = tuple(
        Set(tuple(scenario.pods[slot].key for slot in each)) for each in pod_classes(scenario, mentions)
    )
    nodes: Value = tuple(
        Set(tuple(scenario.nodes[slot].name for slot in each)) for each in node_classes(scenario, mentions)
    )
    return (
        f"MC_PodClasses ==\n  {layout(pods, 2)}\n\nMC_NodeClasses ==\n  {layout(nodes, 2)}\n\n"
        f"{VIEW} == Orbit(MC_PodClasses, MC_NodeClasses)"
    )


def _refuse(scenario: Scenario) -> None:
    """Raises: NotExportable for a scenario with changes that the view would not distinguish."""
    if not VIEWED[scenario.scheduler]:
        raise NotExportable(
            f"symmetry is exported only for the published model, not for the profile {scenario.profile}"
        )
    if scenario.controllers or scenario.budgets or any(rule.event not in POD_EVENTS for rule in scenario.rules):
        raise NotExportable(
            "symmetry is exported only if pods arrive, complete and are deleted, and nothing else happens"
        )
    known = {node.name for node in scenario.nodes} | {""}
    if any(pod.node_name not in known for pod in scenario.pods):
        raise NotExportable("symmetry is exported only if every pod is on an existing node or on none")

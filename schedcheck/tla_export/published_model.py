"""A scenario of the published model as objects and constants of tla/Cluster.tla: `published_parts`, `numerals`."""

from collections.abc import Iterable, Iterator

from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod
from schedcheck.spec.selectors import numeral
from schedcheck.spec.terms import Requirement
from schedcheck.tla_export.amounts import Scale, scale
from schedcheck.tla_export.kubernetes_objects import budget_record
from schedcheck.tla_export.objects import namespace_record, node_record, pod_record
from schedcheck.tla_export.text import Function, Set, Value


def published_parts(scenario: Scenario, pods: Iterable[Pod]) -> tuple[Scale, dict[str, Value], dict[str, Value]]:
    """Return the same as `kubernetes_parts`, for the published model.

    Budgets are included only if an eviction reads them.
    """
    divisors = scale(scenario)
    asked = "disruption" in scenario.controllers or any(rule.event == "evict" for rule in scenario.rules)
    made = {
        "Pod": [pod_record(pod, divisors) for pod in pods],
        "Node": [node_record(node, divisors) for node in scenario.nodes],
        "Namespace": [namespace_record(each) for each in scenario.namespaces],
        "Budget": [budget_record(each) for each in scenario.budgets if asked],
    }
    objects: dict[str, Value] = {
        f"{kind}{number}": record for kind, records in made.items() for number, record in enumerate(records, 1)
    }
    constants: dict[str, Value] = {
        "Faults": Set(tuple(str(fault) for fault in scenario.faults)),
        "Numeral": numerals(scenario),
        "ResourceNames": Set(divisors.resources),
        "RatedResource": scenario.rated_resource,
    }
    return divisors, objects, constants


def numerals(scenario: Scenario) -> Function:
    """Return the integers written by the texts that Gt and Lt may compare; empty if no requirement uses them."""
    requirements = [each for pod in scenario.pods for each in _requirements(pod)]
    if not any(each.operator in {"Gt", "Lt"} for each in requirements):
        return Function({})
    texts = {text for each in requirements for text in each.values} | set(_label_values(scenario))
    return Function({text: number for text in texts if (number := numeral(text)) is not None})


def _label_values(scenario: Scenario) -> Iterator[str]:
    yield from (node.name for node in scenario.nodes)
    labels = (each.labels for kind in (scenario.pods, scenario.nodes, scenario.namespaces) for each in kind)
    yield from (value for each in labels for value in each.values())
    yield from (value for rule in scenario.rules for value in rule.label_values if value is not None)


def _requirements(pod: Pod) -> Iterator[Requirement]:
    """Yield every requirement in the pod's affinity."""
    for node_term in pod.affinity.node_terms:
        yield from (*node_term.match_expressions, *node_term.match_fields)
    for pod_term in pod.affinity.pod_terms:
        for selector in (pod_term.label_selector, pod_term.namespace_selector):
            yield from () if selector is None else selector.match_expressions

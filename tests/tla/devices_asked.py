"""Ask the operators of tla/ about resource claims and their twins the same questions: `unlike` names the different answers"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from schedcheck.checker.language.environment.running import deep
from schedcheck.checker.language.evaluation.configuration import Configuration
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.evaluator import COMPILED
from schedcheck.checker.language.evaluation.given import universe
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.language.syntax.parser import parsed
from schedcheck.checker.language.values.values import Value, finite_set
from schedcheck.model.scenario import Scenario
from schedcheck.spec.device_objects import Devices, ResourceClaim
from schedcheck.spec.devices.effects import bound, released
from schedcheck.spec.kubernetes.filters import dynamic_resources as plugin
from schedcheck.spec.kubernetes.scores.dynamic_resources import dynamic_resources as score
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import departing
from schedcheck.spec.refusal import Refusal
from schedcheck.tla_export.devices import claim_record, numbered
from schedcheck.tla_export.kubernetes_model import kubernetes_parts
from schedcheck.tla_export.text import Record, Set
from schedcheck.tla_export.values import NULL, evaluated
from tests.tla.regenerate import TLA

assert COMPILED

Answers = dict[str, Value]


@cache
def modules() -> Mapping[str, tree.Module]:
    return loaded(TLA / "KubeDeviceCluster.tla", (), MODULES).modules


class Asked:
    """The operators of tla/ with the constants of a scenario; `changed` is the text of a module that replaces it."""

    def __init__(self, scenario: Scenario, changed: Mapping[str, str] | None = None) -> None:
        _, objects, constants = kubernetes_parts(scenario, scenario.pods)
        self.scenario = scenario
        self.plugins = departing(scenario.profile, scenario.plugins)[0]
        self.pods = _named(objects, "Pod")
        self.nodes = _named(objects, "Node")
        given = {name: evaluated(value) for name, value in constants.items()}
        replaced = {name: parsed(text, name) for name, text in (changed or {}).items()}
        root = tree.Module("Asked", ("KubeFilterDevices", "KubeClaimChanges"), (), at=tree.Position("Asked", 1, 1))
        self.universe = universe({**modules(), **replaced, "Asked": root}, Configuration())
        self.universe.values = {**given, "Null": NULL}
        with deep():
            self.universe.load("Asked")
        self.universe.running.state = tuple([()] * len(self.universe.variables))
        self.universe.running.unsettled = False
        self.whole = finite_set((*self.pods, *self.nodes, *given["GivenClaims"], *given["Inventory"]))

    def of(self, name: str, *arguments: Value) -> Value:
        operator = self.universe.root.find(name)
        assert isinstance(operator, Operator)
        with deep():
            return operator.body(operator.frame([], list(arguments)))

    def claims(self, some: tuple[ResourceClaim, ...]) -> Value:
        devices = self.scenario.devices
        return evaluated(Set(tuple(claim_record(each, devices, numbered(devices)) for each in some)))


def _named(objects: Mapping[str, Any], kind: str) -> list[Value]:
    return [evaluated(value) for name, value in objects.items() if name.rstrip("0123456789") == kind]


def theirs(asked: Asked) -> Answers:
    """What the operators of tla/ say."""
    found: Answers = {}
    for pod, record in zip(asked.scenario.pods, asked.pods, strict=True):
        found[f"WaitsForClaims {pod}"] = asked.of("WaitsForClaims", record, asked.whole)
        found[f"DynamicResourcesSkipped {pod}"] = asked.of("DynamicResourcesSkipped", record, asked.whole)
        found[f"DynamicResourcesRejection {pod}"] = asked.of("DynamicResourcesRejection", record, asked.whole)
        if rejected(asked, pod):
            continue
        for node, there in zip(asked.scenario.nodes, asked.nodes, strict=True):
            found[f"DynamicResourcesRefusal {pod} {node}"] = asked.of(
                "DynamicResourcesRefusal", record, there, asked.whole
            )
            found[f"ClaimsRated {pod} {node}"] = asked.of("ClaimsRated", record, there, asked.whole)
            found[f"BoundClaims {pod} {node}"] = asked.of("BoundClaims", record, there, asked.whole)
    known = frozenset(pod.name for pod in asked.scenario.pods if pod.resource_claims)
    claims = asked.universe.values["GivenClaims"]
    found["Released"] = asked.of("Released", claims, finite_set(asked.pods[:1]), finite_set(known))
    return found


def ours(asked: Asked) -> Answers:
    """What Python says."""
    found: Answers = {}
    scenario, departures = asked.scenario, asked.plugins.departures
    devices: Devices = scenario.devices
    for pod in scenario.pods:
        found[f"WaitsForClaims {pod}"] = evaluated(plugin.waits_for_claims(pod, devices, departures))
        found[f"DynamicResourcesSkipped {pod}"] = evaluated(plugin.skipped(pod, devices, departures))
        found[f"DynamicResourcesRejection {pod}"] = told(plugin.rejection(pod, devices, departures))
        if rejected(asked, pod):
            continue
        for node in scenario.nodes:
            found[f"DynamicResourcesRefusal {pod} {node}"] = told(plugin.refusal(pod, node, devices, departures))
            found[f"ClaimsRated {pod} {node}"] = rated(asked, pod, node)
            ways = bound(pod, node, devices, plugin.gates(departures))
            found[f"BoundClaims {pod} {node}"] = finite_set(asked.claims(way) for way in ways)
    known = frozenset(pod.name for pod in scenario.pods if pod.resource_claims)
    found["Released"] = asked.claims(released(devices.claims, scenario.pods[:1], known))
    return found


def rejected(asked: Asked, pod: Pod) -> bool:
    return plugin.rejection(pod, asked.scenario.devices, asked.plugins.departures) is not None


def rated(asked: Asked, pod: Pod, node: Node) -> int:
    scenario = asked.scenario
    return score(pod, (node,), Snapshot(pods=scenario.pods, devices=scenario.devices), asked.plugins)[node.name]


def told(refusal: Refusal | None) -> Value:
    return evaluated(None if refusal is None else Record({"Plugin": refusal.plugin, "Code": str(refusal.code)}))


def unlike(scenario: Scenario, changed: Mapping[str, str] | None = None) -> list[str]:
    """The questions whose answers differ."""
    asked = Asked(scenario, changed)
    mine = ours(asked)
    return [question for question, answer in theirs(asked).items() if answer != mine[question]]

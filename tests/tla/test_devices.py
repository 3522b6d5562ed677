"""Resource claims in TLA+: operators and modules of random scenarios answer as Python does; each broken operator shows

Operators are asked about every pod and node of a random scenario, and the counts of modules are those of `check`. The
evaluator and the checker of the language run the modules here.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.language.checking.checking import check as check_module
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
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
from schedcheck.checker.result import Bounds
from schedcheck.manifests import read
from schedcheck.manifests import scenario as scenario_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.device_objects import Devices, ResourceClaim
from schedcheck.spec.devices.effects import bound, released
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.filters import dynamic_resources as plugin
from schedcheck.spec.kubernetes.scores.dynamic_resources import dynamic_resources as score
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import departing
from schedcheck.spec.refusal import Refusal
from schedcheck.tla_export.devices import claim_record, numbered
from schedcheck.tla_export.export import export
from schedcheck.tla_export.kubernetes_model import kubernetes_parts
from schedcheck.tla_export.text import Record, Set
from schedcheck.tla_export.values import NULL, evaluated
from tests.tla.random_devices import exportable
from tests.tla.regenerate import EXAMPLES, TLA

assert COMPILED

Found = tuple[str, int, int, int]
Answers = dict[str, Value]
OPERATORS = range(700)
WHOLE = 40
FEW = 8


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


@pytest.mark.parametrize(
    "start", [pytest.param(each, marks=[pytest.mark.slow] if each else []) for each in range(0, len(OPERATORS), 100)]
)
def test_every_operator_answers_as_its_twin(start: int) -> None:
    different = {
        (scenario.profile, question): number
        for number, scenario in enumerate(exportable(OPERATORS[start : start + 100]))
        for question in unlike(scenario)
    }
    assert different == {}


def test_the_answers_vary() -> None:
    seen: dict[str, set[Value]] = {}
    several, failing = 0, 0
    for scenario in exportable(OPERATORS[:150]):
        for question, answer in ours(Asked(scenario)).items():
            name = question.partition(" ")[0]
            seen.setdefault(name, set()).add(answer)
            several += name == "BoundClaims" and len(list(answer)) > 1
            failing += "Error" in str(answer)
    assert min(map(len, seen.values())) > 1
    assert several > 20 and failing > 3


def of_module(scenario: Scenario, folder: Path, changed: Mapping[str, str] | None = None) -> Found:
    """The verdict and the counts of the module of a scenario; `changed` are texts of modules that replace others."""
    export(scenario, folder)
    for name, text in (changed or {}).items():
        (folder / f"{name}.tla").write_text(text, encoding="utf-8")
    name = next(path.stem for path in folder.glob("MC_*.tla"))
    read_ = loaded(folder / f"{name}.tla", (folder, TLA), MODULES)
    model = Model(read_.modules, read_.root.name, configuration(folder / f"{name}.cfg"))
    result = check_module(model, Bounds(seconds=300)).result
    assert not result.stopped
    return result.verdict.value, result.distinct, result.generated, result.depth


def of_check(scenario: Scenario) -> Found:
    result = check(scenario, symmetry=False).result
    return "violated" if result.violations else "holds", result.distinct, result.generated, result.depth


@cache
def whole() -> tuple[Scenario, ...]:
    """Scenarios with some steps that change claims, and few states."""
    found: list[Scenario] = []
    for scenario in exportable(range(1000, 1400)):
        counted = of_check(scenario)
        if 4 <= counted[1] <= 60 and counted[0] == "holds":
            found.append(scenario)
        if len(found) == WHOLE:
            return tuple(found)
    return tuple(found)


@pytest.mark.parametrize(
    "number", [pytest.param(each, marks=[pytest.mark.slow] if each >= FEW else []) for each in range(WHOLE)]
)
def test_a_module_has_the_counts_of_check(number: int, tmp_path: Path) -> None:
    assert of_module(whole()[number], tmp_path) == of_check(whole()[number])


def test_the_example_has_the_counts_of_check(tmp_path: Path) -> None:
    example = scenario_of(read([EXAMPLES / "devices"]), NO_FAULTS)
    _, *counts = of_check(example)
    # By hand: infer takes gpu-1 of large or is not tried; then nothing fits, and three decisions change nothing.
    assert counts == [2, 4, 2]
    assert of_module(example, tmp_path) == ("holds", 2, 4, 2)


BROKEN = {
    "KubeClaims": (
        (r"\/ Claim.Terminating", r"\/ FALSE"),
        ("Claim.OwnerUid # Each.PodUid", "FALSE"),
        (r"Each.Template # \"\" /\ ~Each.Generated", "FALSE"),
    ),
    "KubePools": (
        ("Slice.NodeName = Node.Name", "TRUE"),
        ("Other.Generation <= Slice.Generation", "TRUE"),
        (r"\E Slice \in Every : Slice.Generation > One.Generation", "FALSE"),
        ("IF Invalid THEN {} ELSE Listing", "Listing"),
        ("ELSE IF Incomplete /\\ ~Serves THEN", "ELSE IF FALSE THEN"),
        ('"incomplete-pools-serve" \\in Departures', "FALSE"),
    ),
    "KubeDevices": (
        (r"Part.Admin \/ Offer.Id \notin Situation.Taken", "TRUE"),
        ('{"NoSchedule", "NoExecute"}', "{}"),
        ("IF Constraint.Distinct THEN", "IF FALSE THEN"),
        (r"/\ ConstraintsHold(Situation, Chosen)", r"/\ TRUE"),
        (r"/\ Separate(Situation, Chosen)", r"/\ TRUE"),
        (": ~Each.Admin}", ": TRUE}"),
    ),
    "KubeAllocations": (
        ("Chosen[k].Alternative <= Other[k].Alternative", "TRUE"),
        (r"IF Wished = {} \/ Usable # Wished THEN {}", "IF Wished = {} THEN {}"),
        (r"\/ Situation.Unready /\ ", r"\/ FALSE /\ "),
        (r"IF \E Offer \in Some : Offer.Local THEN", "IF FALSE THEN"),
        ("Mine[m] < Theirs[m]", "Mine[m] > Theirs[m]"),
    ),
    "KubeFilterDevices": (
        (r"\E Part \in Parts(Waiting[i]) : Part.DeviceClass \notin Names", "FALSE"),
        ("Available(Those[i], Node) THEN", "TRUE THEN"),
        ("MostAlternatives - (n - 1)", "MostAlternatives"),
    ),
    "KubeClaimChanges": (
        ("IF ReservedBy(Pod, Claim) THEN @ ELSE Append(@, Consumer)", "@"),
        ("ELSE Deallocated(Claim)\n\nReleased", "ELSE Claim\n\nReleased"),
        (r"Known \ InUse", "{}"),
    ),
}
"""Definitions to break in each module: a text that occurs once, and what replaces it."""


def broken(module: str, old: str, new: str) -> dict[str, str]:
    text = (TLA / f"{module}.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1, (module, old)
    return {module: text.replace(old, new)}


@pytest.mark.parametrize(("module", "old", "new"), [(name, *each) for name, rows in BROKEN.items() for each in rows])
def test_a_broken_operator_answers_otherwise(module: str, old: str, new: str) -> None:
    changed = broken(module, old, new)
    assert any(differs(scenario, changed) for scenario in few())


@cache
def few() -> tuple[Scenario, ...]:
    return tuple(exportable(OPERATORS[:300]))


def differs(scenario: Scenario, changed: Mapping[str, str]) -> bool:
    """Whether an answer changes; an error is none."""
    try:
        return unlike(scenario, changed) != []
    except Exception:
        return False

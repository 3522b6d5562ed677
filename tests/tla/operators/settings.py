"""The constants and snapshots with which the operators are asked: `printed`, `kubernetes`"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from schedcheck.checker.language.values.values import FiniteSet, Value
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import ALL_FAULTS, NO_FAULTS, Fault, Faults
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.versions import NEWEST, VERSIONS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import profile
from schedcheck.spec.selectors import numeral
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, Requirement
from schedcheck.tla_export.classic_model import classic_node_record
from schedcheck.tla_export.kubernetes_constants import refuse_images
from schedcheck.tla_export.kubernetes_objects import kubernetes_pod_record
from schedcheck.tla_export.records import Object, Records
from schedcheck.tla_export.text import Function, Record
from schedcheck.tla_export.values import NULL, evaluated
from tests.tla import answers
from tests.tla.kubernetes_configured import CONFIGURED
from tests.tla.kubernetes_module import constants_of
from tests.tla.kubernetes_parity import DEPARTURES
from tests.tla.operators.asking import Setting
from tests.tla.operators.cases import Case
from tests.tla.operators.node_shutdowns import PRIORITIES
from tests.tla.random_kubernetes import MEBIBYTE, SCALE, STARTS, random_snapshot
from tests.tla.random_scenarios import VALUES, random_scenario, templated

PRINTED = Records(answers.SCALE, kubernetes=False)
KUBERNETES = Records(SCALE, kubernetes=True, starts=STARTS, image_unit=MEBIBYTE)
TEXTS = NodeSelectorTerm((Requirement("any", "In", (*VALUES, "-1", "n1", "n2", "n3")),))
"""Every value that a requirement drawn for an operator may have."""


class ClassicRecords(Records):
    """Records whose nodes also have their capacity and conditions."""

    def written(self, given: Object) -> Record:
        return classic_node_record(given, self.scale) if isinstance(given, Node) else super().written(given)


class RestartRecords(Records):
    """Records whose pods also have the number of their restarts."""

    def written(self, given: Object) -> Record:
        if isinstance(given, Pod):
            return kubernetes_pod_record(given, self.scale, self.starts, restarts=True)
        return super().written(given)


def printed(seeds: Iterable[int], faults: Faults, rated: str = "cpu") -> Setting:
    """The printed model with these faults."""
    judge = profile("", faults, rated)
    cases = {
        str(seed): Case(answers.snapshot_of(_templated(seed)), PRINTED, Random(seed), faults, judge) for seed in seeds
    }
    numerals = {text: number for text in (*VALUES, "-1") if (number := numeral(text)) is not None}
    constants: dict[str, Value] = {
        "Faults": FiniteSet(map(str, faults)),
        "Numeral": evaluated(Function(numerals)),
        "ResourceNames": FiniteSet(answers.SCALE.resources),
        "RatedResource": rated,
        "VictimsBecome": "pending",
        "Null": NULL,
    }
    return Setting(
        f"{', '.join(sorted(faults)) or 'no fault'}, {rated}",
        cases,
        constants,
        ("ControlLoop", "Placements", "Properties"),
    )


def all_printed(of_the_corrected: int, of_each_other: int) -> Iterator[Setting]:
    """Yield settings without faults, with each fault, with all faults, and with other rated resources, each with this
    many snapshots.
    """
    yield printed(range(of_the_corrected), NO_FAULTS)
    first = of_the_corrected
    others = [(NO_FAULTS, "memory"), (NO_FAULTS, "pods"), (ALL_FAULTS, "cpu")]
    others += [(frozenset({fault}), "cpu") for fault in Fault]
    for faults, rated in others:
        yield printed(range(first, first + of_each_other), faults, rated)
        first += of_each_other


def kubernetes(name: str, seeds: Iterable[int], plugins: Plugins) -> Setting:
    """kube-scheduler with these plugins."""
    snapshots = {seed: random_snapshot(seed) for seed in seeds}
    for snapshot in snapshots.values():
        refuse_images(snapshot, MEBIBYTE)
    texts = Snapshot(pods=(Pod("texts", affinity=Affinity(node_required=(TEXTS,))),))
    constants = {name: evaluated(value) for name, value in constants_of([*snapshots.values(), texts], plugins).items()}
    cases = {
        str(seed): Case(snapshot, KUBERNETES, Random(seed), plugins=plugins, offset=constants["PriorityOffset"])
        for seed, snapshot in snapshots.items()
    }
    constants |= {"Null": NULL, "ShutdownPriorities": PRIORITIES}
    return Setting(name, cases, constants, ("KubeAsynchronous", "NodeShutdown", "JobPods"))


def all_kubernetes(of_the_default: int, of_each_other: int) -> Iterator[Setting]:
    """Yield settings with all departures and with those of the newest version, with those of each other version, with
    none, with each alone, and with other configurations, each with this many snapshots.
    """
    yield kubernetes("all departures", range(of_the_default), DEFAULT_PLUGINS.departing(ALL_DEPARTURES))
    yield kubernetes("the newest version", range(of_the_default, 2 * of_the_default), DEFAULT_PLUGINS)
    first = 2 * of_the_default
    departures = {name: each.departures for name, each in VERSIONS.items() if each != NEWEST}
    departures |= {"no departure": NO_DEPARTURES}
    departures |= {str(each): frozenset({each}) for each in DEPARTURES}
    others = {name: DEFAULT_PLUGINS.departing(each) for name, each in departures.items()}
    for name, plugins in (others | CONFIGURED).items():
        yield kubernetes(name, range(first, first + of_each_other), plugins)
        first += of_each_other


def _templated(seed: int) -> Scenario:
    """A random scenario in which the templates of some pods name nodes."""
    drawn = random_scenario(seed)
    return replace(drawn, pods=tuple(templated(pod, drawn.nodes, seed) for pod in drawn.pods))

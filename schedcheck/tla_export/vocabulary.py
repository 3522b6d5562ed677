"""The modules of tla/ with the constants of a scenario: the operators that a formula about its states may use.

The operators state the correct behaviour, as for every property: no fault of the published model and no departure of
kube-scheduler is on. Amounts are in smallest units, undivided.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from frozendict import frozendict

from schedcheck.checker.language.environment.running import deep
from schedcheck.checker.language.evaluation.configuration import Configuration
from schedcheck.checker.language.evaluation.given import universe
from schedcheck.checker.language.evaluation.modules import Universe
from schedcheck.checker.language.standard.modules import MODULES
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.language.values.values import FiniteSet, LazySet, Value, finite_set
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler
from schedcheck.tla_export.kubernetes_constants import exact_balance, floating_balance, kubernetes_constants
from schedcheck.tla_export.published_model import numerals
from schedcheck.tla_export.records import Records, exactly
from schedcheck.tla_export.shipped import FOLDER
from schedcheck.tla_export.values import NULL, evaluated

ROOT = "Formula"


class FallsShort(LazySet):
    """The pairs of shares whose balance is one less in floating point than exactly, for any capacities."""

    def __contains__(self, value: object) -> bool:
        """Whether the pair belongs to the set."""
        match value:
            case ((int(part), int(whole)), (int(other), int(other_whole))) if whole and other_whole:
                shares = (part, whole), (other, other_whole)
                return floating_balance(*shares) < exact_balance(*shares)
        return False

    def size(self) -> int | None:
        """Return None: the set is infinite."""
        return None

    def elements(self) -> Iterator[Value]:
        """Return no element: the set is used only for membership tests."""
        return iter(())

    def __repr__(self) -> str:
        """Return the name of the constant."""
        return "FallsShort"


@cache
def modules(name: str) -> Mapping[str, tree.Module]:
    """Return a module of tla/ with all modules that it needs. Raises: Misread."""
    return loaded(FOLDER / f"{name}.tla", (), MODULES).modules


def vocabulary(scenario: Scenario) -> tuple[str, ...]:
    """Return the modules with operators about the states of the scenario."""
    return VOCABULARIES[scenario.scheduler].modules


def records_of(scenario: Scenario) -> Records:
    """Return the conversion of the scenario's objects to records. Raises: NotExportable."""
    return exactly(scenario)


def constants(scenario: Scenario, records: Records) -> dict[str, Value]:
    """Return the constants of the modules."""
    return {
        "Null": NULL,
        "Faults": FiniteSet(),
        "Numeral": evaluated(numerals(scenario)),
        "ResourceNames": finite_set(records.scale.resources),
        "RatedResource": scenario.rated_resource,
        "VictimsBecome": scenario.victims,
        **VOCABULARIES[scenario.scheduler].constants(scenario, records),
    }


def _of_kubernetes(scenario: Scenario, records: Records) -> dict[str, Value]:
    """Return the constants for the first scheduler's plugins; its floating-point arithmetic is kept."""
    plugins = scenario.plugins[0].departing(NO_DEPARTURES)
    without_balance = replace(plugins, arguments=replace(plugins.arguments, balanced=()))
    everything = Snapshot(pods=scenario.pods, nodes=scenario.nodes)
    written = kubernetes_constants(everything, without_balance, records.scale, 1)
    found = {name: evaluated(value) for name, value in written.items() if name != "Faults"}
    return found | {"BalancedResources": plugins.arguments.balanced, "FallsShort": FallsShort()}


class Vocabulary(NamedTuple):
    """The modules with operators about the states of a scheduler, and the constants that only it has."""

    modules: tuple[str, ...]
    constants: Callable[[Scenario, Records], Mapping[str, Value]] = lambda scenario, records: {}


OF_MODEL = Vocabulary(("ControlLoop", "Placements", "Properties"))
VOCABULARIES: Mapping[Scheduler, Vocabulary] = frozendict(
    {
        PUBLISHED: OF_MODEL,
        KUBERNETES: Vocabulary(("KubeControlLoop", "Properties"), _of_kubernetes),
        CLASSIC: OF_MODEL,
    }
)
"""The vocabulary of each scheduler; formulas about states of the early one use that of the published model."""


def put_together(
    scenario: Scenario, records: Records, root: tree.Module, more: Mapping[str, tree.Module] | None = None
) -> Universe:
    """Return the root module over the vocabulary, with the constants. Raises: TlaError."""
    found: dict[str, tree.Module] = {}
    for name in vocabulary(scenario):
        found |= modules(name)
    made = universe({**found, **(more or {}), root.name: root}, Configuration())
    made.values = constants(scenario, records)
    with deep():
        made.load(root.name)
    return made

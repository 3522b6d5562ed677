"""Ask operators of tla/ and their twins the same questions: `unlike` reports differences

Two answers are equal if they are the same TLA+ value: sets without order, records by their fields, Null equal only to
itself.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from schedcheck.checker.language.environment.running import deep
from schedcheck.checker.language.evaluation.configuration import Configuration
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.evaluator import COMPILED
from schedcheck.checker.language.evaluation.given import universe
from schedcheck.checker.language.evaluation.modules import Universe
from schedcheck.checker.language.standard.modules import MODULES
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.language.syntax.parser import parsed
from schedcheck.checker.language.values.values import Value, short
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.told import told
from tests.tla.operators.twin import DRAWN, Twin, words
from tests.tla.run_tlc import TLA

# The compiler of tree nodes is registered once its modules are imported.
assert COMPILED

TRIES = 8
"""How often arguments are drawn from a snapshot that may lack some."""


OF_THE_CASE = ("case", "snapshot", "faults", "profile", "resource", "plugins", "departures", "arguments")
"""What a twin may request in addition to the arguments."""


SYSTEMS = (
    "Cluster",
    "KubeCluster",
    "ClassicCluster",
    "Deciding",
    "KubeDeciding",
    "KubeDeviceCluster",
    "KubeShutdownCluster",
    "KubeJobCluster",
    "KubeRolloutCluster",
    "KubePooledCluster",
    "KubeProvisionedCluster",
    "KubeDescheduledCluster",
    "KubePodGroupCluster",
    "EarlyDeciding",
    "Orbits",
    "FairCluster",
    "FairClassicCluster",
    "FairShutdownCluster",
    "FairJobCluster",
    "FairRolloutCluster",
    "FairPooledCluster",
    "FairProvisionedCluster",
    "FairDescheduledCluster",
    "FairKubeCluster",
    "FairPodGroupCluster",
)


@cache
def modules() -> Mapping[str, tree.Module]:
    """The modules of tla/ that are not models of a scenario, by name."""
    found: dict[str, tree.Module] = {}
    for name in (*SYSTEMS, "Placements", "ProductionRefinement", "KubeExtenders", "ClassicExtenders"):
        found |= loaded(TLA / f"{name}.tla", (), MODULES).modules
    return found


@dataclass(frozen=True)
class Setting:
    """The setting in which operators are asked: named cases, the constants, and the extended modules."""

    name: str
    cases: Mapping[str, Case]
    constants: Mapping[str, Value]
    extends: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """A different answer of an operator and its twin."""

    operator: str
    setting: str
    case: str
    arguments: str
    theirs: str
    ours: str


def root(setting: Setting, changed: Mapping[str, str] | None = None) -> Universe:
    """The modules with the constants; `changed` are texts that replace some of them, by name of the module."""
    given = dict(modules())
    given |= {name: parsed(text, name) for name, text in (changed or {}).items()}
    given["Asked"] = tree.Module("Asked", setting.extends, (), at=tree.Position("Asked", 1, 1))
    made = universe(given, Configuration())
    made.values = dict(setting.constants)
    with deep():
        made.load("Asked")
    return made


def given_to(twin: Twin, parameters: Iterable[str], case: Case) -> dict[str, Any]:
    """The arguments of the operator by parameter, drawn from the case; those that depend on others are drawn later."""
    found: dict[str, Any] = {}
    waiting = {name: twin.drawn.get(name) or DRAWN[name] for name in parameters}
    while waiting:
        for name, draw in list(waiting.items()):
            needed = list(inspect.signature(draw).parameters)[1:]
            if not any(words(other) in needed for other in waiting):
                found[name] = draw(case, *(found[other] for need in needed for other in found if words(other) == need))
                del waiting[name]
    return {name: found[name] for name in parameters}


def answer(twin: Twin, arguments: Mapping[str, Any], case: Case) -> Any:
    """The answer of the twin."""
    by_name = {words(name): value for name, value in arguments.items()}
    parameters = inspect.signature(twin.python).parameters
    others = iter([value for name, value in by_name.items() if name not in parameters])

    def given(name: str) -> Any:
        if name in by_name:
            return by_name[name]
        if name in OF_THE_CASE:
            return case if name == "case" else getattr(case, name)
        return next(others)

    return twin.python(*map(given, parameters))


def asked(twin: Twin, case: Case, within: Universe) -> tuple[dict[str, Any], Value, Value]:
    """The arguments, and the answers of the operator and of its twin. Raises: NoSuch."""
    operator = within.root.find(twin.operator)
    assert isinstance(operator, Operator), twin.operator
    case = twin.of(case)
    state: list[Any] = [()] * len(within.variables)
    state[within.variables["Objects"].number] = case.records.snapshot(case.snapshot)
    within.running.state, within.running.unsettled = tuple(state), False
    for _ in range(TRIES - 1):
        try:
            arguments = given_to(twin, [each.name for each in operator.parameters], case)
            ours = told(answer(twin, arguments, case), case.records)
            break
        except NoSuch:
            continue
    else:
        raise NoSuch
    with deep():
        theirs = operator.body(operator.frame([], [told(each, case.records) for each in arguments.values()]))
    return arguments, theirs, ours


@dataclass
class Tally:
    """The statistics of an operator: the number of snapshots, its answers, and the differences."""

    snapshots: int = 0
    first: Value = None
    varies: bool = False
    differences: int = 0

    def note(self, theirs: Value) -> None:
        self.snapshots += 1
        self.varies |= self.first is not None and self.first != theirs
        self.first = theirs if self.first is None else self.first


def unlike(
    twins: Iterable[Twin], setting: Setting, tallies: dict[str, Tally], changed: Mapping[str, str] | None = None
) -> Iterator[Difference]:
    """Yield the differences between operators and twins in the cases of a setting."""
    within = root(setting, changed)
    for twin in twins:
        tally = tallies.setdefault(twin.operator, Tally())
        for name, case in setting.cases.items():
            try:
                arguments, theirs, ours = asked(twin, case, within)
            except NoSuch:
                continue
            tally.note(theirs)
            if theirs != ours:
                tally.differences += 1
                shown = ", ".join(f"{each}: {value}" for each, value in arguments.items() if each != "Snapshot")
                yield Difference(twin.operator, setting.name, name, shown, short(theirs), short(ours))

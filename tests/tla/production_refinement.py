"""Let TLC check every step of the production scheduler in small clusters: tla/ProductionRefinement.tla

    python -m tests.tla.production_refinement --jar path/to/tla2tools.jar [--broken]

With --broken the production scheduler is broken in turn as in tests/checker/differential/test_refinement.py, which TLC
must detect; the graph is that of the broken scheduler.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.refinement.mapping import Change, image, known, of_its_own, with_pod
from schedcheck.checker.refinement.stranded import Watched
from schedcheck.model.production.machine.actions import Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Snapshot
from schedcheck.tla_export.text import Name, Record, Set, Value, layout
from tests.checker.differential.scenarios import EVICTS_ONE_OF_TWO, NODE_COMES, PORTS, machine
from tests.checker.differential.test_refinement import (
    binding_elsewhere,
    erring_for_ever,
    evicting_more,
    never_evicting,
    never_popping,
)
from tests.tla.kubernetes_module import SHORT, assigned, constants_of, snapshot_record
from tests.tla.run_tlc import TLCError, run

SCENARIOS = {"node_comes": NODE_COMES, "evicts_one_of_two": EVICTS_ONE_OF_TWO, "ports": PORTS}
TWINS: tuple[tuple[Callable[[pytest.MonkeyPatch], None], Scenario, str], ...] = (
    (never_popping, NODE_COMES, "Progresses"),
    (erring_for_ever, NODE_COMES, "Progresses"),
    (never_evicting, EVICTS_ONE_OF_TWO, "Progresses"),
    (binding_elsewhere, NODE_COMES, "Refines"),
    (evicting_more, EVICTS_ONE_OF_TWO, "Refines"),
)
"""Each twin with the property that TLC must find violated."""
CONFIGURATION = "SPECIFICATION GraphSpec\nPROPERTIES {asked}\nCHECK_DEADLOCK FALSE\n"


class Tables:
    """Repeated values, each defined once."""

    def __init__(self) -> None:
        self.names: dict[Snapshot | frozenset[Change], str] = {}
        self.texts: dict[str, Value] = {}

    def named(self, key: Snapshot | frozenset[Change], value: Callable[[], Value]) -> Name:
        """The name of a value, which is computed if it is new."""
        if key not in self.names:
            self.names[key] = f"T{len(self.names)}"
            self.texts[self.names[key]] = value()
        return Name(self.names[key])

    def snapshot(self, snapshot: Snapshot) -> Name:
        return self.named(snapshot, lambda: snapshot_record(snapshot))


def owed(changes: frozenset[Change]) -> Set:
    """The changes that are owed."""
    return Set(
        tuple(
            Record({"By": each.by, "Verb": each.verb, "Pod": each.pod, "Node": each.node}) for each in sorted(changes)
        )
    )


def graph(made: Production) -> tuple[list[State], list[list[tuple[object, int]]]]:
    """The reachable states, and the steps from each with the number of the next state."""
    met = Exploration(Watched(made), ())
    breadth_first(met)
    return met.states, [[(action, met.numbers[after]) for action, after in made.steps(each)] for each in met.states]


def module(made: Production) -> tuple[str, str]:
    """The module with the graph of the production scheduler, and its configuration without the properties."""
    states, steps = graph(made)
    tables = Tables()
    seen: list[Snapshot] = []
    rows: list[Value] = []
    for state, taken in zip(states, steps, strict=True):
        objects = made.view(state)
        seen.append(objects)
        listed = []
        for action, end in taken:
            kind, about = of_its_own(action) or ("Event", "")
            tried, knew = Set(()), Set(())
            if isinstance(action, Try) and action.concluded is not None:
                there = with_pod(action.concluded.pod, known(made, state))
                seen.append(there)
                tried = Set((action.concluded.pod.name,))
                knew = tables.snapshot(there)
            fields: dict[str, Value] = {"Kind": kind, "About": about, "To": end + 1, "Tried": tried, "Known": knew}
            listed.append(Record(fields))
        owing = image(state).owed
        row: dict[str, Value] = {
            "Objects": tables.snapshot(objects),
            "Owed": tables.named(owing, lambda owing=owing: owed(owing)),
            "Steps": Set(tuple(listed)),
        }
        rows.append(Record(row))
    (plugins,) = made.scenario.plugins
    constants = constants_of(seen, plugins)
    text = "\n".join(
        [
            "---- MODULE MC_production ----",
            "EXTENDS ProductionRefinement, TLC",
            *(f"MC_{name} == {layout(value, 0)}" for name, value in constants.items()),
            *(f"{name} == {layout(value, 0)}" for name, value in tables.texts.items()),
            f"Rows == {layout(tuple(rows), 0)}",
            # A scheduled pod is given by its name, and looked up among the known pods.
            "Found(Step) == [Step EXCEPT !.Tried = {Pod \\in Pods(Step.Known) : Pod.Name \\in Step.Tried}]",
            "MC_Graph == [Number \\in DOMAIN Rows |->"
            " [Rows[Number] EXCEPT !.Steps = {Found(Step) : Step \\in Rows[Number].Steps}]]",
            "MC_InitialStates == {1}",
            "====",
        ]
    )
    return text, f"{assigned(constants)}\n  Graph <- MC_Graph\n  InitialStates <- MC_InitialStates\n"


def judged(jar: Path, made: Production, *asked: str) -> dict[str, int]:
    """The counts of TLC. Raises: TLCError if it finds a property violated."""
    text, constants = module(made)
    configuration = constants + CONFIGURATION.format(asked=" ".join(asked))
    return run(jar, "MC_production", {"MC_production.tla": text, "MC_production.cfg": configuration}, SHORT)


def main() -> int:
    parser = argparse.ArgumentParser(description="Have TLC judge the production scheduler in small clusters.")
    parser.add_argument("--jar", type=Path, required=True, help="tla2tools.jar")
    parser.add_argument("--broken", action="store_true", help="break the production scheduler, which must show")
    arguments = parser.parse_args()
    failed = False
    if arguments.broken:
        for twin, of, asked in TWINS:
            with pytest.MonkeyPatch.context() as patch:
                twin(patch)
                try:
                    judged(arguments.jar, machine(of), asked)
                    said = "not noticed"
                except TLCError as error:
                    told = "violated" in str(error)
                    said = f"{asked} is violated" if told else error.summary()
                failed |= not said.endswith("is violated")
            print(f"{twin.__name__}: {said}", flush=True)
        return int(failed)
    for name, of in SCENARIOS.items():
        began = time.monotonic()
        made = machine(of)
        counts = judged(arguments.jar, made, "Refines", "Progresses")
        agrees = counts["distinct"] == len(graph(made)[0])
        failed |= not agrees
        print(
            f"{name}: {counts['distinct']:,} states{'' if agrees else ', not what Python counts'}, {time.monotonic() - began:.0f} s",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TLCError as error:
        sys.exit(str(error)[-3000:])

"""The operators on random snapshots in TLC and in Python: Feasibility, Viability and others

One module contains many snapshots with Python's answers; TLC evaluates the same operators and reports the differences.
"""

import re
from pathlib import Path

from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import unbound
from schedcheck.spec.faults import Faults
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.placement import viable_placements
from schedcheck.spec.profiles import Profile, profile
from schedcheck.spec.published.control_loop import turn
from schedcheck.spec.published.preemption import LOWEST_PRIORITY
from schedcheck.spec.selectors import numeral
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.objects import namespace_record, node_record, pod_record
from schedcheck.tla_export.text import Function, Name, Set, Value, layout
from tests.tla.random_scenarios import VALUES, random_scenario
from tests.tla.run_tlc import TLCError, run

# The amounts in random scenarios are multiples of these.
SCALE = Scale({"cpu": 500, "memory": 1024, "pods": 1}, 1)
OPERATORS = r"""
Placeable(Pod, Node, Snapshot) ==
  <<Pod.Name, Node.Name, Feasibility(Pod, Node, Snapshot), Viability(Pod, Node, Snapshot),
    {<<{Victim.Name : Victim \in Victims}, Casualty(Victims)>> : Victims \in VictimSets(Pod, Node, Snapshot)}>>

Best(Snapshot) ==
  LET Waiting == Unbound(Snapshot)
  IN IF Cardinality(Waiting) > 2 THEN {}
     ELSE {{<<Pod.Name, Placement[Pod].Name>> : Pod \in DOMAIN Placement} :
            Placement \in ViablePlacements(Waiting, Snapshot)}

Answers(Snapshot) ==
  <<{Placeable(Pod, Node, Snapshot) : Pod \in Pods(Snapshot), Node \in Nodes(Snapshot)},
    {Pod.Name : Pod \in Turn(Snapshot)},
    Best(Snapshot)>>

VARIABLE Checked

Init == Checked = {Seed \in DOMAIN Expected : Answers(Snapshots_[Seed]) # Expected[Seed]} /\ Objects = {}

Next == UNCHANGED <<Checked, Objects>>

Agree == Checked = {}
"""


def snapshot_of(scenario: Scenario) -> Snapshot:
    """Every object of the scenario, present."""
    return Snapshot.of(scenario.pods, scenario.nodes, scenario.namespaces)


def answers(snapshot: Snapshot, judge: Profile) -> tuple[Value, ...]:
    """Python's answers as the TLA+ value that Answers(Snapshot) must equal."""
    waiting = unbound(snapshot, judge.faults)
    best = viable_placements(waiting, snapshot, judge) if len(waiting) <= 2 else frozenset()
    return (
        Set(tuple(_placeable(pod, node, snapshot, judge) for pod in snapshot.pods for node in snapshot.nodes)),
        Set(tuple(pod.name for pod in turn(snapshot, judge))),
        Set(tuple(Set(tuple((pod.name, node.name) for pod, node in placement.items())) for placement in best)),
    )


def _placeable(pod: Pod, node: Node, snapshot: Snapshot, judge: Profile) -> tuple[Value, ...]:
    victims = judge.victim_sets(pod, node, snapshot)
    sets = tuple((Set(tuple(victim.name for victim in chosen)), _casualty(chosen, judge)) for chosen in victims)
    return (
        pod.name, node.name, judge.feasibility(pod, node, snapshot), judge.viability(pod, node, snapshot), Set(sets),
    )  # fmt: skip


def _casualty(victims: frozenset[Pod], judge: Profile) -> tuple[Value, ...]:
    highest, *rest = judge.casualty(victims)
    return (Name("LowestPriority") if highest == LOWEST_PRIORITY else highest, *rest)


def module(snapshots: dict[int, Snapshot], judge: Profile) -> tuple[str, str]:
    """The module and configuration that compare TLC's answers on the snapshots with Python's."""
    numbers = {text: number for text in VALUES if (number := numeral(text)) is not None}
    constants: dict[str, Value] = {
        "Faults": Set(tuple(str(fault) for fault in judge.faults)),
        "Numeral": Function(numbers),
        "ResourceNames": Set(SCALE.resources),
        "RatedResource": judge.rated_resource,
        "VictimsBecome": "absent",
    }
    tables = {
        "Snapshots_": {str(seed): _records(snapshot) for seed, snapshot in snapshots.items()},
        "Expected": {str(seed): answers(snapshot, judge) for seed, snapshot in snapshots.items()},
    }
    defined = [
        *(f"MC_{name} == {layout(value, 0)}" for name, value in constants.items()),
        *(f"{name} == {layout(Function(table), 0)}" for name, table in tables.items()),
    ]
    text = "\n".join(["---- MODULE MC_answers ----", "EXTENDS Evicting, Placements, TLC", *defined, OPERATORS, "===="])
    replaced = "\n".join(f"  {name} <- MC_{name}" for name in constants)
    return text, f"CONSTANTS\n  Null = Null\n{replaced}\nINIT Init\nNEXT Next\nINVARIANT Agree\nCHECK_DEADLOCK FALSE\n"


def _records(snapshot: Snapshot) -> Set:
    return Set(
        (
            *(pod_record(pod, SCALE) for pod in snapshot.pods),
            *(node_record(node, SCALE) for node in snapshot.nodes),
            *(namespace_record(namespace) for namespace in snapshot.namespaces),
        )
    )


def differing(jar: Path, seeds: range, faults: Faults, rated_resource: str) -> list[str]:
    """The seeds on whose snapshots TLC and Python give different answers."""
    snapshots = {seed: snapshot_of(random_scenario(seed)) for seed in seeds}
    text, configuration = module(snapshots, profile("", faults, rated_resource))
    try:
        run(jar, "MC_answers", {"MC_answers.tla": text, "MC_answers.cfg": configuration})
    except TLCError as error:
        found = re.search(r"Checked = \{(.*?)\}", str(error), re.DOTALL)
        return re.findall(r'"(\d+)"', found[1]) if found else [error.summary()]
    return []

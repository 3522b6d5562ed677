"""What kube-scheduler's filters and scores answer on snapshots drawn at random, in TLC and in Python.

Each pod that waits in a snapshot is asked about. An answer has a part for each question of `QUESTIONS`; TLC evaluates
the same operators, and says on which parts of which answers it differs.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from schedcheck.report.tla_amounts import Scale
from schedcheck.report.tla_kubernetes import (
    budget_record,
    controller_record,
    kubernetes_node_record,
    kubernetes_pod_record,
    service_record,
)
from schedcheck.report.tla_kubernetes_constants import kubernetes_constants, refuse_images
from schedcheck.report.tla_objects import namespace_record
from schedcheck.report.tla_text import Function, Record, Set, Value, layout
from schedcheck.spec import kubernetes
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.feasibility import node_resources_fit, scheduling_gates
from schedcheck.spec.feasibility.cycle import FILTERS, Cycle, cycle, feasible, refusals, verdicts, with_nominated
from schedcheck.spec.feasibility.node_info import NodeInfo
from schedcheck.spec.feasibility.refusal import Refusal
from schedcheck.spec.feasibility.requests import occupied, wanted
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.plugins import Plugins
from schedcheck.spec.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.preemption.post_filter import post_filter
from schedcheck.spec.preemption.ties import permitted, possible
from schedcheck.spec.scheduling import after
from schedcheck.spec.values import Amounts
from schedcheck.spec.viability.choice import choice, scores_of
from tests.tla.random_kubernetes import HUNDRED, MEBIBYTE, STARTS, random_snapshot
from tests.tla.run_tlc import TLCError, run

# What the random snapshots draw are multiples of these.
SCALE = Scale({"cpu": 100, "memory": HUNDRED, "pods": 1, "example.com/gpu": 1, "uncounted": 1}, 1)

QUESTIONS = {
    "gates": "Told(SchedulingGatesRefusal(Pod))",
    "wanted": "Pairs(Wanted(Pod))",
    "occupied": "{<<Other.Name, Pairs(Occupied(Other))>> : Other \\in Pods(Snapshot)}",
    "skipped": "Skipped(Pod, Snapshot)",
    "rejection": "Told(Rejection(Pod, Snapshot))",
    "named": "Named(Pod, Snapshot)",
    "short": "{<<Info.Node.Name, TooManyPods(Info), Short(LookedFor(Pod), Info)>> : Info \\in Infos}",
    "filters": "UNION {{<<Info.Node.Name, Plugin, Told(Refusal(Plugin, Pod, Info, Snapshot))>> :"
    " Plugin \\in Filtering} : Info \\in Infos}",
    "nominated": "{<<Info.Node.Name, AllTold(Pod, Added(Info, Nominated(Pod, Info.Node, Snapshot)), Snapshot)>> :"
    " Info \\in Infos}",
    "trials": "UNION {Trials(Pod, Info, Snapshot) : Info \\in Infos}",
    "verdicts": "{Judged(Node, Verdict(Pod, Node, Snapshot)) : Node \\in Nodes(Snapshot)}",
    "scores of all": "Rated(Scored(Pod, Nodes(Snapshot), Snapshot))",
    "scores of the feasible": "IF Possible = {} THEN {} ELSE Rated(Scored(Pod, Possible, Snapshot))",
    "choice": "Ended(Choice(Pod, Snapshot))",
    "victims": "{<<Info.Node.Name, {Candidature(Each) : Each \\in CandidatesOn(Pod, Info, Now)}>> :"
    " Info \\in PotentialNodes(Pod, Now)}",
    "permitted": "{Candidature(Each) : Each \\in Permitted(Pod, Now)}",
    "post-filter": "PostFilter(Pod, Now)",
    "turn": "Names(KubeTurn(Snapshot))",
    "decisions": "{Decided(Each, Pod, Snapshot) : Each \\in KubeDecisions(Pod, Snapshot)}",
}

OPERATORS = r"""
Told(Said) == IF Said = Null THEN <<>> ELSE <<Said.Plugin, Said.Code>>

Pairs(Given_) == {<<Name, Given_[Name]>> : Name \in DOMAIN Given_}

Names(Objects_) == {Object.Name : Object \in Objects_}

Filtering == {Enabled.filter[i] : i \in DOMAIN Enabled.filter}

AllTold(Pod, Info, Snapshot) ==
  LET Said == Refusals(Pod, Info, Snapshot) IN [i \in DOMAIN Said |-> Told(Said[i])]

Trials(Pod, Info, Snapshot) ==
  LET Empty == Removed(Info, Info.Pods)
  IN {<<Info.Node.Name, AllTold(Pod, Empty, Snapshot)>>}
     \union {<<Info.Node.Name, Other.Name, AllTold(Pod, Removed(Info, {Other}), Snapshot),
               AllTold(Pod, Added(Empty, {Other}), Snapshot)>> : Other \in Info.Pods}

Judged(Node, Found) == <<Node.Name, Told(Found.Refusal), Found.Source>>

ByName(Scores) == {<<Node.Name, Scores[Node]>> : Node \in DOMAIN Scores}

Rated(Found) ==
  IF Found.Error THEN "error"
  ELSE <<Found.Skipped,
         {<<Plugin, ByName(Found.Raw[Plugin]), ByName(Found.Normalised[Plugin]), ByName(Found.Weighted[Plugin])>> :
           Plugin \in DOMAIN Found.Raw},
         ByName(Found.Total), Names(Found.Best)>>

Ended(End) == <<End.Kind, End.Mode, Names(End.Hosts)>>

Candidature(Each) == <<Each.Node.Name, Names(Each.Victims), Each.Violations>>

Left(Snapshot) == {<<Pod.Name, Pod.Spec.NodeName, Pod.Status.NominatedNodeName>> : Pod \in Pods(Snapshot)}

Decided(Each, Pod, Snapshot) ==
  <<Each.Kind, IF Each.Node = Null THEN "" ELSE Each.Node.Name, Names(Each.Victims), Each.Unnominated,
    Left(KubeAfter(Each, Pod, Snapshot))>>

VARIABLE Checked

Init ==
  /\ Objects = {}
  /\ Checked = UNION {LET Found == Answers(Asked_[Case].Pod, Asked_[Case].Snapshot)
                      IN {<<Case, i>> : i \in {j \in DOMAIN Found : Found[j] # Expected[Case][j]}} :
                       Case \in DOMAIN Expected}

Next == UNCHANGED <<Checked, Objects>>

Agree == Checked = {}
"""


@dataclass(frozen=True)
class Case:
    """A pod that waits in a snapshot."""

    pod: Pod
    snapshot: Snapshot


def cases(seeds: Iterable[int]) -> dict[str, Case]:
    """The pods that wait in the snapshots of these seeds."""
    snapshots = {seed: random_snapshot(seed) for seed in seeds}
    return {
        f"{seed} {pod.name}": Case(pod, snapshot)
        for seed, snapshot in snapshots.items()
        for pod in snapshot.pods
        if not pod.node_name
    }


def answers(case: Case, plugins: Plugins) -> tuple[Value, ...]:
    """What Python answers, as the TLA+ value that Answers(Pod, Snapshot) must equal; the cycle is without the pod."""
    made = cycle(case.pod, case.snapshot - {case.pod}, plugins)
    wants, sought = wanted(case.pod), node_resources_fit.looked_for(case.pod, plugins.arguments)
    run = DryRun(kubernetes.taken_up(case.pod, case.snapshot, plugins))
    said = post_filter(run)
    return (
        _told(scheduling_gates.refusal(case.pod, plugins)),
        _pairs(wants),
        Set(tuple((each.name, _pairs(occupied(each))) for each in case.snapshot.pods)),
        Set(tuple(made.skipped)),
        _told(made.rejection),
        None if made.named is None else Set(tuple(made.named)),
        Set(
            tuple(
                (
                    info.node.name,
                    node_resources_fit.too_many_pods(info),
                    Set(node_resources_fit.short(sought, info)),
                )
                for info in made.infos
            )
        ),
        Set(
            tuple(
                (info.node.name, name, _told(FILTERS[name](made, info)) if name in FILTERS else ())
                for info in made.infos
                for name in plugins.at("filter")
            )
        ),
        Set(tuple((info.node.name, _all_told(made, with_nominated(made, info) or info)) for info in made.infos)),
        Set(tuple(trial for info in made.infos for trial in _trials(made, info))),
        Set(tuple((name, _told(found.refusal), found.source) for name, found in verdicts(made).items())),
        _rated(made, tuple(info.node.name for info in made.infos)),
        _rated(made, feasible(made)) if feasible(made) else Set(()),
        _ended(made),
        Set(
            tuple(
                (info.node.name, Set(tuple(_candidature(each) for each in possible(run, info))))
                for info in run.potential_nodes
            )
        ),
        Set(tuple(_candidature(each) for each in permitted(run))),
        Record({"Code": said.code, "Unnominated": said.unnominated}),
        Set(tuple(pod.name for pod in kubernetes.turn(case.snapshot, plugins))),
        Set(
            tuple(_decided(each, case.snapshot) for each in kubernetes.decision(case.pod, case.snapshot, plugins)),
        ),
    )


def _told(refusal: Refusal | None) -> tuple[Value, ...]:
    return () if refusal is None else (refusal.plugin, str(refusal.code))


def _all_told(made: Cycle, info: NodeInfo) -> tuple[Value, ...]:
    return tuple(_told(refusal) for refusal in refusals(made, info))


def _trials(made: Cycle, info: NodeInfo) -> Iterable[tuple[Value, ...]]:
    """What is said of the node without any pod, without each of them, and without any but each of them."""
    departures = made.plugins.departures
    empty = info
    for other in info.pods:
        empty = empty.removed(other, departures)
    yield info.node.name, _all_told(made, empty)
    for other in info.pods:
        without = _all_told(made, info.removed(other, departures))
        yield info.node.name, other.name, without, _all_told(made, empty.added(other))


def _pairs(amounts: Amounts) -> Set:
    return Set(tuple((name, number // SCALE.divisors[name]) for name, number in amounts.items()))


def _rated(made: Cycle, names: tuple[str, ...]) -> Value:
    found = scores_of(made, names)
    if found.error is not None:
        return "error"
    by_plugin = (
        (name, *(_by_name(scores[name]) for scores in (found.raw, found.normalised, found.weighted)))
        for name in found.raw
    )
    return Set(found.skipped), Set(tuple(by_plugin)), _by_name(found.total), Set(found.best)


def _by_name(scores: Mapping[str, int]) -> Set:
    return Set(tuple(scores.items()))


def _ended(made: Cycle) -> tuple[Value, ...]:
    end = choice(made)
    return end.kind, end.mode, Set(end.hosts)


def _candidature(candidate: Candidate) -> tuple[Value, ...]:
    return candidate.node.name, Set(tuple(victim.name for victim in candidate.victims)), candidate.violations


def _decided(decision: Decision, snapshot: Snapshot) -> tuple[Value, ...]:
    left = Set(tuple((pod.name, pod.node_name, pod.nominated_node_name) for pod in after(decision, snapshot).pods))
    match decision:
        case Bind(_, node):
            return "Bind", node.name, Set(()), False, left
        case Nominate(_, node, victims):
            return "Nominate", node.name, Set(tuple(victim.name for victim in victims)), False, left
        case Wait(_, _, unnominated):
            return "Wait", "", Set(()), unnominated, left
    raise TypeError(f"kube-scheduler decides nothing like {decision}")


def module(asked: dict[str, Case], plugins: Plugins) -> tuple[str, str]:
    """The module and configuration that compare TLC's answers with Python's."""
    constants = {**_constants(asked, plugins), "RatedResource": "cpu"}
    tables = {
        "Asked_": {name: _record(case) for name, case in asked.items()},
        "Expected": {name: answers(case, plugins) for name, case in asked.items()},
    }
    defined = [
        *(f"MC_{name} == {layout(value, 0)}" for name, value in constants.items()),
        *(f"{name} == {layout(Function(table), 0)}" for name, table in tables.items()),
    ]
    questions = ",\n    ".join(QUESTIONS.values())
    answered = (
        "Answers(Pod, Snapshot) ==\n  LET Infos == NodeInfos(Snapshot)\n      Possible == Feasible(Pod, Snapshot)\n"
        "      Now == Seen(Snapshot)\n"
        f"  IN <<{questions}>>"
    )
    operators = OPERATORS.replace("\nVARIABLE Checked", f"\n{answered}\n\nVARIABLE Checked")
    text = "\n".join(["---- MODULE MC_answers ----", "EXTENDS KubeControlLoop, TLC", *defined, operators, "===="])
    replaced = "\n".join(f"  {name} <- MC_{name}" for name in constants)
    return text, f"CONSTANTS\n  Null = Null\n{replaced}\nINIT Init\nNEXT Next\nINVARIANT Agree\nCHECK_DEADLOCK FALSE\n"


def _constants(asked: dict[str, Case], plugins: Plugins) -> dict[str, Value]:
    """The constants for the objects of all cases together."""
    for case in asked.values():
        refuse_images(case.snapshot, MEBIBYTE)
    everything = Snapshot(
        pods=tuple(pod for case in asked.values() for pod in case.snapshot.pods),
        nodes=tuple(node for case in asked.values() for node in case.snapshot.nodes),
    )
    return kubernetes_constants(everything, plugins, SCALE, MEBIBYTE)


def _record(case: Case) -> Record:
    snapshot = case.snapshot
    objects = (
        *(_pod(pod) for pod in snapshot.pods),
        *(budget_record(budget) for budget in snapshot.budgets),
        *(kubernetes_node_record(node, SCALE, MEBIBYTE) for node in snapshot.nodes),
        *(namespace_record(namespace) for namespace in snapshot.namespaces),
        *(service_record(service) for service in snapshot.services),
        *(controller_record(controller) for controller in snapshot.controllers),
    )
    return Record({"Pod": _pod(case.pod), "Snapshot": Set(objects)})


def _pod(pod: Pod) -> Record:
    return kubernetes_pod_record(pod, SCALE, STARTS)


def differing(
    jar: Path, asked: dict[str, Case], plugins: Plugins, changed: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The cases that TLC answers otherwise than Python, each with the question; or TLC's error.

    `changed` are modules to be taken in the place of those of tla/, by file name.
    """
    text, configuration = module(asked, plugins)
    try:
        run(jar, "MC_answers", {**changed, "MC_answers.tla": text, "MC_answers.cfg": configuration})
    except TLCError as error:
        found = re.search(r"Checked = \{(.*?)\}", str(error), re.DOTALL)
        if found is None:
            return [error.summary()]
        questions = list(QUESTIONS)
        parts = re.findall(r'<<"([^"]+)", (\d+)>>', found[1])
        return [f"{case}: {questions[int(number) - 1]}" for case, number in parts]
    return []

"""The module in which TLC answers the questions of `kubernetes_answers` and reports differences from Python

An answer has a part for each of `QUESTIONS`, in their order.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.tla_export.kubernetes_constants import kubernetes_constants, refuse_images
from schedcheck.tla_export.kubernetes_objects import (
    budget_record,
    controller_record,
    kubernetes_node_record,
    kubernetes_pod_record,
    service_record,
)
from schedcheck.tla_export.objects import namespace_record
from schedcheck.tla_export.text import Function, Record, Set, Value, layout
from tests.tla.kubernetes_answers import Case, answers
from tests.tla.random_kubernetes import MEBIBYTE, SCALE, STARTS
from tests.tla.run_tlc import TLCError, run

SHORT = ("-XX:TieredStopAtLevel=1",)
"""Options for a fast start of Java, as a short run needs little compilation."""

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
    "predicates": "{<<Info.Node.Name, PodTopologySpread(Constrained(Pod, Snapshot), Info, Snapshot),"
    " InterPodAffinity(Pod, Info, Snapshot)>> : Info \\in Infos}",
    "nominated": "{<<Info.Node.Name, AllTold(Pod, Added(Info, Nominated(Pod, Info.Node, Snapshot)), Snapshot)>> :"
    " Info \\in Infos}",
    "trials": "UNION {Trials(Pod, Info, Snapshot) : Info \\in Infos}",
    "verdicts": "{Judged(Node, Verdict(Pod, Node, Snapshot)) : Node \\in Nodes(Snapshot)}",
    "scores of all": "Rated(Scored(Pod, Nodes(Snapshot), Snapshot))",
    "scores of the feasible": "IF Possible = {} THEN <<>> ELSE Rated(Scored(Pod, Possible, Snapshot))",
    "choice": "Ended(Choice(Pod, Snapshot))",
    "victims": "{<<Info.Node.Name, UNION {{Candidature(Each) : Each \\in CandidatesOn(Pod, Info, Now, Listing)} :"
    " Listing \\in Listings(Now)}>> : Info \\in PotentialNodes(Pod, Now)}",
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
  IF Found.Error THEN <<"error">>
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


def module(asked: dict[str, Case], plugins: Plugins) -> tuple[str, str]:
    """The module and configuration that compare TLC's answers with Python's."""
    constants = constants_of([case.snapshot for case in asked.values()], plugins)
    tables = {
        "Asked_": {
            name: Record({"Pod": _pod(case.pod), "Snapshot": snapshot_record(case.snapshot)})
            for name, case in asked.items()
        },
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
    return text, f"{assigned(constants)}\nINIT Init\nNEXT Next\nINVARIANT Agree\nCHECK_DEADLOCK FALSE\n"


def assigned(constants: Mapping[str, Value]) -> str:
    """The part of a configuration that assigns each constant its definition in the module."""
    return "\n".join(["CONSTANTS", "  Null = Null", *(f"  {name} <- MC_{name}" for name in constants)])


def constants_of(snapshots: Iterable[Snapshot], plugins: Plugins) -> dict[str, Value]:
    """The constants for the objects of all snapshots together."""
    each_of = tuple(snapshots)
    for snapshot in each_of:
        refuse_images(snapshot, MEBIBYTE)
    everything = Snapshot(
        pods=tuple(pod for snapshot in each_of for pod in snapshot.pods),
        nodes=tuple(node for snapshot in each_of for node in snapshot.nodes),
    )
    return {**kubernetes_constants(everything, plugins, SCALE, MEBIBYTE), "RatedResource": "cpu"}


def snapshot_record(snapshot: Snapshot) -> Set:
    """The snapshot as a set of records."""
    return Set(
        (
            *(_pod(pod) for pod in snapshot.pods),
            *(budget_record(budget) for budget in snapshot.budgets),
            *(kubernetes_node_record(node, SCALE, MEBIBYTE) for node in snapshot.nodes),
            *(namespace_record(namespace) for namespace in snapshot.namespaces),
            *(service_record(service) for service in snapshot.services),
            *(controller_record(controller) for controller in snapshot.controllers),
        )
    )


def _pod(pod: Pod) -> Record:
    return kubernetes_pod_record(pod, SCALE, STARTS)


def differing(
    jar: Path, asked: dict[str, Case], plugins: Plugins, changed: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """The cases in which TLC and Python differ, each with the question; or TLC's error.

    `changed` are modules that replace those of tla/, by file name.
    """
    text, configuration = module(asked, plugins)
    try:
        run(jar, "MC_answers", {**changed, "MC_answers.tla": text, "MC_answers.cfg": configuration}, SHORT)
    except TLCError as error:
        found = re.search(r"Checked = \{(.*?)\}", str(error), re.DOTALL)
        if found is None:
            return [error.summary()]
        questions = list(QUESTIONS)
        parts = re.findall(r'<<"([^"]+)", (\d+)>>', found[1])
        return [f"{case}: {questions[int(number) - 1]}" for case, number in parts]
    return []

"""The modules of the printed model with one broken definition each: `OPERATORS`, `SYSTEM`, and how each is found

Of `OPERATORS` some operator must answer differently from its twin. Those of `SYSTEM` are actions and what is asked of
them: the exported module of a small scenario must have other counts, or violate other properties, than the sound one.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from schedcheck.checker.language.checking.module_search import ModuleSearch
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.tla_export.vocabulary import modules
from tests.support.building import node, on_nodes, on_pods, pod, scenario, selector
from tests.tla.exported import Broken as Replaced
from tests.tla.exported import checked_module
from tests.tla.kubernetes_broken import Broken, broken_module, of
from tests.tla.operators import printed
from tests.tla.operators.asking import unlike
from tests.tla.operators.settings import printed as as_printed

OPERATORS = of({
    "Snapshots": (
        (r'Identity(Pod) == <<Pod.Namespace, Pod.Name>>', r'Identity(Pod) == <<"", Pod.Name>>', "a namespace is part of an identity"),
    ),
    "Arithmetic": (
        ("Triple[3] <= Other[3]", "Triple[3] < Other[3]", "equal casualties are no more than each other"),
    ),
    "Binding": (
        (r'BoundTo(Pod, Node, Snapshot)' + "\n    /\\", r'BoundTo(Pod, Node, Snapshot)' + "\n    \\/", "completed pods occupy no node"),
        ("    !.Spec.NodeName = Pod.Spec.TemplateNodeName,\n", "", "a pod that is created has the node of its template"),
    ),
    "Selectors": (
        (r'\A Value \in Values : Less(Value, Labels[Key])', r'\A Value \in Values : Less(Labels[Key], Value)', "Gt is greater"),
        (r'/\ Term.MatchExpressions # {} \/ Term.MatchFields # {}', r'/\ TRUE', "an empty term matches no node"),
    ),
    "FilterAffinity": (
        ("Node.Labels[Key] = Other.Labels[Key]", "TRUE", "a domain is a value of the label"),
        (r'/\ Concerns(Term, Pod, Pod, Snapshot)', r'/\ TRUE', "the first of a group satisfies its own terms"),
    ),
    "FilterNodeSelector": (
        ("Pod.Spec.NodeSelector[Label] = Node.Labels[Label]", "TRUE", "a selected label has the value"),
    ),
    "FilterResources": (
        ("+ 1 <= Allocatable", "<= Allocatable", "the pod itself is counted"),
        ("     + Given(Pod.Spec.Overhead, Resource)", "", "the overhead is requested"),
        ("IF Running >= Starting THEN Running ELSE Starting", "Running", "init containers count"),
    ),
    "FilterSchedulability": (
        ("Tolerated(CordonTaint, Pod)", "FALSE", "a cordon can be tolerated"),
    ),
    "FilterTaints": (
        (r'Keys /\ Toleration.Value = Taint.Value' + "\n          [] Toleration.Operator = \"\"", "Keys\n          [] Toleration.Operator = \"\"", "Equal compares values"),
        (r'/\ Taint.Effect = "PreferNoSchedule"', r'/\ Taint.Effect # "NoSchedule"', "NoExecute keeps pods away"),
    ),
    "Filters": (
        ("  /\\ Taints(Pod, Node, Snapshot)\n", "", "taints are filtered"),
    ),
    "Ratings": (
        ("100 * Left", "99 * Left", "an empty node rates 100"),
        ("ELSE -1", "ELSE 1", "what is avoided counts negatively"),
    ),
    "Placing": (
        ("Other.Spec.Priority <= Pod.Spec.Priority", "Other.Spec.Priority >= Pod.Spec.Priority", "the highest priority comes first"),
    ),
    "Evicting": (
        ("Other.Spec.Priority < Pod.Spec.Priority", "Other.Spec.Priority <= Pod.Spec.Priority", "victims have lower priority"),
        (r'Pod.Spec.PreemptionPolicy # "Never"', "TRUE", "preemptionPolicy Never forbids preemption"),
    ),
    "Placements": (
        (r'[Other \in DOMAIN Placement \ {Pod} |-> ', r'[Other \in DOMAIN Placement |-> ', "a pod is not in its own way"),
        ("PlacedAt(Max(Differing), Placement) < ", "PlacedAt(Min(Differing), Placement) < ", "the highest priority decides"),
    ),
    "Properties": (
        (r'{"Pending", "Running", "Succeeded", "Failed", "Unknown"}', r'{"Pending", "Running", "Succeeded", "Failed", "Unknown", "Gone"}', "a phase is one of five"),
        (r'Resource \in ResourceNames \union {"pods"}', r'Resource \in {"pods"}', "each resource is counted"),
    ),
})  # fmt: skip


SNAPSHOTS = 400
"""The number of snapshots on which operators are asked."""


def differing(broken: Broken) -> Iterator[str]:
    """Yield the operators whose answer a broken definition changes."""
    changed = {name.removesuffix(".tla"): text for name, text in broken_module(broken).items()}
    for first in range(0, SNAPSHOTS, 50):
        yield from (
            each.operator
            for each in unlike(printed.TWINS, as_printed(range(first, first + 50), NO_FAULTS), {}, changed)
        )


BUSY = scenario(
    pod("low", 1, on="n", phase="Running", labels={"app": "web"}, owner=("ReplicaSet", "low")),
    pod("high", 1, priority=9),
    node("n", 1),
    absent="high",
    rules=[on_pods("arrive", "high", 1), on_pods("evict", "low", 1), on_nodes("unready", "n", 1), on_nodes("ready", "n", 1)],
    controllers=frozenset({"owners", "kubelet", "disruption", "lifecycle"}),
    budgets=(PodDisruptionBudget("web", selector=selector(app="web"), min_available=0, disruptions_allowed=1, expected=1),),
    properties=("no_overcommit", "bind_feasible", "never_evicted(high)", "never_below(app=web, 1)", "preemption_has_victims"),
)  # fmt: skip
"""A pod that is evicted by each of the scheduler, the eviction API and a taint, and created again."""

SYSTEM = of({
    "Cluster": ((r"\/ Scheduler /\ UNCHANGED Left", r"\/ Scheduler /\ UNCHANGED <<Left, Objects>>", "a decision changes objects"),),
    "ControlLoop": (("THEN Preemption(Pod)", "THEN FALSE", "pods are preempted"),),
    "Environment": (("DisruptionsAllowed = @ - 1", "DisruptionsAllowed = @", "an eviction lowers the budget"),),
    "Controlling": ((r'/\ Pod.Status.Phase = "Pending"' + "\n", "/\\ FALSE\n", "the kubelet starts pods"),),
    "Surroundings": (("THEN Left[Each] - 1 ELSE", "THEN Left[Each] ELSE", "a bounded rule is used up"),),
    "Budgets": ((r"  /\ ~Pod.Terminating" + "\n", "", "a terminating pod is not ready"),),
    "Questions": ((r"<<Namespace, Name>> \notin", r'<<Namespace, "">> \notin', "a pod is known by its name"),),
    "Deciding": (("{AsDecided(\"Bind\", Node, {})", "{AsDecided(\"Preempt\", Node, {})", "a binding is no preemption"),),
})  # fmt: skip
"""Broken actions, and properties that are asked of every state."""

OF_BEHAVIOURS = frozenset({"Instances", "FairCluster"})
"""Modules that are broken in turn by tests/tla/test_temporal.py."""


def printed_modules() -> frozenset[str]:
    """The modules of the printed model, with those of its surroundings."""
    return frozenset({*modules("FairCluster"), *modules("Placements")})


def shown(broken: Broken | None, folder: Path) -> tuple[object, ...]:
    """The counts of the exported module of `BUSY`, and the properties that are violated."""
    replaced: Replaced | None = None if broken is None else (broken.module, broken.old, broken.new)
    found = checked_module(BUSY, folder, replaced, ModuleSearch(proceed=True))
    result = found.result
    return result.distinct, result.generated, result.depth, *sorted(each.name for each in found.found)


def found(broken: Broken) -> str:
    """How a broken version of a printed module differs from the sound one: an operator, or counts and violations."""
    if broken not in SYSTEM:
        return next(differing(broken), "")
    with TemporaryDirectory() as folder:
        sound, other = shown(None, Path(folder, "sound")), shown(broken, Path(folder, "broken"))
    return "" if sound == other else f"{other} instead of {sound}"

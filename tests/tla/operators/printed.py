"""The operators of the printed model with their twins: `TWINS`; the actions, which make steps: `ACTIONS`"""

from collections.abc import Iterable
from dataclasses import replace

from frozendict import frozendict

from schedcheck.model.environment import newly_arrived
from schedcheck.spec.binding import bound, bound_to, completed, occupants, unbound
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.node_selector import node_selector
from schedcheck.spec.objects import Container, Node, Pod
from schedcheck.spec.placement import (
    around,
    feasible_placement,
    no_better,
    placed,
    placed_at,
    possible_placements,
    score,
    viable_placements,
)
from schedcheck.spec.pod_terms import concerns, in_namespaces, same_domain
from schedcheck.spec.properties.of_snapshots import PHASES, no_overcommit, type_correct
from schedcheck.spec.published.affinity import (
    company,
    counts_for,
    existing_anti_affinity,
    first_of_group,
    node_affinity,
    p_affinity,
    pod_affinity,
    pod_anti_affinity,
)
from schedcheck.spec.published.control_loop import turn
from schedcheck.spec.published.feasibility import feasibility
from schedcheck.spec.published.least_allocated import least_allocated
from schedcheck.spec.published.operators import scheduling_enabled
from schedcheck.spec.published.preemption import (
    LOWEST_PRIORITY,
    candidates,
    casualty,
    preemptable,
    preemption_enabled,
    victim_sets,
)
from schedcheck.spec.published.preferred import avoided_pods, preferred_nodes, preferred_pods
from schedcheck.spec.published.resources import resources
from schedcheck.spec.published.schedulability import schedulability
from schedcheck.spec.published.taints import taints
from schedcheck.spec.published.viability import viability
from schedcheck.spec.requests import allocatable, peak, request, sidecars, total, used
from schedcheck.spec.selectors import less, match_ns, match_term, selects
from schedcheck.spec.terms import NO_AFFINITY
from schedcheck.spec.tolerations import CORDON, match, tolerated
from schedcheck.spec.values import NO_LABELS
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.told import Raw
from tests.tla.operators.twin import Twin


def numbers(case: Case) -> tuple[int, ...]:
    return tuple(case.random.randint(-9, 9) for _ in range(case.random.randint(1, 4)))


def a_set(case: Case) -> frozenset[int]:
    return frozenset(numbers(case))


def triple(case: Case) -> tuple[int, int, int]:
    return case.random.randint(0, 1), case.random.randint(0, 1), case.random.randint(0, 2)


def with_pods(case: Case) -> str:
    return case.random.choice((*case.records.scale.resources, "pods"))


def victims(case: Case) -> frozenset[Pod]:
    return case.some(case.snapshot.pods)


def some_waiting(case: Case) -> frozenset[Pod]:
    return case.few()


def pressing(case: Case) -> Pod:
    """A pending pod, sometimes with higher requests and priority, so that it would have to preempt."""
    pod = case.waits()
    if case.random.random() < 0.3:
        return pod
    large = Container(frozendict({"cpu": case.one((500, 1000, 2000, 3000)) * 10**6}))
    policy = case.one(("Never", "PreemptLowerPriority"))
    return replace(pod, priority=1000, preemption_policy=policy, containers=(large,), pod_requests=frozendict())


def judged(case: Case) -> bool:
    """Whether the snapshot has no overcommit; a judge has no fault itself."""
    if case.faults:
        raise NoSuch
    return no_overcommit(case.snapshot)


def total_of(numbers: Iterable[int]) -> int:
    return sum(numbers)


def least_of(numbers: Iterable[int]) -> int:
    return min(numbers)


def most_of(numbers: Iterable[int]) -> int:
    return max(numbers)


def twice(case: Case) -> Case:
    """The case; every second time with a duplicate object or an invalid value."""
    if case.random.random() < 0.5:
        return case
    pod, node = case.pod(), case.node()
    broken = case.one(
        (
            replace(case.snapshot, pods=(*case.snapshot.pods, replace(pod, priority=pod.priority + 1000))),
            replace(case.snapshot, nodes=(*case.snapshot.nodes, replace(node, unschedulable=not node.unschedulable))),
            replace(case.snapshot, pods=(*case.snapshot.pods, replace(pod, name="another", phase="Gone"))),
            replace(
                case.snapshot, nodes=(*case.snapshot.nodes, Node("another", allocatable=frozendict({"cpu": -500})))
            ),
        )
    )
    return replace(case, snapshot=broken)


TWINS = (
    # Arithmetic
    Twin("Sum", total_of, {"Numbers": numbers}),
    Twin(
        "SumOver",
        lambda numbers, indices: sum(numbers[index - 1] for index in indices),
        {"Numbers": numbers, "Indices": lambda case, numbers: case.some(range(1, len(numbers) + 1))},
    ),
    Twin("SumSet", total_of, {"Numbers": a_set}),
    Twin("Min", least_of, {"Numbers": a_set}),
    Twin("Max", most_of, {"Numbers": a_set}),
    Twin(
        "Given",
        lambda amounts, resource: amounts.get(resource, 0),
        {"Amounts": lambda case: {name: case.random.randint(0, 9) for name in case.some(case.records.scale.resources)}},
    ),
    Twin("NoMore", lambda triple, other: triple <= other, {"Triple": triple, "Other": triple}),
    # Snapshots
    Twin("Pods", lambda snapshot: frozenset(snapshot.pods)),
    Twin("Nodes", lambda snapshot: frozenset(snapshot.nodes)),
    Twin("Namespaces", lambda snapshot: frozenset(snapshot.namespaces)),
    Twin("Identity", lambda pod: pod.key),
    Twin("NoLabels", lambda: NO_LABELS),
    Twin("NoAffinity", lambda case: Raw(case.records.object(Pod("", affinity=NO_AFFINITY))["Spec"]["Affinity"])),
    # Binding
    Twin("BoundTo", bound_to),
    Twin("Bound", bound),
    Twin("Completed", completed),
    Twin("Unbound", unbound),
    Twin("Occupants", occupants),
    # Selectors
    Twin("Less", less, {"Text": Case.text, "Other": Case.text}),
    Twin("MatchNS", match_ns),
    Twin("MatchTerm", match_term, {"Term": Case.node_term}),
    Twin("Selects", selects),
    # Filters
    Twin("CordonTaint", lambda: CORDON),
    Twin("Schedulability", schedulability),
    Twin("Total", lambda case, containers, resource: case.billionths(total(containers, resource, case.faults), resource)),
    Twin("Sidecars", lambda containers: tuple(sidecars(containers))),
    Twin("Peak", lambda case, containers, resource: case.billionths(peak(containers, resource, case.faults), resource)),
    Twin("Request", lambda case, pod, resource: case.less(request(pod, resource, case.faults), resource)),
    Twin(
        "Used",
        lambda case, node, snapshot, resource: case.less(used(node, snapshot, resource, case.faults), resource),
        {"Resource": with_pods},
    ),
    Twin(
        "Allocatable",
        lambda case, node, resource: case.less(allocatable(node, resource), resource),
        {"Resource": with_pods},
    ),
    Twin("Resources", resources),
    Twin("NodeSelector", node_selector),
    Twin("Match", match),
    Twin("Tolerated", tolerated),
    Twin("Taints", taints),
    Twin("NodeAffinity", node_affinity),
    Twin("InNamespaces", in_namespaces),
    Twin("Concerns", concerns),
    Twin("SameDomain", same_domain, {"Other": Case.node}),
    Twin("PAffinity", p_affinity),
    Twin("CountsFor", counts_for, {"Other": Case.pod}),
    Twin("Company", company),
    Twin("FirstOfGroup", first_of_group),
    Twin("PodAffinity", pod_affinity),
    Twin("PodAntiAffinity", pod_anti_affinity),
    Twin("ExistingAntiAffinity", existing_anti_affinity),
    Twin("Feasibility", feasibility),
    # Ratings
    Twin("LeastAllocated", least_allocated),
    Twin("PreferredNodes", preferred_nodes),
    Twin("PreferredPods", preferred_pods),
    Twin("AvoidedPods", avoided_pods),
    Twin("Viability", viability),
    # Placements
    Twin("PossiblePlacements", lambda waiting, snapshot: frozenset(possible_placements(waiting, snapshot)), {"Waiting": some_waiting}),
    Twin("Placed", placed, {"Placement": Case.placement}),
    Twin("Around", lambda pod, placement, snapshot: around(pod, placement, snapshot) if pod in placement else placed(placement, snapshot), {"Placement": Case.placement, "Pod": Case.waits}),
    Twin("FeasiblePlacement", feasible_placement, {"Placement": Case.placement}),
    Twin("Score", score, {"Placement": Case.placement}),
    Twin("PlacedAt", placed_at, {"Placement": Case.placement, "Priority": lambda case: case.waits().priority}),
    Twin("NoBetter", no_better, {"Placement": Case.placement, "Other": Case.placement}),
    Twin("ViablePlacements", lambda case, waiting, snapshot: viable_placements(waiting, snapshot, case.profile), {"Waiting": some_waiting}),
    # Placing, Evicting
    Twin("Turn", turn),
    Twin("SchedulingEnabled", scheduling_enabled),
    Twin("LowestPriority", lambda: LOWEST_PRIORITY),
    Twin("NewlyArrived", newly_arrived),
    Twin("Recreated", lambda case, victims: frozenset(map(newly_arrived, victims)), {"Victims": victims}),
    Twin("Jeopardy", jeopardy),
    Twin("Casualty", casualty, {"Victims": victims}),
    Twin("VictimSets", victim_sets),
    Twin("Preemptable", preemptable),
    Twin("PreemptionEnabled", preemption_enabled, {"Pod": pressing}),
    Twin("Candidates", candidates),
    # Properties
    Twin("Phases", lambda: PHASES),
    Twin("TypeOK", type_correct, of=twice),
    Twin("NoOvercommit", judged),
)  # fmt: skip

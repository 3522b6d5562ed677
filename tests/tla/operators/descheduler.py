"""The operators of a descheduler with their twins: `TWINS`"""

from collections.abc import Iterable
from itertools import chain, product

from schedcheck.checker.language.values.values import FiniteSet, Value, finite_set, function
from schedcheck.model.controllers.descheduler import life_time, remove_duplicates, spreading, utilization, violating
from schedcheck.model.controllers.descheduler.evictor import (
    admitted,
    at_first,
    evictable,
    filtered,
    judged_late,
    pre_evictable,
    protected,
    too_few,
)
from schedcheck.model.controllers.descheduler.listing import by_importance, considered
from schedcheck.model.controllers.descheduler.node_fit import fits_another, fits_any, has_room, node_fits, repelled
from schedcheck.model.controllers.descheduler.plan import next_of, pods_of, pruned
from schedcheck.model.controllers.descheduler.spreading import Move
from schedcheck.model.controllers.descheduler.too_many_restarts import restarts
from schedcheck.model.descheduling import (
    InterPodAntiAffinity,
    NodeAffinity,
    NodeTaints,
    PodLifeTime,
    RemoveDuplicates,
    TooManyRestarts,
    TopologySpread,
    Utilization,
)
from schedcheck.spec.objects import Node, Pod, SpreadConstraint
from schedcheck.tla_export.node_usage import resources_of, units_of
from tests.tla.operators.descheduler_cases import DeschedulerCase, OfCycle, OfPlan, OfRun, OfWork
from tests.tla.operators.descheduler_told import told_cycle, told_plan, told_work
from tests.tla.operators.told import Fields, Raw, told
from tests.tla.operators.twin import Twin

Stages = frozenset[tuple[int, str]]


def told_works(case: DeschedulerCase, run: OfRun, done: Stages = frozenset()) -> Value:
    """What a run may do next, as pairs of a stage and a work."""
    found = case.works_of(run.run, tuple(sorted(done)))
    return FiniteSet((stage, told_work(work, case.keys, run.run, case.records.scale)) for stage, work in found)


def works_of(case: DeschedulerCase, run: OfRun, done: Stages) -> Raw:
    return Raw(told_works(case, run, done))


def next_of_any(case: DeschedulerCase, work: OfWork) -> Raw:
    def each(left: object) -> Value:
        return told_work(left, case.keys, work.run, case.records.scale)  # type: ignore[arg-type]

    steps = work.work.next()
    return Raw(
        finite_set(
            function({"Pod": case.keys[slot], "Left": each(left), "Refused": each(refused)})
            for slot, left, refused in steps
        )
    )


def kept_of(case: DeschedulerCase, work: OfWork, some: frozenset[tuple[str, str]]) -> Raw:
    kept = work.work.kept(lambda slot: case.keys[slot] in some)
    return Raw(told_work(kept, case.keys, work.run, case.records.scale))


def next_of_plan(case: DeschedulerCase, plan: OfPlan) -> Raw:
    return Raw(finite_set((case.keys[slot], told_plan(left, case.keys)) for slot, left in next_of(plan.plan)))


def ways(case: DeschedulerCase, cycle: OfCycle) -> Raw:
    found, may_end = case.descheduling.ways(cycle.cycle, case.by_slot, case.snapshot)
    told_ones = finite_set(told_cycle(begun, case.scenario, case.records.scale) for begun, _ in found)
    return Raw(function({"Found": told_ones, "Must": told(not may_end, case.records)}))


def lasting(case: DeschedulerCase, cycle: OfCycle) -> Raw:
    left = case.descheduling.lasting(cycle.cycle, case.by_slot, case.snapshot)
    return Raw(told_cycle(left, case.scenario, case.records.scale))


def still_due(case: DeschedulerCase, id_: tuple[str, str], cycle: OfCycle) -> bool:
    return case.descheduling._due(case.slots[id_], cycle.cycle, case.by_slot)


def would_delete(case: DeschedulerCase, id_: tuple[str, str], run: OfRun) -> bool:
    return case.descheduling._changes(case.slots[id_], run.run, case.by_slot, case.view)


def limits_on(case: DeschedulerCase, pod: Pod) -> frozenset[tuple[str, str]]:
    return frozenset(case.descheduling._limited(pod))


def counted_after(case: DeschedulerCase, counted: Raw, pod: Pod) -> Raw:
    before = () if counted.value == () else tuple(sorted((*key, number) for key, number in counted.value.items()))
    return Raw(function({(kind, name): number for kind, name, number in case.descheduling._counted(before, pod)}))


def counted(case: DeschedulerCase) -> Raw:
    return Raw(function({(kind, name): number for kind, name, number in case.counted()}))


# Plugins one by one.


def misplaced(case: DeschedulerCase, pod: Pod, node: Node, kind: str) -> bool:
    judge = {"required": violating._unmatched, "preferred": violating._better_elsewhere}[kind]
    return judge(pod, node, case.view)


def importance(case: DeschedulerCase, some: Iterable[Pod]) -> Raw:
    return Raw(told_plan(by_importance(some, case.view, case.slot), case.keys))


def one_owner(case: DeschedulerCase) -> frozenset[Pod]:
    """The pods of one owner with the same images."""
    (arguments,) = {run.arguments for run in case.descheduler.runs if isinstance(run.arguments, RemoveDuplicates)}
    owners = remove_duplicates._pods_of_owners(arguments, case.view, lambda pod: True)
    return frozenset(chain.from_iterable(case.one(list(owners.values())).values()))


def excess(case: DeschedulerCase, some: frozenset[Pod]) -> frozenset[frozenset[Pod]]:
    by_node: dict[str, tuple[Pod, ...]] = {}
    for pod in sorted(some, key=lambda pod: pod.key):
        by_node[pod.node_name] = (*by_node.get(pod.node_name, ()), pod)
    pods = case.by_slot
    return frozenset(
        frozenset(pod for slot in pods_of((group,)) if (pod := pods[slot]) is not None)
        for group in remove_duplicates._groups(by_node, case.view, case.slot)
    )


def with_constraint(case: DeschedulerCase) -> Pod:
    return case.one([pod for node in case.view.nodes for pod in case.view.pods_on(node) if pod.spread])


def constraint_of(case: DeschedulerCase, owner: Pod) -> SpreadConstraint:
    return case.one(owner.spread)


def near(case: DeschedulerCase, owner: Pod) -> frozenset[Pod]:
    """The pods of a namespace on the nodes of a cycle."""
    there = (pod for node in case.view.nodes for pod in case.view.pods_on(node))
    return frozenset(pod for pod in there if pod.namespace == owner.namespace)


def moves(case: DeschedulerCase, constraint: SpreadConstraint, owner: Pod, some: frozenset[Pod], run: OfRun) -> Raw:
    pods = sorted(some, key=lambda pod: pod.key)
    assert isinstance(run.run.arguments, TopologySpread)
    return as_moves(case, spreading._moves(constraint, owner, pods, run.run.arguments, case.view))


def as_moves(case: DeschedulerCase, found: Iterable[Move]) -> Raw:
    return Raw(finite_set(told(Fields({"Evicted": each.evicted, "Later": each.later}), case.records) for each in found))


def last_ones(case: DeschedulerCase, some: frozenset[Pod], number: int, below: frozenset[Node]) -> Raw:
    found = spreading._last(sorted(some, key=lambda pod: pod.key), number, tuple(below), case.view)
    return as_moves(case, (Move(*each) for each in found))


def pods_leaving(sizes: tuple[int, ...], max_skew: int) -> tuple[int, ...]:
    return tuple(spreading._balanced(list(sizes), max_skew, sum(sizes) / len(sizes)))


def ascending(case: DeschedulerCase) -> tuple[int, ...]:
    return tuple(sorted(case.random.choice((0, 1, 2, 3, 7)) for _ in range(case.random.choice((2, 3, 4, 5)))))


def pairs(case: DeschedulerCase) -> frozenset[tuple[int, int]]:
    return case.some(
        [(one, other) for one, other in product(range(4), range(4)) if one != other][:: case.one((1, 2, 3))]
    )


def in_one_order(pairs: frozenset[tuple[object, object]]) -> bool:
    return spreading._in_one_order([Move(frozenset(), pairs)])  # type: ignore[arg-type]


def classified(case: DeschedulerCase, run: OfRun, which: int) -> frozenset[Node]:
    arguments = run.run.arguments
    assert isinstance(arguments, Utilization)
    names = resources_of(arguments)
    usage = {node.name: utilization._usage(node, names, case.view) for node in case.view.nodes}
    percent = {node.name: utilization._percent(node, names, usage[node.name]) for node in case.view.nodes}
    return frozenset(utilization._classified(arguments, case.view.nodes, percent)[which])


def usage_of(case: DeschedulerCase, node: Node, run: OfRun) -> Raw:
    assert isinstance(run.run.arguments, Utilization)
    names = resources_of(run.run.arguments)
    units, found = units_of(names, case.records.scale), utilization._usage(node, names, case.view)
    return Raw(function({name: amount // units[name] for name, amount in zip(names, found, strict=True)}))


def of(kind: type) -> dict[str, object]:
    """Draw a run of one kind of plugin, and stages of it that are done."""
    return {"Run": lambda case: case.run(kind), "Done": DeschedulerCase.done}


RUN = {"Run": DeschedulerCase.run}
EVICTOR = {"Evictor": DeschedulerCase.evictor}
WORK = {"Work": DeschedulerCase.work}
PLAN = {"Plan": DeschedulerCase.plan}
CYCLE = {"Cycle": DeschedulerCase.cycle}
ID = {"Id": lambda case: case.one(case.keys)}
OWNED = {"Pod": DeschedulerCase.owned}
LISTED = {"Pod": DeschedulerCase.listed_pod, "Node": DeschedulerCase.cycle_node}
SPREAD = {"Owner": with_constraint, "Constraint": constraint_of}
SOME = {"Some": lambda case: case.some(case.snapshot.pods)}
NODES = {"Some": lambda case: case.some(case.view.nodes)}

TWINS = (
    # DeschedulerView
    Twin("ReadyNodes", lambda case, selector: frozenset(case.view.ready(selector))),
    Twin("CycleNodes", lambda case: frozenset(case.view.nodes)),
    Twin("RepelledBy", lambda case, pod, node: repelled(pod, node, case.view)),
    Twin("HasRoom", lambda case, pod, node: has_room(pod, node, case.view)),
    Twin("NodeFits", lambda case, pod, node: node_fits(pod, node, case.view)),
    Twin("FitsAny", lambda case, pod, some: fits_any(pod, tuple(some), case.view), NODES),
    Twin("FitsAnother", lambda case, pod, some: fits_another(pod, tuple(some), case.view), NODES),
    Twin("OwnerKinds", lambda case, pod: frozenset(kind for kind, _, _ in case.descheduler.of(pod).owners)),
    Twin("Replicas", lambda case, pod: case.view.replicas(pod), OWNED),
    Twin("TooFew", lambda case, pod, evictor: too_few(pod, evictor.evictor, case.view), EVICTOR | OWNED),
    Twin("Protected", lambda case, pod, evictor: protected(pod, evictor.evictor, case.view), EVICTOR),
    Twin("PassesFilter", lambda case, pod, evictor: filtered(pod, evictor.evictor, case.view), EVICTOR),
    Twin("PreEvictable", lambda case, pod, evictor: pre_evictable(pod, evictor.evictor, case.view), EVICTOR),
    Twin("Admissible", lambda case, pod, evictor: evictable(pod, evictor.evictor, case.view), EVICTOR),
    Twin("JudgedLate", lambda run: judged_late(run.run), RUN),
    Twin("AdmittedAtFirst", lambda case, pod, run: at_first(pod, run.run, case.view), RUN),
    Twin("AdmittedInTurn", lambda case, pod, run: admitted(pod, run.run, case.view), RUN),
    Twin("Considered", lambda pod, run: considered(pod, run.run.arguments.namespaces, getattr(run.run.arguments, "selector", None)), {"Run": lambda case: case.run(RemoveDuplicates, NodeAffinity, NodeTaints, InterPodAntiAffinity, PodLifeTime, TooManyRestarts, TopologySpread)}),
    # DeschedulerPlans
    Twin("PodsOf", lambda case, plan: frozenset(case.keys[slot] for slot in pods_of(plan.plan)), PLAN),
    Twin("NextOf", next_of_plan, PLAN),
    Twin("Pruned", lambda case, plan, some: Raw(told_plan(pruned(plan.plan, lambda slot: case.keys[slot] in some), case.keys)), PLAN | {"Some": DeschedulerCase.some_keys}),
    # DeschedulerViolations
    Twin("TaintCounts", lambda taint, run: violating._counts(taint, run.run.arguments), {"Run": lambda case: case.run(NodeTaints), "Taint": lambda case: case.one([taint for node in case.snapshot.nodes for taint in node.taints])}),
    Twin("NodeTaintsWorks", works_of, of(NodeTaints)),
    Twin("Preference", violating._weight),
    Twin("Misplaced", misplaced, LISTED | {"Kind": lambda case: case.one(("required", "preferred"))}),
    Twin("NodeAffinityWorks", works_of, of(NodeAffinity)),
    Twin("ByImportance", importance, SOME),
    Twin("Repels", violating.repel),
    Twin("AntiAffinityWorks", works_of, of(InterPodAntiAffinity)),
    # DeschedulerDuplicates
    Twin("TargetNodes", lambda case, some: frozenset(remove_duplicates.target_nodes(tuple(some), case.view)), SOME),
    Twin("ExcessOf", excess, {"Some": one_owner}),
    Twin("DuplicatesWorks", works_of, of(RemoveDuplicates)),
    # DeschedulerAges
    Twin("OwnedAsAsked", lambda case, pod, run: life_time._owned(pod, run.run.arguments, case.view), {"Run": lambda case: case.run(PodLifeTime)}),
    Twin("LifeTimeWorks", works_of, of(PodLifeTime)),
    Twin("RestartsCounted", lambda case, pod, run: restarts(pod, run.run.arguments, case.view), {"Run": lambda case: case.run(TooManyRestarts)}),
    Twin("TooManyRestartsWorks", works_of, of(TooManyRestarts)),
    # DeschedulerSpread
    Twin("InOneOrder", in_one_order, {"Pairs": pairs}),
    Twin("PodsLeaving", pods_leaving, {"Sizes": ascending, "MaxSkew": lambda case: case.one((1, 2, 3))}),
    Twin("LastOnes", last_ones, SOME | {"Number": lambda case: case.one((0, 1, 2, 3)), "Below": lambda case: case.some(case.view.nodes)}),
    Twin("CountsInclusively", spreading._eligible, SPREAD),
    Twin("SpreadMoves", moves, SPREAD | {"Some": near, "Run": lambda case: case.run(TopologySpread)}),
    Twin("SpreadWorks", works_of, of(TopologySpread)),
    # DeschedulerUtilization
    Twin("AmountsUsed", usage_of, {"Run": lambda case: case.run(Utilization)}),
    Twin("SourcesOf", lambda case, run: classified(case, run, 0), {"Run": lambda case: case.run(Utilization)}),
    Twin("DestinationsOf", lambda case, run: classified(case, run, 1), {"Run": lambda case: case.run(Utilization)}),
    Twin("ToleratesOne", lambda pod, some: utilization._tolerates(pod, tuple(some)), NODES),
    Twin("UtilizationWorks", works_of, {"Run": DeschedulerCase.levelling_run, "Done": DeschedulerCase.done}),
    Twin("NextOfRelief", next_of_any, {"Work": DeschedulerCase.relief}),
    # DeschedulerCycle
    Twin("NextOfAny", next_of_any, WORK),
    Twin("KeptOf", kept_of, WORK | {"Some": DeschedulerCase.some_keys}),
    Twin("LimitsOn", limits_on),
    Twin("CountedAfter", counted_after, {"Counted": counted}),
    Twin("StillDue", still_due, ID | CYCLE),
    Twin("WouldDelete", would_delete, ID | RUN),
    Twin("WaysOfCycle", ways, CYCLE),
    Twin("LastingCycle", lasting, CYCLE),
)  # fmt: skip

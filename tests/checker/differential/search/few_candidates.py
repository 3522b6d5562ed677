"""Cycles that do not look at everything: preemption that ends with enough candidates, and filters with enough nodes

`few_candidate` draws minCandidateNodesPercentage, minCandidateNodesAbsolute and the node at which the dry run begins. `few_node` has
more than a hundred nodes, a percentage of nodes to score, and the node at which the last search ended.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.refinement.mapping import with_pod
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.filter import admitted, verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.preemption.choice import selected
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.sampling import enough
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from tests.checker.differential.enumeration.spaces import BASES
from tests.checker.differential.enumeration.vocabulary import APP, TAINT, A, asking, room

REGION, ZONE = "topology.kubernetes.io/region", "topology.kubernetes.io/zone"
OLD_REGION, OLD_ZONE = "failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"


def _node(name: str, **amounts: int) -> Node:
    base: Node = BASES["nodes"]
    made: Node = room(**amounts)(replace(base, name=name, labels=base.labels.set(HOSTNAME, name)))
    return made


def _contest(chance: Chance) -> tuple[Pod, Snapshot]:
    """Return a pod that has to preempt, and two to eight full nodes whose pods differ in importance.

    Some nodes are closed to it, and the pods of some are too important. Budgets may protect any of the others.
    """
    names = [f"n{number}" for number in range(1, chance.randint(3, 9))]
    ranks = chance.sample(range(1, 60), 2 * len(names))
    nodes: list[Node] = []
    pods: list[Pod] = []
    for name in names:
        nodes.append(replace(_node(name, cpu=2), taints=(TAINT,) if chance.often(0.15) else ()))
        for _ in range(chance.one(1, 1, 2)):
            one = asking(cpu=1)(APP(BASES["others"]) if chance.often(0.4) else BASES["others"])
            rank = ranks.pop()
            priority = 100 if chance.often(0.1) else chance.one(1, 2, rank)
            pods.append(replace(one, name=f"p{len(pods)}", node_name=name, priority=priority, start_time=rank))
    asked = asking(cpu=2)(replace(BASES["asked"], priority=90))
    budgets = (PodDisruptionBudget("b", selector=A, disruptions_allowed=chance.one(0, 0, 1)),)
    return asked, replace(Snapshot.of(pods, nodes), budgets=budgets if chance.often(0.5) else ())


def scanned(run: DryRun, wanted: int, first: int) -> list[Candidate]:
    """Return the candidates of a dry run that begins at a node, and ends with enough, one of which violates no budget."""
    nodes = [info.node.name for info in run.potential_nodes]
    found: list[Candidate] = []
    for name in (*nodes[first:], *nodes[:first]):
        if len(found) >= wanted and any(not each.violations for each in found):
            break
        outcome = run.outcomes[name]
        found += [outcome] if isinstance(outcome, Candidate) else []
    return found


def _tried(scheduler: Scheduler, asked: Pod, first: int) -> list[int]:
    """Run one cycle whose dry run begins at this node, modulo their number; return the numbers that were asked for."""
    sizes: list[int] = []

    def offset(size: int) -> int:
        sizes.append(size)
        return first % size

    scheduler.handle.offset = offset  # type: ignore[method-assign]
    drained(scheduler, asked.key)
    scheduler.schedule_one()
    return sizes


def few_candidate(start: str) -> None:
    """Judge which nodes a dry run looks at, and which of them the pod is nominated to."""
    chance = Chance(f"few candidates {start}")
    asked, there = _contest(chance)
    percentage, absolute = chance.one(0, 10, 34, 50, 67, 99, 100), chance.one(0, 1, 1, 2, 3, 5)
    absolute = absolute if percentage else max(1, absolute)
    limits: dict[str, Any] = {
        "min_candidate_nodes_percentage": percentage,
        "min_candidate_nodes_absolute": absolute,
    }
    plugins = replace(DEFAULT_PLUGINS, arguments=replace(DEFAULT_PLUGINS.arguments, **limits))
    first = chance.randrange(840)
    judged_few(asked, there, plugins, first)


def judged_few(asked: Pod, there: Snapshot, plugins: Plugins, first: int) -> None:
    """Judge a cycle whose dry run begins at this node, modulo their number."""
    scheduler = informed((*there.pods, asked), there, (plugins,), every_candidate=False)
    sizes = _tried(scheduler, asked, first)
    run = DryRun(taken_up(asked, with_pod(asked, there), plugins))
    potential = len(run.potential_nodes)
    limits = plugins.arguments
    wanted = max(potential * limits.min_candidate_nodes_percentage // 100, limits.min_candidate_nodes_absolute)
    some = potential > 0 and wanted < potential
    assert sizes == [potential] * some, f"an offset below {sizes} was asked for, with {potential} nodes and {wanted}"
    found = scanned(run, wanted, first % potential if some else 0)
    made = scheduler.concluded
    assert made is not None
    if not found:
        assert not made.nominated and not made.hosts, f"{asked} is nominated to {made.nominated}, and has no candidate"
        return
    names = {each.node.name for each in found}
    assert set(made.candidates) == names, f"{sorted(made.candidates)} are the candidates, not {sorted(names)}"
    ends = {each.node.name: frozenset(each.victims) for each in selected(found)}
    assert frozenset(made.victims) == ends.get(made.nominated or ""), f"{made.nominated} is chosen, not {sorted(ends)}"


def _crowd(chance: Chance) -> tuple[Pod, Snapshot]:
    """Return a pod, and 98 to 140 nodes of few sizes, some of which are closed or too small."""
    closed = chance.one(0.0, 0.05, 0.2, 0.6)
    sizes = [chance.one(1, 2, 3, 4) for _ in range(3)]
    places = [
        {key: chance.choice("ab") for key in some if chance.often(0.8)}
        for some in chance.sample((*((REGION, ZONE) for _ in range(3)), (OLD_REGION, OLD_ZONE), (ZONE, OLD_ZONE)), 3)
    ]
    zoned = chance.often(0.5)
    nodes = []
    for number in range(chance.randint(98, 140)):
        one = replace(_node(f"n{number:03}", cpu=chance.choice(sizes)), unschedulable=chance.often(closed))
        nodes.append(replace(one, labels=one.labels | chance.choice(places)) if zoned else one)
    return asking(cpu=2)(BASES["asked"]), Snapshot.of((), nodes)


def in_zones(nodes: Sequence[Node]) -> list[str]:
    """Return the names of the nodes in the order in which they are looked at: the first of each zone, the second of each, and so on.

    A zone is its name and its region; the older labels come first. Kubernetes 1.37: list in pkg/scheduler/backend/cache/node_tree.go,
    GetZoneKey in k8s.io/component-helpers/node/topology.
    """
    zones: dict[tuple[str, str], list[str]] = {}
    for each in nodes:
        region = each.labels.get(OLD_REGION) or each.labels.get(REGION, "")
        zones.setdefault((region, each.labels.get(OLD_ZONE) or each.labels.get(ZONE, "")), []).append(each.name)
    longest = max(map(len, zones.values()))
    return [names[place] for place in range(longest) for names in zones.values() if place < len(names)]


def few_node(start: str) -> None:
    """Judge how many nodes a cycle of more than a hundred nodes finds, which, and where the next one begins."""
    chance = Chance(f"few nodes {start}")
    asked, there = _crowd(chance)
    own, whole = (chance.one(0, 5, 50, 80, 90, 95, 100) for _ in range(2))
    judged_node(asked, there, own if chance.often(0.5) else 0, whole, chance.randrange(len(there.nodes)))


def judged_node(asked: Pod, there: Snapshot, own: int, whole: int, first: int) -> None:
    """Judge a cycle that begins at this node; the percentages of the profile and of all profiles are 0 if not set."""
    profile = replace(DEFAULT_PLUGINS, percentage_of_nodes_to_score=own)
    scheduler = informed((asked,), there, (profile,), percentage=whole, every_candidate=False)
    # The profile's percentage counts, and without one that of all profiles: findNodesThatFitPod in schedule_one.go.
    plugins = replace(profile, percentage_of_nodes_to_score=own or whole)
    scheduler.next_start = first
    scheduler.schedule_one()
    cycle = taken_up(asked, with_pod(asked, there), plugins)
    feasible, names = set(admitted(verdicts(cycle))), in_zones(there.nodes)
    # The search ends at the first feasible node that is too many; the nodes rejected before it count as looked at.
    # Kubernetes 1.37: findNodesThatPassFilters and findNodesThatFitPod in pkg/scheduler/schedule_one.go.
    wanted, found, rejected = enough(len(names), plugins), list[str](), 0
    for name in (*names[first:], *names[:first]):
        if name not in feasible:
            rejected += 1
        elif len(found) == wanted:
            break
        else:
            found.append(name)
    made = scheduler.concluded
    assert made is not None
    told = {} if made.found is None else set(made.found.names())
    assert set(told) == set(found), f"{len(told)} nodes were found, not {len(found)}: {sorted(set(told) ^ set(found))}"
    assert scheduler.next_start == (first + len(found) + rejected) % len(names), (
        f"the next search begins at {scheduler.next_start}"
    )
    best = scores_of(cycle, tuple(found)).best if len(found) > 1 else tuple(found)
    assert set(made.hosts) == set(best), f"{sorted(made.hosts)} are chosen, not {sorted(best)}"


def few(start: str) -> None:
    """Judge a cycle that does not look at everything: usually its candidates, else its nodes."""
    (few_node if Chance(f"few {start}").often(0.25) else few_candidate)(start)

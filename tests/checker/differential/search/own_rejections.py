"""Decisions with own plugins at PreFilter, Filter and PostFilter that reject, nominate or fail: `own_rejection`

One plugin is asked before all others and one behind them, as in `own_decisions`. Judged are the plugins whose events the rejected pod
waits for, and its nomination after PostFilter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.refinement.mapping import with_pod
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error, unresolvable, unschedulable
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.preemption.choice import selected
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import small
from tests.checker.differential.search.own_decisions import JUDGED, OWN, Own, with_own_plugins

NO = unschedulable("not here")
Answer = tuple[Code, str | None]
"""What a plugin says at PostFilter: the code, and the nomination: a name, "" for none, None to keep what the pod has."""


@dataclass(frozen=True)
class Rejecting(Own):
    """An own plugin that also answers at PostFilter; `vague` if it returns a result that says nothing, instead of none."""

    after: Answer = (Code.UNSCHEDULABLE, None)
    vague: bool = False

    def post_filter(self, state: object, pod: object, statuses: object) -> tuple[PostFilterResult | None, Status]:
        """Answer at PostFilter."""
        code, name = self.after
        made = PostFilterResult(name) if name is not None or self.vague else None
        return made, SUCCESS if code is Code.SUCCESS else Status(code, ("after filters",))


def rejecting(chance: Chance, name: str, nodes: Sequence[str]) -> Rejecting:
    """Return a plugin that rejects the pod or some nodes as a rule, and says something at PostFilter."""
    said = (NO, NO, unresolvable("never here"), *([error("failed")] * chance.often(0.1)))
    begins = chance.choice((NO, NO, unresolvable("no"), error("no"))) if chance.often(0.2) else SUCCESS
    some = chance.some(nodes, 0, len(nodes))
    code = chance.one(Code.UNSCHEDULABLE, Code.UNSCHEDULABLE, Code.UNSCHEDULABLE, Code.UNRESOLVABLE, Code.SUCCESS, Code.ERROR)  # fmt: skip
    nominated = chance.one(None, None, "", *nodes) if code is not Code.ERROR else None
    refused = {each: chance.choice(said) for each in some}
    return Rejecting(name, begins=begins, refused=refused, after=(code, nominated), vague=chance.often(0.3))


def _unfailing(one: Rejecting) -> Rejecting:
    refused = {name: NO if status.code is Code.ERROR else status for name, status in one.refused.items()}
    return replace(one, refused=refused)


def with_rejecting(first: Rejecting, last: Rejecting) -> tuple[Registry, Plugins]:
    """Return the profile of `own_decisions` with both plugins at PostFilter, too, and at no Score."""
    registry, plugins = with_own_plugins(first, last, (1, 1))
    points = plugins.points.set("postFilter", (first.name, *plugins.points["postFilter"], last.name))
    for point in ("preScore", "score"):
        points = points.set(point, DEFAULT_PLUGINS.points[point])
    return registry, replace(plugins, points=points, weights=DEFAULT_PLUGINS.weights)


def own_rejection(start: str) -> None:
    """Judge a small cluster with the two plugins."""
    chance = Chance(f"own rejections {start}")
    chosen = tuple(NAMED[each] for each in chance.some(JUDGED, 1, 2))
    asked, there, _ = small.question(chance, chosen)
    nodes = [each.name for each in there.nodes]
    asked = replace(asked, nominated_node_name=chance.one("", "", *nodes))
    first, last = (rejecting(chance, name, nodes) for name in OWN)
    # What follows a rejection is asked in dry runs alone, and should not fail there.
    first, last = first if began((first, last)) is None else _unfailing(first), _unfailing(last)
    registry, plugins = with_rejecting(first, last)
    scheduler = informed((*there.pods, asked), there, (plugins,), lambda: registry)
    drained(scheduler, asked.key)
    scheduler.schedule_one()
    judge(scheduler, taken_up(asked, with_pod(asked, there), DEFAULT_PLUGINS), (first, last))


def judge(scheduler: Scheduler, cycle: Cycle, both: tuple[Rejecting, Rejecting]) -> None:
    """Fail if the pod is bound although it is rejected, waits for other plugins, or is nominated otherwise."""
    made, pod = scheduler.concluded, cycle.pod
    assert made is not None
    found = outcome(cycle, both)
    assert (found is None) is bool(made.hosts), f"{pod} is bound to {made.hosts or 'nothing'}, and {found} reject it"
    if found is None:
        return
    waiting = (*scheduler.queue.unschedulable.values(), *scheduler.queue.erring)
    queued = next(each for each in waiting if each.key == pod.key)
    known, wanted = queued.rejectors - {queued.gate}, found - {queued.gate}
    assert known == wanted, f"{pod} is rejected by {sorted(wanted)}, and waits for {sorted(known)}"
    if found:
        names = nominations(cycle, both)
        assert made.nominated in names, f"{pod} is nominated to {made.nominated!r}, not {names}"
    else:
        assert not made.nominated, f"{pod} is nominated to {made.nominated}, and a plugin has failed"


def outcome(cycle: Cycle, both: tuple[Rejecting, Rejecting]) -> set[str] | None:
    """Return the plugins that reject the pod; empty if one fails; None if a node is feasible."""
    refusal = began(both)
    if refusal is not None:
        name, status = refusal
        return set() if status.code is Code.ERROR else {name}
    found: dict[str, tuple[str, Code | None]] = {}
    for node, verdict in verdicts(cycle).items():
        before, behind = ([(each.name, each.refused[node].code)] if node in each.refused else [] for each in both)
        others = [] if verdict.refusal is None else [(verdict.refusal.plugin, None)]
        if order := [*before, *others, *behind]:
            found[node] = order[0]
    nominated = cycle.pod.nominated_node_name
    if nominated and nominated not in found:
        return None
    if Code.ERROR in {code for _, code in found.values()}:
        return set()
    return {name for name, _ in found.values()} if len(found) == len(cycle.infos) else None


def began(both: tuple[Rejecting, Rejecting]) -> tuple[str, Status] | None:
    """Return the plugin that rejects the pod at PreFilter, with its status: the first that ends the cycle, else the last."""
    said = [(each.name, each.begins) for each in both if not each.begins.success]
    final = [each for each in said if each[1].code in (Code.UNRESOLVABLE, Code.ERROR)]
    return next(iter(final), said[-1] if said else None)


def nominations(cycle: Cycle, both: tuple[Rejecting, Rejecting]) -> set[str | None]:
    """Return the nominations that PostFilter may leave: None if the pod keeps what it has.

    A plugin that succeeds or says that nothing helps ends it with its result, one that fails with none. Of the others the last result that
    says something counts.

    Kubernetes 1.37: RunPostFilterPlugins in pkg/scheduler/framework/runtime/framework.go.
    """
    first, last = both
    results: set[str | None] = {None}
    answers = (first.after[0], {first.after[1]}), preemption(cycle, both), (last.after[0], {last.after[1]})
    for code, names in answers:
        if code in (Code.SUCCESS, Code.UNRESOLVABLE):
            return names
        if code is Code.ERROR:
            return {None}
        results = names if names != {None} else results
    return results


def preemption(cycle: Cycle, both: tuple[Rejecting, Rejecting]) -> tuple[Code, set[str | None]]:
    """Return what DefaultPreemption says: of nodes that were rejected as Unschedulable, and that no own plugin rejects in a dry run.

    DynamicResources is asked before it, and fails if a plugin before it has ended PreFilter: PostFilter in plugins/dynamicresources/dynamicresources.go.
    """
    refusal = began(both)
    if refusal is not None and refusal == (both[0].name, both[0].begins) and refusal[1].code is Code.UNRESOLVABLE:
        return Code.ERROR, {None}
    if cycle.pod.preemption_policy == "Never":
        return Code.UNSCHEDULABLE, {None}
    if refusal is not None and refusal[1].code is not Code.UNSCHEDULABLE:
        return Code.UNSCHEDULABLE, {""}
    outcomes = DryRun(cycle).outcomes.items()
    closed = {name for each in both for name in each.refused}
    candidates = [each for name, each in outcomes if isinstance(each, Candidate) and name not in closed]
    if not candidates:
        return (Code.ERROR, {None}) if refusal and _needless(cycle, closed) else (Code.UNSCHEDULABLE, {""})
    return Code.SUCCESS, {each.node.name for each in selected(candidates)}


def _needless(cycle: Cycle, closed: set[str]) -> bool:
    """Whether a dry run fails up to 1.37: on a node that PreFilter alone has rejected, less important pods run, and none has to go."""
    said = verdicts(cycle)
    fitting = [each for each in cycle.infos if said[each.node.name].refusal is None and each.node.name not in closed]
    return any(other.priority < cycle.pod.priority for each in fitting for other in each.pods)

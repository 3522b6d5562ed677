"""kube-scheduler's definitions on random snapshots in Python, as the values that TLC must find

Every pending pod of a snapshot is asked about; `answers` has a part for each question of `kubernetes_module`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.kubernetes import control_loop
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.filter import FILTERS, feasible, refusals, verdicts, with_nominated
from schedcheck.spec.kubernetes.filters import node_resources_fit, scheduling_gates
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import inter_pod_affinity
from schedcheck.spec.kubernetes.filters.pod_topology_spread import pod_topology_spread
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.post_filter import post_filter
from schedcheck.spec.kubernetes.preemption.ties import listed, permitted, possible
from schedcheck.spec.kubernetes.requests import occupied, wanted
from schedcheck.spec.kubernetes.select_host import choice, scores_of
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.values import Amounts
from schedcheck.tla_export.text import Record, Set, Value
from tests.tla.random_kubernetes import SCALE, random_snapshot


@dataclass(frozen=True)
class Case:
    """A pending pod of a snapshot."""

    pod: Pod
    snapshot: Snapshot


def cases(seeds: Iterable[int]) -> dict[str, Case]:
    """The pending pods in the snapshots of these seeds."""
    snapshots = {seed: random_snapshot(seed) for seed in seeds}
    return {
        f"{seed} {pod.name}": Case(pod, snapshot)
        for seed, snapshot in snapshots.items()
        for pod in snapshot.pods
        if not pod.node_name
    }


def answers(case: Case, plugins: Plugins) -> tuple[Value, ...]:
    """Python's answers as the TLA+ value that Answers(Pod, Snapshot) must equal; the cycle is without the pod."""
    made = cycle(case.pod, case.snapshot - {case.pod}, plugins)
    wants, sought = wanted(case.pod), node_resources_fit.looked_for(case.pod, plugins.arguments)
    run = DryRun(control_loop.taken_up(case.pod, case.snapshot, plugins))
    said = post_filter(run)
    return (
        _told(scheduling_gates.refusal(case.pod, plugins)),
        _pairs(wants),
        Set(tuple((each.name, _pairs(occupied(each, plugins.departures))) for each in case.snapshot.pods)),
        Set(tuple(made.skipped)),
        _told(made.rejection),
        None if made.named is None else Set(tuple(made.named)),
        Set(
            tuple(
                (
                    info.node.name,
                    node_resources_fit.too_many_pods(info),
                    Set(node_resources_fit.short(sought, info, plugins.departures)),
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
        Set(tuple(_admitting(made, info) for info in made.infos)),
        Set(tuple((info.node.name, _all_told(made, with_nominated(made, info) or info)) for info in made.infos)),
        Set(tuple(trial for info in made.infos for trial in _trials(made, info))),
        Set(tuple((name, _told(found.refusal), found.source) for name, found in verdicts(made).items())),
        _rated(made, tuple(info.node.name for info in made.infos)),
        _rated(made, feasible(made)) if feasible(made) else (),
        _ended(made),
        Set(
            tuple(
                (info.node.name, Set(tuple(frozenset(_candidature(each) for each in _victims(run, info)))))
                for info in run.potential_nodes
            )
        ),
        Set(tuple(_candidature(each) for each in permitted(run))),
        Record({"Code": said.code, "Unnominated": said.unnominated}),
        Set(tuple(pod.name for pod in control_loop.turn(case.snapshot, plugins))),
        Set(
            tuple(_decided(each, case.snapshot) for each in control_loop.decision(case.pod, case.snapshot, plugins)),
        ),
    )


def _told(refusal: Refusal | None) -> tuple[Value, ...]:
    return () if refusal is None else (refusal.plugin, str(refusal.code))


def _all_told(made: Cycle, info: NodeInfo) -> tuple[Value, ...]:
    return tuple(_told(refusal) for refusal in refusals(made, info))


def _admitting(made: Cycle, info: NodeInfo) -> tuple[Value, ...]:
    departures = made.plugins.departures
    return (
        info.node.name,
        pod_topology_spread(made.spreading, info, made.spread, departures),
        inter_pod_affinity(made.pod, info, made.around, made.snapshot, departures),
    )


def _trials(made: Cycle, info: NodeInfo) -> Iterable[tuple[Value, ...]]:
    """Yield the verdicts on the node without any pod, without each pod, and with only each pod."""
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
        return ("error",)
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


def _victims(run: DryRun, info: NodeInfo) -> frozenset[Candidate]:
    """The possible candidates on a potential node, for every order of the disruption budgets."""
    return frozenset(each for listing in run.listings for each in possible(listed(run, listing), info))


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

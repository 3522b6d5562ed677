"""Smallest victim sets for a pod, compared with the greedy choices: `victims`, `Victims`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from schedcheck.api.answer import Answer, within
from schedcheck.api.claims import note_unclaimed
from schedcheck.api.naming import pod_named
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.values import GIGABYTES, SECONDS, SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import answer as let_answer
from schedcheck.checker.victims.least import least_sets
from schedcheck.checker.victims.profile_judge import judge
from schedcheck.checker.victims.strategies import best, ways
from schedcheck.manifests import Cluster
from schedcheck.manifests.names import node_named
from schedcheck.model.environment import unplaced
from schedcheck.model.profiles import has_claims, plugins_of, profile_of
from schedcheck.model.scenario import Scenario
from schedcheck.report.json import victims as json_form
from schedcheck.report.json.pieces import FORMAT, Json, reference
from schedcheck.report.text import victims as text_form
from schedcheck.report.text.extended_victims import Asking, extended, nodes_kept
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.binding import completed
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.filters.dynamic_resources import claims_met
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.version import __version__


@dataclass(frozen=True)
class Least:
    """A smallest victim set: the node, the pods (None where no eviction helps), the damage, and whether it is proved."""

    node: str
    victims: frozenset[Pod] | None
    casualty: tuple[Any, ...] | None
    proved: bool


@dataclass(frozen=True)
class Victims(Answer):
    """The pods to evict for a pod, on each node, by three strategies.

    completed
        Whether the pod has ended; nothing more is then said.
    nodes
        For each node the smallest victim set.
    answer, prepared
        What this was made of; not part of the stable interface.
    """

    pod: Pod
    completed: bool
    nodes: Mapping[str, Least]
    notes: tuple[str, ...]
    complete: bool
    answer: text_form.Answer | None = field(repr=False)
    prepared: Prepared = field(repr=False)

    @property
    def least(self) -> Least | None:
        """The smallest victim set of all nodes, the first by name of several; None where no eviction helps."""
        if self.answer is None:
            return None
        return next((self.nodes[each.node.name] for each in best(self.answer.ways)), None)

    @property
    def exit_code(self) -> int:
        """0, or 2 where something is not proved or unknown."""
        return 0 if self.complete else 2

    def to_json(self) -> Json:
        """Return what `schedcheck victims --format json` prints."""
        if self.answer is None:
            node = {"priority": self.pod.priority, "node": self.pod.node_name or None, "phase": self.pod.phase}
            head = {"format": FORMAT, "schedcheck": __version__, "pod": reference(self.pod) | node}
            return head | {"profile": self.prepared.scenario.profile, "completed": True}
        return json_form.victims_json(self.answer) | left_aside_json(self.prepared.scenario)


def victims(
    cluster: Cluster,
    pod: str,
    *,
    namespace: str | None = None,
    profile: Profile | str | None = None,
    node: str | None = None,
    every: bool = False,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Victims:
    """Find the smallest victim set for a pod on each node, beside the sets that greedy preemption takes.

    pod, namespace
        The pod as kubectl names it (`web-1`, `shop/web-1`), or a workload (`deploy/web`): its first pending pod, else its
        first one.
    node
        Look at this node alone.
    every
        Find every smallest victim set of the best nodes, not only one.

    Raises: InputError, Unanswerable, GaveUp.
    """
    limits = limits or Limits(SECONDS, GIGABYTES)
    with within(limits):
        told, said = noting(observer)
        wanted = pod_named(pod, namespace, cluster, parameter("pod"))
        note_unclaimed([wanted], cluster, told)
        made = prepared(cluster, as_profile(profile), told)
        if completed(wanted):
            return Victims(wanted, True, {}, tuple(said), True, None, made)
        return _victims(wanted, made, node, every, limits, tuple(said))


def _victims(
    wanted: Pod, made: Prepared, node: str | None, every: bool, limits: Limits, notes: tuple[str, ...]
) -> Victims:
    scenario = made.scenario
    pending, why = _as_if_met(unplaced(wanted), scenario)
    snapshot = made.cluster.snapshot(wanted) - frozenset({wanted})
    seconds, memory = limits.seconds or SECONDS, limits.memory or GIGABYTES
    spent = Spent(Effort(limits.rounds, seconds, memory))
    asking = asking_of(pending, scenario)
    left = nodes_kept(pending, _nodes(node, snapshot), asking)
    found = ways(pending, left.nodes, snapshot, judge(pending, profile_of(scenario)), spent)
    sets = {each.node: least_sets(each.least, spent) for each in best(found)} if every else {}
    let_answer()
    asked = extended(pending, left, found, snapshot, asking)
    unseen = len(left.nodes) - len(found)
    why = why if any(each.least.victims is not None for each in found) else ""
    told = text_form.Answer(pending, found, sets, scenario.profile, asked, unseen, spent.ended, why)
    proved = [each.least.proved for each in found] + [each.stopped == "" for each in sets.values()]
    complete = min(proved, default=True) and not asked.unasked and not unseen and not why
    nodes = {
        each.node.name: Least(
            each.node.name,
            each.least.victims,
            None if each.least.victims is None else each.casualty(each.least.victims),
            each.least.proved,
        )
        for each in found
    }
    return Victims(pending, False, nodes, notes, complete, told, made)


def _as_if_met(pod: Pod, scenario: Scenario) -> tuple[Pod, str]:
    """Return the pod as if its resource claims were met, and why what is found is then unknown; empty where it is known."""
    if not has_claims(pod, scenario):
        return pod, ""
    return claims_met(pod, scenario.devices, plugins_of(pod, scenario).departures), UNMODELLED


def asking_of(pod: Pod, scenario: Scenario) -> Asking:
    """Return what asks the extenders of the scheduler of `pod`."""
    return scenario.policy if scenario.scheduler.has_policy else plugins_of(pod, scenario)


def _nodes(name: str | None, snapshot: Snapshot) -> tuple[Node, ...]:
    """Return the node of this name, or all. Raises: InputError with the nearest ones if there is none."""
    if name is None:
        return tuple(snapshot.nodes)
    wanted = node_named(name, {node.name for node in snapshot.nodes}, parameter("node"))
    return tuple(node for node in snapshot.nodes if node.name == wanted)

"""Whether two configurations or profiles decide differently on each pending pod, and why: `compare`, `Comparison`."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from schedcheck.api.answer import Answer, within
from schedcheck.api.because import Because, Side, Told, because, changed
from schedcheck.api.compared_groups import of_groups, side_of_group
from schedcheck.api.explain import Explanation, explained, node_json
from schedcheck.api.label_selectors import pending_selected
from schedcheck.api.preparing import Prepared, of_kube_scheduler, prepared
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.alike import nameless
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing, reason
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests.seen import why_unseen
from schedcheck.model.profiles import plugins_of, profile_of
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.pieces import FORMAT, Json, action_json, reference
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.decisions import Bind, Decision, Unknown, Wait
from schedcheck.spec.kubernetes.sampling import enough
from schedcheck.spec.objects import Pod
from schedcheck.spec.schedulers import VARIANTS, profiles_where
from schedcheck.version import __version__

SIDES = ("first", "second")

Command = tuple[str, ...]
"""A scheduler that is a program: its command and the arguments."""

Key = tuple[str, str]
"""Namespace and name of a pod."""


@dataclass(frozen=True)
class PodDifference:
    """A pod on which the two decide differently; `nodes` are those whose verdict or sum of scores changes."""

    pod: Pod
    first: Side
    second: Side
    because: Because
    nodes: tuple[str, ...]


@dataclass(frozen=True)
class Comparison(Answer):
    """What two schedulers may do with each pending pod, as if it were alone.

    first, second
        The two, as given; a program is its command.
    same
        The pods on which both allow the same decisions, with these.
    unknown
        The pods about which nothing can be said, each with the reason.
    left, stopped
        How many pods were not compared, and which limit ended the comparison.
    """

    first: Profile | Command
    second: Profile | Command
    same: tuple[tuple[Pod, tuple[Decision, ...]], ...]
    differences: tuple[PodDifference, ...]
    unknown: tuple[tuple[Pod, str], ...]
    left: int
    stopped: str
    notes: tuple[str, ...]
    aside: Scenario = field(repr=False)

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 for a difference, 2 where something is unknown or was not compared, else 0."""
        return 1 if self.differences else 2 if self.unknown or self.left else 0

    def to_json(self) -> Json:
        """Return what `schedcheck compare --format json` prints."""
        return {
            "format": FORMAT,
            "schedcheck": __version__,
            "exitCode": self.exit_code,
            "first": side_json(self.first),
            "second": side_json(self.second),
            "same": [{"pod": reference(pod), "decisions": list(map(action_json, made))} for pod, made in self.same],
            "differences": [difference_json(each) for each in self.differences],
            "unknown": [{"pod": reference(pod), "why": why} for pod, why in self.unknown],
            "notCompared": self.left,
            "stopped": self.stopped or None,
            **left_aside_json(self.aside),
        }


def compare(
    cluster: Cluster,
    first: Profile | str | None,
    second: Profile | str | None,
    *,
    selector: str | None = None,
    namespace: str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Comparison:
    """Compare what two schedulers may do with each pending pod, as if it were alone, and say why they differ.

    first, second
        Two profiles of kube-scheduler or of the early scheduler, each with its own configuration.
    selector, namespace
        A label selector as kubectl takes it (`app=web,tier!=test`), and the namespace of the pods; None for all pods.

    Raises: InputError, Unanswerable, GaveUp.
    """
    with within(limits or Limits()):
        told, said = noting(_once(observer))
        chosen = of_scenario(cluster, first), of_scenario(cluster, second)
        made = prepared(cluster, chosen[0], told, gangs=True), prepared(cluster, chosen[1], told, gangs=True)
        seen = frozenset(pod.key for each in made for pod in each.cluster.pods)
        waiting = pending(cluster, seen, selector, namespace)
        pods = compared_pods(waiting, lambda pod: _compared(pod, *made), _shape)
        aside = _ignored_by_some(made[0].scenario, made[1].scenario)
        return Comparison(chosen[0], chosen[1], *pods, notes=tuple(said), aside=aside)


def _shape(pod: Pod) -> Pod:
    """Return what is the same of pods that are decided alike; each pod of a group has its own decisions."""
    return pod if pod.scheduling_group or pod.workload else nameless(pod)


def pending(cluster: Cluster, seen: frozenset[Key], selector: str | None, namespace: str | None) -> list[Pod]:
    """Return the pending pods that are asked for and are `seen` by some scheduler. Raises: InputError if none is."""
    return [pod for pod in pending_selected(cluster.pods, selector, namespace) if pod.key in seen]


class Pods(NamedTuple):
    """The part of a comparison that is about pods."""

    same: tuple[tuple[Pod, tuple[Decision, ...]], ...]
    differences: tuple[PodDifference, ...]
    unknown: tuple[tuple[Pod, str], ...]
    left: int
    stopped: str


def compared_pods(
    waiting: Sequence[Pod],
    compared: Callable[[Pod], PodDifference | Side | str],
    alike: Callable[[Pod], Pod] = lambda pod: pod,
) -> Pods:
    """Compare each pod until a limit ends it; those that are `alike` only once."""
    same: list[tuple[Pod, tuple[Decision, ...]]] = []
    differences: list[PodDifference] = []
    unknown: list[tuple[Pod, str]] = []
    stopped = ""
    known: dict[Pod, PodDifference | Side | str] = {}
    try:
        for number, pod in enumerate(waiting, 1):
            doing(f"comparing pod {number} of {len(waiting)}")
            shape = alike(pod)
            if shape not in known:
                known[shape] = compared(pod)
            match _renamed(known[shape], pod):
                case str(why):
                    unknown.append((pod, why))
                case PodDifference() as found:
                    differences.append(found)
                case Side() as agreed:
                    same.append((pod, agreed.decisions))
    except KeyboardInterrupt as end:
        stopped = reason(end)
    left = len(waiting) - len(same) - len(differences) - len(unknown)
    return Pods(tuple(same), tuple(differences), tuple(unknown), left, stopped if left else "")


def comparable(given: Profile | str | None) -> Profile:
    """Return the profile, by default kube-scheduler's. Raises: InputError for a scheduler that evicts in one step."""
    chosen = as_profile(given)
    named = replace(chosen, name=chosen.name or "kubernetes")
    compared = profiles_where(lambda scheduler: scheduler.nominates)
    if named.name not in compared:
        raise InputError(f"expected {' or '.join(compared)}", path=parameter("profile"), value=named.name)
    return named


def of_scenario(cluster: Cluster, given: Profile | str | None) -> Profile:
    """Return the profile, by default the scenario's. Raises: InputError also for that of a scenario that is not compared."""
    chosen = as_profile(given)
    return comparable(chosen if chosen.name else of_kube_scheduler(cluster, chosen))


def configurable(name: str) -> bool:
    """Whether a KubeSchedulerConfiguration configures the profile of this name."""
    return VARIANTS[name].scheduler.has_plugins


def _ignored_by_some(first: Scenario, second: Scenario) -> Scenario:
    """Return the first scenario with what either of the two ignores."""
    return replace(first, not_looked_at=tuple(dict.fromkeys((*first.not_looked_at, *second.not_looked_at))))


def _once(observer: Observer) -> Observer:
    """Return an observer that passes each note on once, as both sides read the same input."""
    told: set[str] = set()

    def note(line: str) -> None:
        if line not in told:
            told.add(line)
            observer.note(line)

    return replace(observer, note=note)


def _compared(pod: Pod, first: Prepared, second: Prepared) -> PodDifference | Side | str:
    """Return the difference of the two on a pod, what both say if there is none, or why it is unknown."""
    made = [side_of(pod, each) for each in (first, second)]
    for each in made:
        if isinstance(each, str):
            return each
    one, other = (each for each in made if isinstance(each, tuple))
    groups = [each.group for _, each in (one, other) if each is not None and each.group is not None]
    if len(groups) == 2:
        found = of_groups(one, other, *groups)
        return (
            PodDifference(pod, one[0], other[0], found, _changed(one, other)) if isinstance(found, Because) else found
        )
    if _texts(pod, *one, first) == _texts(pod, *other, second):
        return _sampled(one[0], first, second, pod) or one[0]
    return PodDifference(pod, one[0], other[0], because(one, other), _changed(one, other))


def _changed(one: Told, other: Told) -> tuple[str, ...]:
    """Return the nodes whose verdict or sum of scores changes."""
    return tuple(name for name in sorted({*one[0].nodes, *other[0].nodes}) if changed(name, one[0], other[0]))


def _renamed(found: PodDifference | Side | str, pod: Pod) -> PodDifference | Side | str:
    """Return what was said of a pod that differs from this one only in its name, as said of this one."""
    match found:
        case Side():
            return replace(found, decisions=tuple(replace(each, pod=pod) for each in found.decisions))
        case PodDifference(pod=other) if other != pod:
            first, second = (_renamed(each, pod) for each in (found.first, found.second))
            assert isinstance(first, Side) and isinstance(second, Side), "a side stays one"
            return replace(found, pod=pod, first=first, second=second)
    return found


def side_of(pod: Pod, made: Prepared) -> Told | str:
    """Return what a scheduler says of a pod, with its explanation if it takes the pod up; or why that is unknown."""
    unseen = why_unseen(pod, made.whole, made.given.schedulers)
    if unseen:
        return Side(unseen, (), "", {}), None
    found = explained(pod, made, ())
    if found.kind == "unknown":
        return "it depends on extenders that are not asked, or on resource claims, which are not modelled"
    if not found.told.all_decisions:
        return "there are too many orders of equally important pods"
    if found.group is not None:
        return side_of_group(found, found.group)
    decisions = found.decisions
    if decisions is None and found.kind == "error":
        decisions = (Wait(found.pod),)
    if decisions is None:
        return found.event or "what it would evict is not computed"
    return Side(found.unseen, decisions, found.event, found.nodes), found


def _texts(pod: Pod, side: Side, found: Explanation | None, made: Prepared) -> frozenset[str]:
    """Return the decisions as texts; a pod that waits may also lose the nomination that it has."""
    texts = frozenset(str(replace(each, together=()) if isinstance(each, Bind) else each) for each in side.decisions)
    if found is None or not pod.nominated_node_name or not all(isinstance(each, Wait) for each in side.decisions):
        return texts
    profile = profile_of(made.scenario)
    decided = profile.decision(pod, found.snapshot, profile)
    return frozenset(str(each) for each in decided if not isinstance(each, Unknown))


def _sampled(side: Side, first: Prepared, second: Prepared, pod: Pod) -> str:
    """Return why equal decisions may still differ: the two stop after different numbers of feasible nodes."""
    numbers = []
    for made in (first, second):
        if made.scenario.scheduler.has_plugins:
            numbers.append(enough(len(made.cluster.nodes), plugins_of(pod, made.scenario)))
    feasible = sum(each.feasible is not False for each in side.nodes.values())
    if len(set(numbers)) < 2 or feasible <= min(numbers):
        return ""
    return f"the first of {numbers[0]:,} and of {numbers[1]:,} feasible nodes are scored, and the order is not modelled"


def side_json(side: Profile | Command) -> Json:
    """Return a profile, the files that configure it, and its feature gates as they are given; or a command."""
    if not isinstance(side, Profile):
        return {"profile": None, "config": None, "policy": None, "featureGates": [], "command": list(side)}
    return {
        "profile": side.name,
        "config": side.config,
        "policy": side.policy,
        "featureGates": _gates(side),
        "command": None,
    }


def _gates(profile: Profile) -> list[str]:
    return [each.strip() for text in profile.feature_gates for each in text.split(",") if each.strip()]


def label(profile: Profile | Command) -> str:
    """Return the profile in words: its name, the file that configures it, and its feature gates; or the command."""
    if not isinstance(profile, Profile):
        return shlex.join(profile)
    name = profile.name or "kubernetes"
    file = profile.config or profile.policy
    configured = f", {file}" if file else ", its default configuration" if configurable(name) else ""
    gates = _gates(profile)
    return f"{name}{configured}{', feature gates ' if gates else ''}{','.join(gates)}"


def difference_json(each: PodDifference) -> Json:
    """Return a difference as plain data."""
    return {
        "pod": reference(each.pod),
        **{name: _side_json(side) for name, side in zip(SIDES, (each.first, each.second), strict=True)},
        "because": {
            "stage": each.because.stage,
            "plugin": each.because.plugin or None,
            "nodes": list(each.because.nodes),
        },
        "nodes": [
            {
                "node": name,
                **{
                    key: None if name not in side.nodes else node_json(side.nodes[name])
                    for key, side in zip(SIDES, (each.first, each.second), strict=True)
                },
            }
            for name in each.nodes
        ],
    }


def _side_json(side: Side) -> Json:
    return {
        "unseen": side.unseen or None,
        "decisions": list(map(action_json, side.decisions)),
        "message": side.event or None,
    }

"""Why a pod is pending, where it would be bound, and what would be evicted for it: `explain`, `Explanation`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.claims import note_unclaimed
from schedcheck.api.decided import scores_json
from schedcheck.api.explain_groups import GroupAnswer, Member, group_json
from schedcheck.api.naming import pod_named
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.tellings import NO_DETAILS, TELLINGS, Made
from schedcheck.api.told import ENDED, NodeExplanation, Told
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.explain.group_ends import GroupExplanation
from schedcheck.checker.explain.groups import group_explanation, member_explanation, of_a_group, untried
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests.seen import why_unseen
from schedcheck.model.environment import unplaced
from schedcheck.model.profiles import plugins_of, profile_of
from schedcheck.report.json.cycle_parts import short_json
from schedcheck.report.json.pieces import FORMAT, Json, action_json, reference
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Decision, Unknown
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.version import __version__

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_DECIDED = 4
"""The most pods of a gang for which all decisions are named: each order of them is tried."""


@dataclass(frozen=True)
class Explanation(Answer):
    """The possible decisions about a pod, with reasons: one shape for every profile.

    stood
        The node that the pod is bound to in the input; it is explained as if it were pending and not there.
    completed
        Whether the pod has ended; nothing more is then said.
    kind
        "scheduled", "unschedulable", "gated", "error" or "unknown".
    best
        The names of the nodes that the pod may be bound to.
    decisions
        Everything that may be done with the pod; None where that is unknown, or too much to compute.
    event
        The text of the event of a pod that cannot be placed; empty without one.
    group
        What happens to its gang, if it belongs to one; the rest is then what the cycle of the gang makes of this pod.
    snapshot
        The cluster as the scheduler sees it, with the pod.
    told, made, prepared
        The explanation that this was made of; not part of the stable interface.
    """

    pod: Pod
    stood: str
    profile: str
    completed: bool
    added: tuple[str, ...]
    kind: str
    best: tuple[str, ...]
    nodes: Mapping[str, NodeExplanation]
    decisions: tuple[Decision, ...] | None
    event: str
    notes: tuple[str, ...]
    unseen: str
    told: Told = field(repr=False)
    made: Made = field(repr=False)
    snapshot: Snapshot = field(repr=False)
    prepared: Prepared = field(repr=False)
    group: GroupAnswer | None = None

    @property
    def exit_code(self) -> Literal[0, 2]:
        """0, or 2 where what may be done is unknown."""
        return 2 if self.kind == "unknown" or (self.group is not None and self.group.verdict == "unknown") else 0

    def to_frame(self) -> "DataFrame":
        """Return the nodes as a frame of pandas, a row each: verdict, first plugin that refuses, reasons, total, scores.

        Raises: InputError without pandas, which the extra `notebook` installs.
        """
        try:
            import pandas
        except ImportError:
            raise InputError(
                "needs the extra `notebook`, which installs pandas: pip install 'schedcheck[notebook]'"
            ) from None
        rows = [
            {
                "node": each.name,
                "feasible": each.feasible,
                "plugin": each.refusals[0].plugin if each.refusals else None,
                "reasons": "; ".join(reason for refusal in each.refusals for reason in refusal.reasons),
                "total": each.total,
                **{name: score.weighted for name, score in (each.scores or {}).items()},
            }
            for each in self.nodes.values()
        ]
        head = ["node", "feasible", "plugin", "reasons", "total"]
        columns = [*head, *dict.fromkeys(name for row in rows for name in row if name not in head)]
        frame = pandas.DataFrame(rows, columns=columns)
        numbers = dict.fromkeys(columns[4:], "Int64")
        return frame.astype({"feasible": "boolean", **numbers}).set_index("node")

    def to_json(self) -> Json:
        """Return what `schedcheck explain --format json` prints."""
        pod = reference(self.pod) | {"priority": self.pod.priority, "node": self.stood or None}
        head: Json = {"format": FORMAT, "schedcheck": __version__, "pod": pod, "profile": self.profile}
        if self.completed:
            return head | {"pod": pod | {"phase": self.pod.phase}, "completed": True}
        details = TELLINGS[self.prepared.scenario.scheduler].details(self.made)
        return {
            **head,
            "faults": sorted(self.prepared.scenario.faults),
            "completed": False,
            "added": list(self.added),
            "nodes": [node_json(each) for each in self.nodes.values()],
            "choice": {"kind": self.kind, "mode": self.told.mode, "nodes": list(self.best), "error": self.told.error},
            "decisions": None if self.decisions is None else [action_json(each) for each in self.decisions],
            "message": self.event or None,
            "group": group_json(self.group),
            **NO_DETAILS,
            **details,
            **left_aside_json(self.prepared.scenario),
        }


def explain(
    cluster: Cluster,
    pod: str,
    *,
    namespace: str | None = None,
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Explanation:
    """Say of each node why it is feasible for a pod or not and how it is scored, and what follows.

    pod, namespace
        The pod as kubectl names it (`web-1`, `shop/web-1`), or a workload (`deploy/web`): its first pending pod, else its
        first one.

    Everything in the cluster counts as being there. A bound pod is explained as if it were pending and not there.

    Raises: InputError, Unanswerable, GaveUp.
    """
    with within(limits or Limits()):
        told, said = noting(observer)
        chosen = as_profile(profile)
        wanted = pod_named(pod, namespace, cluster, parameter("pod"))
        note_unclaimed([wanted], cluster, told)
        made = prepared(cluster, chosen, told, gangs=True)
        return explained(wanted, made, tuple(said))


def explained(pod: Pod, made: Prepared, notes: tuple[str, ...]) -> Explanation:
    """Return the explanation by the profile of the scenario."""
    # The profile decides which of the groups that a pod names it is in.
    pod = next((each for each in made.whole.pods if each.key == pod.key), pod)
    unseen = why_unseen(pod, made.whole, made.given.schedulers) if pod not in made.cluster.pods else ""
    return explained_in(pod, _around(pod, made), made, notes, unseen)


def explained_in(
    pod: Pod, snapshot: Snapshot, made: Prepared, notes: tuple[str, ...] = (), unseen: str = ""
) -> Explanation:
    """Return the explanation of a pod of a snapshot by the profile of the scenario."""
    if made.scenario.scheduler.has_plugins and not completed(pod):
        plugins = plugins_of(pod, made.scenario)
        if of_a_group(pod, plugins):
            return _in_its_group(pod, snapshot, made, plugins, notes, unseen)
    found = TELLINGS[made.scenario.scheduler].explain(pod, snapshot, profile_of(made.scenario))
    return _of(found, pod, snapshot, made, notes, unseen)


def _in_its_group(
    pod: Pod, snapshot: Snapshot, made: Prepared, plugins: Plugins, notes: tuple[str, ...], unseen: str
) -> Explanation:
    """Return the explanation of a pod of a gang, and of its gang."""
    pending = unplaced(pod) if pod.node_name else pod
    there = replace(snapshot, pods=tuple(pending if each == pod else each for each in snapshot.pods))
    about = group_explanation(pending, there, plugins)
    tried = () if about.shown is None else about.shown.way.tried
    found = [(each, _of(member_explanation(each, plugins), each.pod, each.seen, made)) for each in tried]
    members = tuple(Member(each.pod, None if each.node is None else each.node.name, one) for each, one in found)
    own = next((each.explanation for each in members if each.pod.key == pod.key), None)
    if own is None:
        one = untried(pending, about, there, plugins)
        told = member_explanation(one, plugins)
        kept = about.refusal or (about.held if pending not in about.gated else None)
        own = _of(told if kept is None else replace(told, gated=kept), pending, one.seen, made)
    group = GroupAnswer(
        name=about.name,
        least=about.least,
        verdict=about.verdict,
        members=members,
        left=() if about.shown is None else about.shown.way.left,
        ends=about.ends,
        unknown=about.unknown,
        made=about,
    )
    decisions = _decided(pending, about, there, made)
    return replace(own, stood=pod.node_name, decisions=decisions, notes=notes, unseen=unseen, group=group)


def _decided(pod: Pod, about: GroupExplanation, snapshot: Snapshot, made: Prepared) -> tuple[Decision, ...] | None:
    """Return all that may be done with a pod of a gang; None if that is unknown, or too much to compute."""
    if about.kept:
        return ()
    if about.unknown or (about.together and len(about.pods) > MOST_DECIDED):
        return None
    profile = profile_of(made.scenario)
    decisions = profile.decision(pod, snapshot, profile)
    return None if any(isinstance(each, Unknown) for each in decisions) else tuple(sorted(decisions, key=str))


def _of(
    found: Made, pod: Pod, snapshot: Snapshot, made: Prepared, notes: tuple[str, ...] = (), unseen: str = ""
) -> Explanation:
    """Return an explanation that was made in the shape of all schedulers."""
    telling = TELLINGS[made.scenario.scheduler]
    told = ENDED if found is None else telling.told(found, {node.name: node for node in snapshot.nodes})
    return Explanation(
        pod=pod if found is None else found.pod,
        stood=pod.node_name,
        profile=made.scenario.profile,
        completed=found is None,
        added=made.whole.added.get(pod.key, ()),
        kind=told.kind,
        best=told.best,
        nodes=told.nodes,
        decisions=told.decisions if told.all_decisions else None,
        event=told.message,
        notes=notes,
        unseen=unseen,
        told=told,
        made=found,
        snapshot=snapshot,
        prepared=made,
    )


def _around(pod: Pod, made: Prepared) -> Snapshot:
    """Return the cluster as the scheduler of the scenario sees it, with the pod."""
    if made.scenario.scheduler.surroundings:
        return made.cluster.snapshot(pod)
    return Snapshot.of({*made.cluster.pods, pod}, made.cluster.nodes, made.cluster.namespaces)


def node_json(each: NodeExplanation) -> Json:
    """Return a node as plain data."""
    return {
        "node": each.name,
        "feasible": "unknown" if each.feasible is None else each.feasible,
        "source": each.source or None,
        "refusals": [
            {"plugin": refusal.plugin, "code": refusal.code, "reasons": list(refusal.reasons)}
            for refusal in each.refusals
        ],
        "short": short_json(each.short),
        "scores": None if each.scores is None else scores_json(each.scores),
        "total": each.total,
    }

"""Why a pod is pending, where it would be bound, and what would be evicted for it: `explain`, `Explanation`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.claims import note_unclaimed
from schedcheck.api.decided import scores_json
from schedcheck.api.naming import pod_named
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.tellings import NO_DETAILS, TELLINGS, Made
from schedcheck.api.told import ENDED, NodeExplanation, Told
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests.seen import why_unseen
from schedcheck.model.profiles import profile_of
from schedcheck.report.json.cycle_parts import short_json
from schedcheck.report.json.pieces import FORMAT, Json, action_json, reference
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.decisions import Decision
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.version import __version__

if TYPE_CHECKING:
    from pandas import DataFrame


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

    @property
    def exit_code(self) -> Literal[0, 2]:
        """0, or 2 where what may be done is unknown."""
        return 2 if self.kind == "unknown" else 0

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
        made = prepared(cluster, chosen, told)
        return explained(wanted, made, tuple(said))


def explained(pod: Pod, made: Prepared, notes: tuple[str, ...]) -> Explanation:
    """Return the explanation by the profile of the scenario."""
    unseen = why_unseen(pod, made.whole, made.given.schedulers) if pod not in made.cluster.pods else ""
    return explained_in(pod, _around(pod, made), made, notes, unseen)


def explained_in(
    pod: Pod, snapshot: Snapshot, made: Prepared, notes: tuple[str, ...] = (), unseen: str = ""
) -> Explanation:
    """Return the explanation of a pod of a snapshot by the profile of the scenario."""
    telling = TELLINGS[made.scenario.scheduler]
    found = telling.explain(pod, snapshot, profile_of(made.scenario))
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

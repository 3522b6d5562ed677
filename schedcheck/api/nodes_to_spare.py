"""The nodes that could be emptied for good: `nodes_to_spare`, `NodesToSpare`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.capacity import Ready, prepared, spent
from schedcheck.api.values import GIGABYTES, SECONDS, SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.capacity.emptying import Emptied, emptied
from schedcheck.checker.capacity.following import NotAllowed
from schedcheck.checker.capacity.rooms import Unbounded
from schedcheck.errors import Unanswerable
from schedcheck.manifests import Cluster
from schedcheck.report.json.pieces import Json
from schedcheck.report.json.room import Spare, spare_json
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.objects import Pod
from schedcheck.spec.owners import version_and_kind


@dataclass(frozen=True)
class NodesToSpare(Answer):
    """Which nodes could be emptied for good, each taken by itself.

    nodes
        By node: "scheduler" if the scheduler places its pods elsewhere in the order of ties that was followed, "best" if
        only other choices do, "no" if none do, "unknown" else.
    stopped
        The limit that left nodes out; empty if there is none.
    """

    nodes: Mapping[str, Literal["scheduler", "best", "no", "unknown"]]
    stopped: str
    notes: tuple[str, ...]
    made: tuple[Emptied, ...] = field(repr=False)
    ready: Ready = field(repr=False)

    @property
    def exit_code(self) -> Literal[0, 2]:
        """0, or 2 where something is not known."""
        return 2 if self.stopped or "unknown" in self.nodes.values() else 0

    @property
    def told(self) -> Spare:
        """What the text and the JSON are made of; not part of the stable interface."""
        return Spare(self.ready.profile, self.nodes, self.made, len(self.ready.snapshot.nodes), self.stopped)

    def to_json(self) -> Json:
        """Return what `schedcheck capacity --empty --format json` prints."""
        return spare_json(self.told) | left_aside_json(self.ready.aside)


def nodes_to_spare(
    cluster: Cluster,
    *,
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> NodesToSpare:
    """Say of each node whether its pods fit on the other nodes, so that it could be emptied for good.

    Pods of DaemonSets and static pods go with their node. Disruption budgets are not asked: they delay an eviction.
    Other pods that wait are not placed first.

    Raises: InputError, Unanswerable, GaveUp.
    """
    limits = limits or Limits(SECONDS, GIGABYTES)
    with within(limits):
        told, said = noting(observer)
        ready = prepared(cluster, as_profile(profile), told)
        bound = replace(ready.snapshot, pods=tuple(pod for pod in ready.snapshot.pods if pod.node_name))
        effort = spent(limits)
        found: list[Emptied] = []
        stopped = ""
        try:
            for each in emptied(bound, ready.given.plugins, belongs, effort):
                found.append(each)
            stopped = effort.ended
        except Unbounded:
            raise Unanswerable("no filter of the profile limits how many pods a node takes") from None
        except NotAllowed as error:
            raise Unanswerable(f"the placements do not stand before the specification: {error}") from None
        except KeyboardInterrupt as end:
            stopped = effort.over(end)
        return NodesToSpare(
            {each.node.name: verdict(each) for each in found}, stopped, tuple(said), tuple(found), ready
        )


def belongs(pod: Pod) -> bool:
    """Whether the pod belongs to its node: a static pod, a pod of a DaemonSet, or one whose template names the node."""
    return bool(pod.template_node_name) or version_and_kind(pod.owner[0])[1] == "DaemonSet" or pod.terminating


def verdict(found: Emptied) -> Literal["scheduler", "best", "no", "unknown"]:
    """Return whether the pods of the node fit elsewhere, and by whose choices."""
    if found.placed is not None and not found.placed.left:
        return "scheduler"
    if found.best.fits is None:
        return "unknown"
    return "best" if found.best.fits else "no"

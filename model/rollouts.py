"""A workload whose pods change, as plain data: `Rollout`. `model.controllers.rollouts` gives it its meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple, Optional

from frozendict import frozendict

from schedcheck.spec.objects import Pod, Snapshot

Key = tuple[str, str]
Scales = tuple[int, int]
"""The replicas that a Deployment asks of the ReplicaSet of its former template, and of the one of its present one."""


@dataclass(frozen=True)
class Rollout:
    """A workload, and the pods that its controllers create and delete until all follow its present template.

    `surge` and `unavailable` are the numbers of pods by which a rolling update may exceed or fall short of `replicas`.
    """

    kind: str
    """Deployment, ReplicaSet, StatefulSet or DaemonSet; those that work like a ReplicaSet count as one."""
    name: str
    namespace: str
    replicas: int
    """The pods that are wanted in the end; for a DaemonSet one for each of its nodes."""
    forms: tuple[Pod, ...]
    """The pods by the present template as they are created: in the order of creation, one for each name."""
    former: tuple[Pod, ...] = ()
    """The pods by the former template as they are created; and those that a StatefulSet has beyond its replicas."""
    revision: str = ""
    """The uid that marks the pods by the present template; empty if the template does not change."""
    surge: int = 0
    unavailable: int = 1
    recreate: bool = False
    """Whether a Deployment has the strategy Recreate."""
    ordered: bool = False
    """Whether a StatefulSet has the podManagementPolicy OrderedReady."""
    partition: int = 0
    """The index in `forms` below which a StatefulSet keeps the former template."""
    costs: Mapping[Key, int] = frozendict()
    """The annotation controller.kubernetes.io/pod-deletion-cost of existing pods, if it is not 0."""
    shown: str = ""
    """The kind of the object, such as Job, if it is not `kind`."""
    waits: bool = False
    """Whether minReadySeconds is above 0: a ready pod becomes available when a timer expires. `deploy` has no such timers."""
    before: Optional["Rollout"] = None
    """The workload until an event applies its manifest, with some of these pods; None if it is as it is from the beginning."""

    def __hash__(self) -> int:
        return hash((self.kind, self.namespace, self.name, self.replicas))

    def __str__(self) -> str:
        where = "" if self.namespace == "default" else f"{self.namespace}/"
        return f"{where}{(self.shown or self.kind).lower()}/{self.name}"

    @property
    def rolling(self) -> bool:
        """Whether the template changes."""
        return self.revision != ""

    @property
    def chooses(self) -> bool:
        """Whether the controller chooses between pods to create."""
        return self.kind == "DaemonSet" and self.surge > 0

    @cached_property
    def keys(self) -> frozenset[Key]:
        """The keys of all pods that the workload may have."""
        return frozenset(pod.key for pod in (*self.forms, *self.former))

    def updated(self, pod: Pod) -> bool:
        """Whether the pod follows the present template."""
        return pod.uid == self.revision

    @property
    def start(self) -> Scales:
        """The scales after the first step of the Deployment controller, which changes the replicas before the template.

        Kubernetes 1.34: pkg/controller/deployment/sync.go, scale, called before rolloutRolling.
        """
        return (self.replicas, 0) if self.rolling and self.kind == "Deployment" else (0, self.replicas)


class Revisions(NamedTuple):
    """What changes of the workloads whose manifests are applied by events.

    - `applied`: for each rollout, whether it is as it is after its event. - `timed`: the slots of ready pods whose timers of
    minReadySeconds are armed, ascending.
    """

    applied: tuple[bool, ...]
    timed: tuple[int, ...] = ()


@dataclass(frozen=True)
class Observed(Snapshot):
    """A snapshot, and the workloads whose manifests were applied, which only properties look at."""

    applied: frozenset[str] = frozenset()

    __hash__ = Snapshot.__hash__


def observed(snapshot: Snapshot, rollouts: Sequence[Rollout], revisions: Revisions) -> Observed:
    """Return the snapshot with the workloads whose manifests events have applied."""
    pairs = zip(rollouts, revisions.applied, strict=True)
    applied = frozenset(str(each) for each, is_applied in pairs if is_applied and each.before is not None)
    return Observed(**{each.name: getattr(snapshot, each.name) for each in fields(Snapshot)}, applied=applied)


def scaled(rollout: Rollout, replicas: int) -> Rollout:
    """Return the workload with this many replicas; `forms` must be enough. A StatefulSet deletes those beyond."""
    if rollout.kind != "StatefulSet":
        return replace(rollout, replicas=replicas)
    forms, beyond = rollout.forms[:replicas], rollout.forms[replicas:]
    return replace(rollout, replicas=replicas, forms=forms, former=(*rollout.former, *beyond))


def deletable(rollout: Rollout) -> frozenset[Key]:
    """Return the keys of the pods that the controller may delete: the former ones, and all if there are too many."""
    former = frozenset(pod.key for pod in rollout.former)
    return rollout.keys if len(rollout.keys - former) > rollout.replicas else former

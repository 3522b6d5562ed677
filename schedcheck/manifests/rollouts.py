"""What becomes of the workloads and pods that are applied: `changes`, `Change`, and the pods that are created for them.

The controllers name pods at random. Here the pods to come are called web-new-0, web-new-1 …; pods that a Deployment
still creates by its former template, because its replicas change with it, web-old-0 ….

Kubernetes 1.34: pkg/apis/apps/v1/defaults.go for the strategies.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from schedcheck.manifests.admission import admitted
from schedcheck.manifests.applying import OPENSHIFT, Applied
from schedcheck.manifests.fields import Field
from schedcheck.manifests.identities import Identity
from schedcheck.manifests.names import called
from schedcheck.manifests.objects import Cluster, PodKey
from schedcheck.manifests.pods import Entry
from schedcheck.manifests.templates import MAKERS
from schedcheck.manifests.update_limits import of_daemon_set, of_deployment
from schedcheck.manifests.workloads import KINDS, Workload, daemon, formed, of_config, own_labels, unfit, workload
from schedcheck.model.controllers.deployment import fenceposts, share
from schedcheck.model.environment import newly_arrived
from schedcheck.model.rollouts import Rollout
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.owners import served_kind
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.spec.values import Labels

NEW = "new"
"""The uid that marks the pods by the present template in a rolling update."""

HASH = "pod-template-hash"


@dataclass(frozen=True)
class Change:
    """What becomes of one object.

    - `what`: added, scaled, updated or unchanged. - `before`: the replicas before, None if it is new. - `rollout`: the pods
    and their controller; None for a Pod, whose key is in `pods`, and if no pod changes. - `unknown`: why the answer is
    not known, a sentence without a full stop; empty if it is. - `notes`: what else is to be said.
    """

    kind: str
    namespace: str
    name: str
    what: str
    before: int | None = None
    replicas: int = 0
    rollout: Rollout | None = None
    pods: tuple[PodKey, ...] = ()
    unknown: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return called(self.kind, self.namespace, self.name)


def changes(applied: Applied) -> tuple[Cluster, tuple[Change, ...]]:
    """Return the cluster with the pods that are to come, and what becomes of each workload and pod that is applied."""
    made = Making(applied)
    found = tuple(made.change(name) for name in sorted(applied.given) if name[0] in ("Pod", *KINDS))
    later = {pod.key for pod in applied.after.pods if pod.owner in made.runs and pod.key not in made.there}
    kept = (pod for pod in applied.after.pods if pod.key not in later)
    pods = tuple(sorted((*kept, *made.more), key=lambda each: each.key))
    return replace(applied.after, pods=pods, live=made.there), found


class Making:
    """The workloads that are applied, and the pods that they have; `more` are the pods that are to come."""

    def __init__(self, applied: Applied) -> None:
        self.applied = applied
        stored = (name for name in applied.given if name[0] in KINDS and name in applied.stored)
        self.before = {each.key: each for each in (workload(name[0], applied.stored[name]) for name in stored)}
        self.after = {each.key: each for each in applied.after.workloads}
        self.more: list[Pod] = []
        self.taken = {pod.key for pod in applied.after.pods}
        # A pod of the cluster exists also if it has no uid; the others were made for workloads when the input was read.
        self.there = applied.after.live | {
            (namespace, name) for kind, namespace, name in applied.stored if kind == "Pod"
        }
        self.runs = {each.maker for each in applied.after.workloads if each.kind == "CronJob"}
        self.own: dict[tuple[str, str, str], list[Pod]] = {}
        deployments = {(each.namespace, each.name): each.owner[1] for each in applied.after.workloads
                       if each.kind == "ReplicaSet" and served_kind(each.owner[0]) == "Deployment"}  # fmt: skip
        configs = {(each.namespace, each.name): each.owner[1] for each in applied.after.workloads
                   if of_config(each)}  # fmt: skip
        for pod in applied.after.pods:
            if pod.key not in self.there or completed(pod):
                continue
            kind, name = served_kind(pod.owner[0]), pod.owner[1]
            self.own.setdefault((pod.namespace, kind, name), []).append(pod)
            if (pod.namespace, name) in configs and kind == "ReplicationController":
                self.own.setdefault((pod.namespace, "Deployment", configs[pod.namespace, name]), []).append(pod)
            if kind in MAKERS:
                maker = deployments.get((pod.namespace, name), name.rpartition("-")[0])
                self.own.setdefault((pod.namespace, MAKERS[kind], maker), []).append(pod)

    def change(self, name: Identity) -> Change:
        """Return what becomes of the object of this identity."""
        kind, namespace, own = name
        if kind == "Pod":
            return self._pod(name)
        made = self.after[namespace, kind, own]
        if kind == "CronJob":
            note = "its pods are created at its times, not when it is applied"
            return Change(kind, namespace, own, "unchanged", notes=(note,))
        pods = self.own.get(made.key, [])
        change = self._existing(name, made, pods) if pods else self._added(made, name in self.applied.stored)
        scaler = self.applied.scaled_by.get(name)
        if change.rollout is not None:
            node = made.template["spec"]["nodeName"].text()
            change = replace(change, unknown=change.unknown or _named_node(node))
        if scaler is not None:
            moves = scaler.moves(change.replicas)
            how = f"scales it to {moves}" if moves else "sets its replicas too"
            if moves or change.before not in (None, change.replicas):
                change = replace(change, unknown=change.unknown or f"{scaler} {how}, and is not modelled")
        return _shown(change, OPENSHIFT if name in self.applied.configs else kind)

    def _pod(self, name: Identity) -> Change:
        """Return the change of a pod. One that names its node skips the scheduler, and the kubelet may refuse it."""
        kind, namespace, own = name
        if name in self.applied.stored:
            return Change(kind, namespace, own, "unchanged", pods=((namespace, own),), replicas=1)
        node = next(pod.node_name for pod in self.applied.after.pods if pod.key == (namespace, own))
        return Change(kind, namespace, own, "added", pods=((namespace, own),), replicas=1, unknown=_named_node(node))

    def _added(self, workload: Workload, stored: bool) -> Change:
        """Return the change of a workload that has no pod yet: its pods were made when the input was read."""
        ours = [pod for pod in self.applied.after.pods if pod.owner == workload.maker]
        forms = tuple(newly_arrived(pod) for pod in self._ordered(workload, ours))
        field = self.applied.given[workload.kind, workload.namespace, workload.name]
        kind = workload.kind if workload.kind in ("Deployment", "StatefulSet", "DaemonSet") else "ReplicaSet"
        rollout = Rollout(
            kind, workload.name, workload.namespace, len(forms), forms, ordered=_ordered(field), unavailable=1
        )
        claims = field["spec"]["volumeClaimTemplates"].items()
        return Change(
            workload.kind, workload.namespace, workload.name, "added", 0 if stored else None, len(forms),
            rollout if forms else None, unknown=UNCLAIMED if claims and forms else "",
        )  # fmt: skip

    def _ordered(self, workload: Workload, pods: Sequence[Pod]) -> list[Pod]:
        """Return the pods in the order of creation: by ordinals."""
        return sorted(
            pods, key=lambda pod: (len(pod.name), pod.name) if workload.kind != "DaemonSet" else (0, pod.name)
        )

    def _existing(self, name: Identity, workload: Workload, pods: list[Pod]) -> Change:
        """Return the change of a workload that has pods."""
        given, stored = self.applied.given[name], self.applied.stored.get(name)
        _refuse_immutable(workload.kind, stored, given)
        before = self.before.get(workload.key)
        template = stored is not None and stored["spec"]["template"].value != given["spec"]["template"].value
        was = len(pods) if before is None or workload.kind == "DaemonSet" else before.replicas
        what = "updated" if template else "scaled" if was != workload.replicas else "unchanged"
        if workload.kind == "DaemonSet":
            what = "updated" if template else "unchanged"
        change = Change(workload.kind, workload.namespace, workload.name, what, was, workload.replicas)
        if workload.kind == "Job":
            note = "a Job that exists is not changed: its template is immutable"
            return replace(change, what="unchanged", notes=(note,) if template else ())
        if what == "unchanged":
            return change
        build = {"StatefulSet": self._stateful, "DaemonSet": self._daemons}.get(workload.kind, self._replicated)
        return build(change, workload, given, pods)

    def _replicated(self, change: Change, workload: Workload, field: Field, pods: list[Pod]) -> Change:
        """Return the change of a Deployment, or of what works like a ReplicaSet."""
        strategy = field["spec"]["strategy"]
        makers = sorted({pod.owner for pod in pods})
        rolls = change.what == "updated" and workload.kind == "Deployment" and not workload.idle
        if len(makers) > 1:
            why = f"a rollout of it is already under way: its pods belong to {len(makers)} ReplicaSets"
            return replace(change, unknown=why)
        number, names = workload.replicas, self.applied.after.deletion_costs
        existing = tuple(newly_arrived(pod) for pod in sorted(pods, key=lambda each: each.key))
        costs = {pod.key: names[pod.key] for pod in pods if pod.key in names}
        more = max(0, number - len(existing))
        if not rolls:
            same = change.what == "scaled" or workload.kind == "Deployment"
            made = self._named(self._like(workload, existing[0] if same else None), workload, "new", more)
            rollout = Rollout(
                _kind(workload), workload.name, workload.namespace, number, (*existing, *made), costs=costs
            )
            notes = (UNTOUCHED,) if change.what == "updated" else ()
            return replace(change, rollout=rollout, notes=notes, what="scaled" if notes else change.what)
        surge, unavailable = fenceposts(*of_deployment(strategy["rollingUpdate"]), number)
        former = self.before.get(workload.key, workload)
        old = self._named(self._like(former, existing[0]), workload, "old", more)
        forms = self._named(replace(self._like(workload, None), uid=NEW), workload, "new", number)
        rollout = Rollout(
            "Deployment", workload.name, workload.namespace, number, forms, (*existing, *old), NEW, surge, unavailable,
            recreate=strategy["type"].text() == "Recreate", costs=costs,
        )  # fmt: skip
        return replace(change, rollout=rollout)

    def _like(self, workload: Workload, existing: Pod | None) -> Pod:
        """Return a pod by the template, without a name; with the owner and the hash of an existing one, if given."""
        labels = own_labels(workload)
        if existing is not None and HASH in existing.labels:
            labels = {HASH: existing.labels[HASH]}
        form = admitted(formed(workload, labels), self.applied.after.admits).pod
        return form if existing is None else replace(form, owner=existing.owner, owner_uid=existing.owner_uid)

    def _named(self, form: Pod, workload: Workload, mark: str, number: int) -> tuple[Pod, ...]:
        """Return this many pods of the form, which are to come."""
        free = (
            replace(form, name=name)
            for each in range(number + len(self.taken))
            if (workload.namespace, name := f"{workload.name}-{mark}-{each}") not in self.taken
        )
        found = tuple(pod for pod, _ in zip(free, range(number), strict=False))
        self.taken |= {pod.key for pod in found}
        self.more += found
        return found

    def _stateful(self, change: Change, workload: Workload, field: Field, pods: list[Pod]) -> Change:
        """Return the change of a StatefulSet: pods with fixed names, of which those that exist keep their claims."""
        spec = field["spec"]
        update = spec["updateStrategy"]
        rolls = change.what == "updated" and update["type"].text() != "OnDelete"
        first = spec["ordinals"]["start"].integer(0) if spec["ordinals"]["start"] else 0
        names = [f"{workload.name}-{number}" for number in range(first, first + workload.replicas)]
        there = {pod.name: pod for pod in pods}
        claims = {each["metadata"]["name"].text() for each in spec["volumeClaimTemplates"].items()}
        plain = formed(workload, {"controller-revision-hash": workload.hash})

        def form(name: str) -> Pod:
            if name in there and not rolls:
                return newly_arrived(there[name])
            entry: Entry = replace(plain, pod=replace(plain.pod, name=name))
            own = {"statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": name.rpartition("-")[2]}
            made = admitted(entry, self.applied.after.admits).pod
            kept = there[name].volumes if name in there else ()
            volumes = (*made.volumes, *(each for each in kept if each.name in claims))
            return replace(
                made, labels=Labels({**made.labels, **own}), volumes=volumes, uid=NEW if rolls else ""
            )  # fmt: skip

        forms = tuple(map(form, names))
        fresh = [each for each in forms if each.name not in there]
        self.more += fresh
        former = tuple(newly_arrived(pod) for pod in sorted(pods, key=lambda each: (len(each.name), each.name)))
        beyond = tuple(each for each in former if each.name not in names)
        rollout = Rollout(
            "StatefulSet", workload.name, workload.namespace, len(forms), forms, former if rolls else beyond,
            NEW if rolls else "", ordered=_ordered(field),
            partition=min(update["rollingUpdate"]["partition"].integer(0), len(forms))
            if rolls and update["rollingUpdate"]["partition"] else 0,
        )  # fmt: skip
        notes = () if rolls or change.what != "updated" else (ON_DELETE,)
        unknown = UNCLAIMED if claims and fresh else ""
        if notes and change.before == change.replicas:
            return replace(change, what="unchanged", notes=notes)
        return replace(change, rollout=rollout, unknown=unknown, notes=notes, what="scaled" if notes else change.what)

    def _daemons(self, change: Change, workload: Workload, field: Field, pods: list[Pod]) -> Change:
        """Return the change of a DaemonSet: a pod on each node that matches its template."""
        update = field["spec"]["updateStrategy"]
        if update["type"].text() == "OnDelete":
            return replace(change, what="unchanged", notes=(ON_DELETE,))
        plain = daemon(workload)
        base = admitted(plain, self.applied.after.admits).pod
        nodes = [node for node in self.applied.after.nodes if not unfit(base, node)]
        forms = tuple(self._on(base, workload, nodes))
        surge, unavailable = (share(each, len(forms), up=True) for each in of_daemon_set(update["rollingUpdate"]))
        former = tuple(map(newly_arrived, pods))
        rollout = Rollout(
            "DaemonSet", workload.name, workload.namespace, len(forms), forms, former, NEW, surge,
            unavailable if surge or unavailable else 1,
        )  # fmt: skip
        return replace(change, rollout=rollout, replicas=len(forms))

    def _on(self, base: Pod, workload: Workload, nodes: Iterable[Node]) -> Iterator[Pod]:
        for node in nodes:
            only = NodeSelectorTerm((), (Requirement("metadata.name", "In", (node.name,)),))
            form = replace(base, affinity=replace(base.affinity, node_required=(only,)), uid=NEW)
            made = replace(form, name=f"{workload.name}-new-{node.name}")
            self.more.append(made)
            yield made


def _named_node(node: str) -> str:
    """Return why the end of pods whose manifest names this node is not known; empty if it names none."""
    return f"its manifest names the node {node}, whose kubelet may refuse a pod, which is not modelled" if node else ""


def _shown(change: Change, kind: str) -> Change:
    """Return the change of an object of this kind; its rollout may be that of another kind."""
    rollout = change.rollout
    return replace(change, kind=kind, rollout=None if rollout is None else replace(rollout, shown=kind))


UNCLAIMED = "the claims of its volumeClaimTemplates are not in the cluster, and volumes for them are not modelled"
UNTOUCHED = "pods that exist keep their template"
ON_DELETE = "its update strategy is OnDelete: pods that exist keep their template until they are deleted"


IMMUTABLE = {
    **dict.fromkeys(("Deployment", "ReplicaSet", "DaemonSet"), ("selector",)),
    "StatefulSet": ("selector", "serviceName", "podManagementPolicy", "volumeClaimTemplates"),
}
"""The fields that the API server does not let change. Kubernetes 1.34: pkg/apis/apps/validation/validation.go."""


def _refuse_immutable(kind: str, stored: Field | None, given: Field) -> None:
    """Raises: InputError for a field of a stored object that the API server does not let change."""
    for name in IMMUTABLE.get(kind, ()) if stored is not None and stored["metadata"]["uid"].text() else ():
        if stored is not None and stored["spec"][name].value != given["spec"][name].value:
            raise given["spec"][name].error("the API server refuses to change this field; expected that of the cluster")


def _kind(workload: Workload) -> str:
    return "Deployment" if workload.kind == "Deployment" else "ReplicaSet"


def _ordered(field: Field) -> bool:
    return field["kind"].text() == "StatefulSet" and field["spec"]["podManagementPolicy"].text() != "Parallel"


def keys_of(changed: Collection[Change]) -> frozenset[PodKey]:
    """Return the keys of all pods that the changes are about."""
    return frozenset(key for each in changed for key in (*each.pods, *(each.rollout.keys if each.rollout else ())))

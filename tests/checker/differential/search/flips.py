"""One event after which a rejected pod fits must move it: `flip`

Two clusters that differ in one object are drawn, in one of which the pod can be scheduled and in the other not. A
scheduler rejects it in the second, and then the object changes.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from schedcheck.checker.differential.standing import looking_at
from schedcheck.checker.drawing.quick.chance import FEATURES, Chance
from schedcheck.checker.drawing.quick.pods import named, node, pod
from schedcheck.checker.drawing.quick.questions import question
from schedcheck.checker.drawing.quick.storage import stored_object
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.extenders.as_values import judged
from schedcheck.model.production.cycle.delivery import STORED
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.spec.decisions import Bind
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import Storage
from schedcheck.spec.terms import Affinity
from schedcheck.spec.volumes.claims import claim_name
from tests.checker.differential.search.lives import STORED as NAMES
from tests.checker.differential.search.own import with_own
from tests.checker.differential.search.ports import without_ports
from tests.checker.differential.search.world import World

FLIPPED = tuple(each for each in FEATURES if each not in
                {"versions", "configurations", "devices", "nominations", "terminating", "image-sizes", "budgets"})  # fmt: skip
Extenders = tuple[Any, ...]
Things = dict[Any, Any]
"""Objects by kind and name."""
TRIES = 8
"""The number of changes that are tried until one makes a difference."""
NODE_FIELDS = tuple(field.name for field in fields(Node) if field.name != "name")
ASKED_FIELDS = ("tolerations", "labels")
"""The fields of a pending pod that may change, and then may make it schedulable."""


def objects(asked: Pod, there: Snapshot) -> dict[Any, Any]:
    """Return all objects that a scheduler watches, by kind and name."""
    storage = (each for field in fields(Storage) for each in getattr(there.storage, field.name))
    return {
        (type(each).__name__, getattr(each, "key", each.name)): each
        for each in (asked, *there.pods, *there.nodes, *storage)
    }


def can_go(asked: Pod, there: Snapshot, plugins: Plugins, extenders: Extenders = ()) -> bool:
    """Whether the pod can be bound."""
    pods = Snapshot.of([*there.pods, asked]).pods
    found = judged(asked, replace(there, pods=pods), plugins, extenders)
    return any(isinstance(each, Bind) for each in found.decisions)


DEAF: frozenset[tuple[str, str, str]] = frozenset(
    {
        ("InterPodAffinity", "Node", "goes"),
        ("NodeVolumeLimits", "Node", "comes"),
        ("NodeVolumeLimits", "Pod", "comes"),
        ("NodeVolumeLimits", "CSINode", "goes"),
        ("NodeVolumeLimits", "PersistentVolumeClaim", "goes"),
        ("NodeVolumeLimits", "PersistentVolume", "comes"),
        ("NodeVolumeLimits", "PersistentVolume", "changes"),
        ("NodeVolumeLimits", "PersistentVolume", "goes"),
        ("NodeVolumeLimits", "VolumeAttachment", "comes"),
        ("NodeVolumeLimits", "CSIDriver", "comes"),
        ("NodeVolumeLimits", "CSIDriver", "changes"),
        ("NodeVolumeLimits", "CSIDriver", "goes"),
        ("VolumeBinding", "CSIDriver", "goes"),
        ("VolumeBinding", "CSIDriver", "changes"),
        ("VolumeBinding", "StorageClass", "changes"),
        ("VolumeZone", "StorageClass", "changes"),
        ("VolumeRestrictions", "Node", "goes"),
        ("VolumeRestrictions", "Pod", "goes"),
        ("VolumeRestrictions", "PersistentVolumeClaim", "changes"),
    }
)
"""Events for which kube-scheduler itself has no hint: the plugin that rejected the pod, the kind of object, and how.

The pods of a deleted node do not count any more, so their anti-affinity and their use of disks end. A node comes without limits of volumes,
and a volume that another pod attaches is attached. What is attached also depends on the claims and volumes of other pods, which come and go unheard. A disk is freed by a pod of another namespace. A driver that
goes asks no more for capacity, or to be on the node; of one that changes, the hint regards inline volumes alone, and the filter claims alone. The binding mode of a class and the access modes of a claim do not change in a cluster.
"""


def heard_of(queued: QueuedPod, kind: str, before: Any, after: Any) -> bool:
    """Whether kube-scheduler has a hint for such an event of each plugin that rejected the pod."""
    how = "comes" if before is None else "goes" if after is None else "changes"
    if kind == "CSINode" and how == "changes" and before.allocatable.keys() - after.allocatable.keys():
        how = "goes"  # A driver without a limit is no raised limit.
    if any((plugin, kind, how) in DEAF for plugin in queued.rejectors):
        return False
    if "NodeVolumeLimits" in queued.rejectors and kind == "PersistentVolumeClaim" and how == "comes":
        # The claim of another pod says which volume is attached; its hint knows the claims of the pod alone.
        names = {claim_name(volume, queued.pod) for volume in queued.pod.volumes}
        return after.namespace == queued.pod.namespace and after.name in names
    if "InterPodAffinity" in queued.rejectors and kind == "Node" and how == "changes":
        return _in_other_domains(queued.pod.affinity, before, after)
    return True


def _in_other_domains(affinity: Affinity, before: Node, after: Node) -> bool:
    """Whether the node moves for a term of the pod itself. Those of other pods, which may refuse it too, have no hint.

    Kubernetes 1.37: isSchedulableAfterNodeChange in plugins/interpodaffinity/plugin.go.
    """
    moved = {key for key in {**before.labels, **after.labels} if before.labels.get(key) != after.labels.get(key)}
    comes = {each.topology_key for each in affinity.pod_required if each.topology_key in after.labels}
    goes = {each.topology_key for each in affinity.anti_required if each.topology_key in before.labels}
    return bool(moved & (comes | goes))


def changes(chance: Chance, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield clusters that differ in one object: it comes, goes, or changes."""
    for _ in range(TRIES):
        match chance.randrange(7):
            case 0 if len(there.nodes) > 1:
                yield asked, replace(there, nodes=_without(chance, there.nodes))
            case 0 | 1 if there.nodes:
                one, other = chance.choice(there.nodes), node(chance, "x")
                name = chance.choice(NODE_FIELDS)
                changed = replace(one, **{name: getattr(named(other, one.name), name)})
                yield asked, replace(there, nodes=tuple(changed if each is one else each for each in there.nodes))
            case 2:
                made = node(chance, "n6")
                yield asked, replace(there, nodes=(*there.nodes, made))
            case 3 if there.pods:
                yield asked, replace(there, pods=_without(chance, there.pods))
            case 4 if there.pods:
                bound = chance.choice(there.pods)
                changed_pod = replace(bound, labels=pod(chance, "x").labels)
                yield asked, replace(there, pods=tuple(changed_pod if each is bound else each for each in there.pods))
            case 5:
                field = chance.choice(ASKED_FIELDS)
                value = getattr(pod(chance, "x"), field)
                new: dict[str, Any] = {field: (*asked.tolerations, *value) if field == "tolerations" else value}
                yield replace(asked, **new), there
            case _ if there.storage != Storage():
                yield asked, replace(there, storage=_stored(chance, there.storage))


def _without(chance: Chance, listed: tuple[Any, ...]) -> tuple[Any, ...]:
    gone = chance.choice(listed)
    return tuple(each for each in listed if each is not gone)


def _stored(chance: Chance, storage: Storage) -> Storage:
    """Return the storage with one object more, less, or changed."""
    kind, names = chance.choice(NAMES)
    made = stored_object(chance, kind, chance.choice(names))
    field = STORED[kind][0]
    key = getattr(made, "key", made.name)
    others = [each for each in getattr(storage, field) if getattr(each, "key", each.name) != key]
    there = others if len(others) < len(getattr(storage, field)) and chance.often(0.4) else [*others, made]
    return replace(storage, **{field: tuple(sorted(there, key=lambda each: getattr(each, "key", (each.name,))))})


def flip(start: str) -> None:
    """Draw two clusters, let the pod be rejected in one, and judge whether the change to the other moves it."""
    chance = Chance.of(start, FLIPPED)
    asked, there, plugins = question(chance, 3, 2)
    if chance.often(0.6):
        asked = replace(asked, preemption_policy="Never")
    there = replace(there, pods=tuple(without_ports(each) if n else each for n, each in enumerate(there.pods)))
    flipped((asked, there, plugins), changes(chance, asked, there))


Sides = tuple[Pod, Snapshot]
"""A pod, and the cluster in which it is asked about."""
Judged = Callable[[Sides, Sides, Plugins, Extenders], None]
"""How the change from one cluster, in which the pod is rejected, to another, in which it fits, is judged."""


def slept(before: Sides, after: Sides, plugins: Plugins, extenders: Extenders = ()) -> None:
    """Judge whether the pod that is rejected before is moved by the change."""
    world, was, now = _world(before, after, plugins, extenders)
    world.cycle()
    changed = [key for key in {**was, **now} if was.get(key) != now.get(key)]
    if _heard(world, before[0], was, now):
        for key in changed:
            world.put(now[key]) if key in now else world.delete(was[key])
        world.deliver_all()
        _moves(world, before[0], changed)


def slept_in_flight(before: Sides, after: Sides, plugins: Plugins, extenders: Extenders = ()) -> None:
    """Judge whether the pod is moved by a change that is told after its rejection, and before it is put back."""
    world, was, now = _world(before, after, plugins, extenders)
    changed = [key for key in {**was, **now} if was.get(key) != now.get(key)]
    for key in changed:
        world.put(now[key]) if key in now else world.delete(was[key])
    outcome = world.scheduler.carry_out

    def told(attempt: Any) -> Any:
        world.tell_all()
        return outcome(attempt)

    world.scheduler.carry_out = told  # type: ignore[method-assign]
    world.cycle(lambda: None)
    if _heard(world, before[0], was, now):
        _moves(world, before[0], changed)


def flipped(
    question: Question, changes: Iterator[Sides], extenders: Extenders = (), judge: Judged | None = None
) -> None:
    """Judge the first of the changes that makes a difference to the pod, as `slept` does if nothing else is given."""
    asked, there, plugins = question
    goes = can_go(asked, there, plugins, extenders)
    for other, changed in changes:
        if can_go(other, changed, plugins, extenders) is not goes:
            before, after = ((asked, there), (other, changed))[:: -1 if goes else 1]
            (judge or slept)(before, after, plugins, extenders)
            return


def _world(before: Sides, after: Sides, plugins: Plugins, extenders: Extenders) -> tuple[World, Things, Things]:
    """Return a world of the cluster before, and its objects before and after."""
    beside = replace(before[1], pods=(), nodes=(), storage=Storage())
    was, now = objects(*before), objects(*after)
    wide = looking_at(100, plugins)
    world = World(*was.values(), profile=with_own(wide), judged=wide, beside=beside, extenders=extenders)
    return world, was, now


def _heard(world: World, asked: Pod, was: Things, now: Things) -> bool:
    """Whether the pod was rejected by plugins that are all told of what differs."""
    queued = world.scheduler.queue.unschedulable.get(asked.key)
    changed = [key for key in {**was, **now} if was.get(key) != now.get(key)]
    return (
        queued is not None
        and not queued.gate
        and all(heard_of(queued, key[0], was.get(key), now.get(key)) for key in changed)
    )


def _moves(world: World, asked: Pod, changed: list[Any]) -> None:
    still = world.scheduler.queue.unschedulable.get(asked.key)
    assert still is None or still.gate, (
        f"{asked} was rejected by {', '.join(sorted(still.rejectors))}, and sleeps through {changed}"
    )

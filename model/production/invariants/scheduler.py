"""Invariants of a scheduler at any time, however long it has run: `CLAIMS`, `complaints`.

Derived data equals what a fresh computation from the delivered objects gives. A pod is in one place, and work that was
begun is in progress. Each claim is a function of the scheduler and of its running binding cycles, and yields
violations.

Not checked: the host ports of a node. They are a set, so of two pods with one port the first that leaves frees it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler, Stage
from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.snapshot.snapshot import Snapshot

Claim = Callable[[Scheduler, Sequence[Binding]], Iterator[str]]


def the_cache_adds_up(scheduler: Scheduler, bindings: Sequence[Binding]) -> Iterator[str]:
    """A node's amounts are the sums over its pods, and each pod is on the node that it names."""
    cache = scheduler.cache
    for name, info in cache.nodes.items():
        anew = NodeInfo(departures=cache.departures)
        for each in info.pods.values():
            anew.add(each)
            if each.pod.node_name != name:
                yield f"{each.pod} is kept on {name} and names {each.pod.node_name}"
        if (+info.requested, info.rated) != (+anew.requested, anew.rated):
            yield f"{name}: {dict(+info.requested)} is kept for {dict(+anew.requested)}"
        if info.node is None and not info.pods:
            yield f"nothing is left of {name}, which is kept"
    there = {identity: each for info in cache.nodes.values() for identity, each in info.pods.items()}
    if there != cache.pods:
        yield f"the nodes hold {sorted(there)} of {sorted(cache.pods)}"
    if not set(cache.assumed) <= set(cache.pods):
        yield f"{sorted(set(cache.assumed) - set(cache.pods))} are assumed and are nowhere"


def the_cache_counts_nodes(scheduler: Scheduler, bindings: Sequence[Binding]) -> Iterator[str]:
    """The node list holds each node once, and each image knows the nodes that hold it."""
    cache = scheduler.cache
    nodes = [info.node for info in cache.nodes.values() if info.node is not None]
    if sorted(cache.tree.names()) != sorted(node.name for node in nodes):
        yield f"the list has {cache.tree.names()} for {sorted(node.name for node in nodes)}"
    holders: dict[str, set[str]] = {}
    for node in nodes:
        for name in (name for image in node.images for name in image.names):
            holders.setdefault(name, set()).add(node.name)
    if {name: image.nodes for name, image in cache.images.items()} != holders:
        yield f"images are kept that are not those of {holders}"


def the_snapshot_is_as_if_new(scheduler: Scheduler, bindings: Sequence[Binding]) -> Iterator[str]:
    """The incrementally updated snapshot equals a new snapshot of a newly filled cache."""
    scheduler.cache.update(scheduler.handle.snapshot)
    yield from unlike(described(scheduler.handle.snapshot), as_if_new(scheduler.cache))


def as_if_new(cache: Cache) -> dict[str, Any]:
    """Return the description of a new snapshot of a newly filled cache."""
    fresh = Snapshot()
    refilled(cache).update(fresh)
    return described(fresh)


def unlike(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield how two described snapshots differ."""
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            pairs = zip_longest(old.get(name, ()), new.get(name, ()))
            yield f"{name}: {' and '.join(f'{one} for {other}' for one, other in pairs if one != other)}"


def refilled(cache: Cache) -> Cache:
    """Return a new cache with the same nodes and pods, added in order of their names."""
    fresh = Cache(departures=cache.departures)
    for _, info in sorted(cache.nodes.items()):
        if info.node is not None:
            fresh.add_node(info.node)
    for _, each in sorted(cache.pods.items()):
        fresh.add_pod(each)
    return fresh


def described(snapshot: Snapshot) -> dict[str, Any]:
    """Return a description of each node of a snapshot and its pods that does not depend on the snapshot's history."""
    table, nodes = snapshot.table, snapshot.all()
    kinds = table.pods.kinds.kinds
    found = {}
    for row in nodes.rows:
        node = table.node(int(row))
        each = snapshot.some([node.name])
        amounts = {name: int(table.requested[row, column]) for name, column in table.resources.items()}
        room = {name: int(table.allocatable[row, column]) for name, column in table.resources.items()}
        counts = Counter(
            {
                kind: int(table.pods.per_node(np.arange(len(kinds)) == number, table.size)[row])
                for number, kind in enumerate(kinds)
            }
        )
        found[node.name] = (
            node,
            each.names(),
            +Counter(amounts),
            +Counter(room),
            table.rated[row].tolist(),
            bool(table.unschedulable[row]),
            table.taint_lists[table.taints[row]],
            {key: table.labels.column(key).values[table.labels.column(key).numbers[row]] for key in node.labels},
            {name: held[row].tolist() for name, held in table.images.items() if held[row].any()},
            sorted(info.identity for info in table.pods_on(int(row))),
            +counts,
        )
    return found


def a_pod_is_in_one_place(scheduler: Scheduler, bindings: Sequence[Binding]) -> Iterator[str]:
    """A pod is in at most one place of the queue, and not in the queue while it is being scheduled or bound.

    One that is being deleted may be: its node is free at once, while its binding cycle goes on, and another change of it puts it into
    the queue, where it is skipped. Kubernetes 1.37: Update in pkg/scheduler/backend/queue/scheduling_queue.go.
    """
    waiting = Counter(key for key, place in scheduler.queue.places() if place != "in flight")
    yield from (f"{key} waits in {count} places" for key, count in waiting.items() if count > 1)
    known = scheduler.handle.listers.pods
    for each in bindings:
        pod = known.get(each.pod.key)
        if pod is not None and pod.uid == each.pod.uid and not pod.terminating and each.pod.key in waiting:
            yield f"{each.pod} waits, and is being bound"


def no_pod_is_lost(scheduler: Scheduler, bindings: Sequence[Binding]) -> Iterator[str]:
    """Each unbound pod is terminating, queued in its latest form, being bound or assumed; no other is queued.

    Pods of other schedulers are not queued.
    """
    queue, known = scheduler.queue, scheduler.handle.listers.pods
    waiting = {queued.key: queued.pod for heap in (queue.active, queue.backing_off, queue.erring) for queued in heap}
    waiting |= {key: queued.pod for key, queued in queue.unschedulable.items()}
    under_way = {each.pod.identity for each in bindings} | set(scheduler.cache.assumed)
    for key, pod in known.items():
        ours = pod.scheduler_name in scheduler.frameworks and not pod.node_name
        if key in waiting and waiting[key] != pod:
            yield f"{pod} waits in a form that is no more"
        if ours and not pod.terminating and key not in waiting and pod.identity not in under_way:
            yield f"{pod} is lost"
        if key in waiting and not ours:
            yield f"{pod} waits, and has a node"
    yield from (f"{key} waits, and is gone" for key in waiting if key not in known)


def pods_at_permit_are_in_flight(scheduler: Scheduler, bindings: Sequence[Binding]) -> Iterator[str]:
    """Between cycles exactly the pods in the stage Permit are in flight, and no event is kept without need."""
    entries = scheduler.queue.in_flight.entries
    flying = sorted(entry for entry in entries if isinstance(entry, tuple))
    expected = sorted(each.pod.identity for each in bindings if each.stage is Stage.PERMIT)
    if flying != expected:
        yield f"{flying} are in flight for {expected}"
    if entries and not isinstance(entries[0], tuple):
        yield "an event is kept that no pod needs"
    waiting = {each.pod.identity for each in scheduler.handle.waiting}
    if not waiting <= set(expected):
        yield f"{sorted(waiting - set(expected))} wait for a permit and are not being bound"


def active_pods_have_backed_off(scheduler: Scheduler, bindings: Sequence[Binding]) -> Iterator[str]:
    """A pod in the activeQ is not backing off."""
    queue, now = scheduler.queue, scheduler.clock()
    yield from (f"{each.pod} backs off no more" for each in queue.active if queue.backoff.lasts(each, now))


def nominated_pods_are_unbound(scheduler: Scheduler, bindings: Sequence[Binding]) -> Iterator[str]:
    """A nominated pod is known and unbound."""
    for key, node in scheduler.queue.nominator.node_of.items():
        pod = scheduler.handle.listers.pods.get(key)
        if pod is None or pod.node_name:
            yield f"{key} is nominated to {node}, and waits no more"


def the_gone_hold_nothing(scheduler: Scheduler, bindings: Sequence[Binding]) -> Iterator[str]:
    """An assumed pod is known and not being deleted, or its wait on Permit has been signalled already."""
    known, waiting = scheduler.handle.listers.pods, scheduler.handle.waiting
    for identity in scheduler.cache.assumed:
        pod = scheduler.cache.pods[identity].pod
        there, permit = known.get(pod.key), waiting.get(pod)
        if (there is None or there.uid != pod.uid or there.terminating) and (permit is None or permit.signal is None):
            yield f"{pod} is gone, and takes room on {pod.node_name}"


CLAIMS: tuple[Claim, ...] = (
    the_cache_adds_up,
    the_cache_counts_nodes,
    a_pod_is_in_one_place,
    no_pod_is_lost,
    pods_at_permit_are_in_flight,
    active_pods_have_backed_off,
    nominated_pods_are_unbound,
    the_gone_hold_nothing,
)
"""All claims except that on the snapshot, whose check brings the snapshot up to date."""


def complaints(scheduler: Scheduler, bindings: Sequence[Binding]) -> list[str]:
    """Return the violations, each with the name of its claim."""
    return [f"{claim.__name__}: {each}" for claim in CLAIMS for each in claim(scheduler, bindings)]

"""The volumes that the production scheduler assumes for a pod that is being bound, compared with the specification.

`set_aside` is the value by the definitions; `assumes_and_releases_volumes` claims that a state changes exactly by it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from schedcheck.model.production.machine.machine import State
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import ClaimReference, PersistentVolume, PersistentVolumeClaim, Storage
from schedcheck.spec.volumes.binding import claims_of
from schedcheck.spec.volumes.matching import Wanted, taken, to_provision


class SetAside(NamedTuple):
    """Assumed volumes and claims, in the form in which they will be written."""

    volumes: frozenset[PersistentVolume] = frozenset()
    claims: frozenset[PersistentVolumeClaim] = frozenset()


def set_aside(pod: Pod, node: Node, storage: Storage) -> SetAside:
    """Return the volumes assumed for the pod's claims on the node, and the claims to be provisioned there."""
    waiting = claims_of(pod, storage).waiting
    others = sorted((each for each in waiting if each.claim.selected_node is None), key=lambda each: each.claim.request)
    matched = ((volume, _reference(claim)) for claim, volume in taking(tuple(others), node, frozenset()))
    provisioned = (claim for claim in to_provision(waiting, node) if claim.selected_node is None)
    return SetAside(
        frozenset(replace(volume, claim=reference) for volume, reference in matched if volume.claim != reference),
        frozenset(replace(claim, selected_node=node.name) for claim in provisioned),
    )


def taking(
    waiting: tuple[Wanted, ...], node: Node, others: frozenset[str]
) -> tuple[tuple[PersistentVolumeClaim, PersistentVolume], ...]:
    """Return the claims that find a volume on the node, with it. Each in turn takes one that is not in `others`."""
    if waiting == ():
        return ()
    first, rest = waiting[0], waiting[1:]
    volume = taken(first, node, others)
    if volume is None:
        return taking(rest, node, others)
    return ((first.claim, volume), *taking(rest, node, others | {volume.name}))


def _reference(claim: PersistentVolumeClaim) -> ClaimReference:
    return ClaimReference(claim.namespace, claim.name, claim.uid)


def assumes_and_releases_volumes(known: Callable[[State], Snapshot]) -> Callable[[State, Any, State], bool]:
    """Exactly the specified volumes are assumed when a binding begins, and given back if it fails.

    `known` is the knowledge of the scheduler.
    """

    def holds(before: State, action: Any, after: State) -> bool:
        was, now = ({each.pod.key: each for each in state.memory.bindings} for state in (before, after))
        assumed = {pod.key for pod in after.memory.assumed}
        volumes = {each.name: each for each in before.memory.volumes}
        claims = {each.key: each for each in before.memory.claims}
        for key in was.keys() - now.keys() - assumed:
            volumes = {name: each for name, each in volumes.items() if name not in was[key].reserved.volumes}
            claims = {name: each for name, each in claims.items() if name not in was[key].reserved.claims}
        there = known(before)
        for key in now.keys() - was.keys():
            node = next(node for node in there.nodes if node.name == now[key].node)
            more = set_aside(now[key].pod, node, there.storage)
            volumes |= {each.name: each for each in more.volumes}
            claims |= {each.key: each for each in more.claims}
        memory = after.memory
        return set(memory.volumes) == set(volumes.values()) and set(memory.claims) == set(claims.values())

    return holds

"""Broken twins of the production scheduler's volume handling, each installed by a function of a patch"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from frozendict import frozendict
from pytest import MonkeyPatch

from schedcheck.model.production.framework.status import SKIP, SUCCESS
from schedcheck.model.production.plugins import node_volume_limits, volume_binding, volume_restrictions, volume_zone
from schedcheck.model.production.plugins.dynamic_resources import DynamicResources
from schedcheck.model.production.plugins.volume_binding import RESERVED, VolumeBinding
from schedcheck.model.production.plugins.volume_restrictions import FilterState, VolumeRestrictions
from schedcheck.model.production.snapshot.snapshot import Trial
from schedcheck.model.production.volumes import matching
from schedcheck.model.production.volumes.assumed import AssumedVolumes, Reserved
from schedcheck.model.production.volumes.attachments import Attachments, Counted

Twin = Callable[[MonkeyPatch], None]


def put(owner: Any, name: str, twin: Any) -> Twin:
    """The patch that replaces an attribute of the owner."""

    def patched(patch: MonkeyPatch) -> None:
        patch.setattr(owner, name, twin)

    patched.__name__ = name
    return patched


def one_too_many(patch: MonkeyPatch) -> None:
    """A driver attaches one volume too many."""
    tried, everywhere = Counted.exceeded_by, Attachments.exceeded_by

    def raised(limits: Mapping[str, int]) -> frozendict[str, int]:
        return frozendict({driver: limit + 1 for driver, limit in limits.items()})

    def lenient(made: Counted, new: Any) -> bool:
        return tried(replace(made, node=replace(made.node, allocatable=raised(made.node.allocatable))), new)

    patch.setattr(Counted, "exceeded_by", lenient)
    patch.setattr(
        Attachments, "exceeded_by", lambda made, new, limits, rows: everywhere(made, new, raised(limits), rows)
    )


def released_volumes_wake_no_pod(patch: MonkeyPatch) -> None:
    """Released volumes move no pod."""

    def unreserve(self: VolumeBinding, state: Any, pod: Any, node: str) -> None:
        self._handle.assumed.forget(state.read(RESERVED, Reserved))
        state.delete(RESERVED)

    patch.setattr(VolumeBinding, "unreserve", unreserve)


def all_given_back(patch: MonkeyPatch) -> None:
    """Releasing the assumed volumes of a pod releases those of all others too."""

    def forget(self: AssumedVolumes, reserved: Reserved) -> Any:
        found = list(self.volumes.values()), list(self.claims.values())
        self.volumes.clear()
        self.claims.clear()
        return found

    patch.setattr(AssumedVolumes, "forget", forget)


def largest_first(patch: MonkeyPatch) -> None:
    """A claim takes the largest suitable volume."""
    waiting = matching.waiting

    def turned(claim: Any, storage: Any) -> Any:
        found = waiting(claim, storage)
        return replace(found, volumes=(*found.volumes[: found.kept], *reversed(found.volumes[found.kept :])))

    patch.setattr(volume_binding, "waiting", turned)


never_given_back = put(VolumeBinding, "unreserve", lambda self, state, pod, node: None)
never_set_aside = put(VolumeBinding, "reserve", lambda self, state, pod, node: SUCCESS)
blind_to_what_is_assumed = put(VolumeBinding, "_storage", property(lambda self: self._handle.listers.storage))
removals_from_claims_are_ignored = put(VolumeRestrictions, "remove_pods", lambda self, state, pod, nodes, infos: None)
additions_to_claims_are_ignored = put(VolumeRestrictions, "add_pods", lambda self, state, pod, nodes, infos: None)
detachments_are_ignored = put(node_volume_limits, "may_be_detached", lambda pod, before, after: False)
freed_volumes_are_ignored = put(volume_restrictions, "frees_a_volume", lambda pod, before, after: False)
mounted_twice = put(volume_restrictions, "_mounted", lambda pod, nodes: np.zeros(len(nodes), bool))
claims_of_all_worlds = put(FilterState, "at", lambda self, nodes: np.full(len(nodes), self.used))
trials_without_volumes = put(Trial, "users", lambda self, world, row: self.table.volume_users.on(row))
everywhere_in_zone = put(volume_zone, "places_of", lambda volume: ())
out_of_all_reach = put(
    volume_binding, "within_reach", lambda terms, nodes: np.full(len(nodes), terms is None)
)  # fmt: skip
room_for_all = put(matching, "_with_room", lambda claim, made_by, nodes, storage: np.ones(len(nodes), bool))
made_anywhere = put(matching, "_in_topologies", lambda made_by, nodes: np.ones(len(nodes), bool))
devices_for_all = put(DynamicResources, "pre_filter", lambda self, state, pod, snapshot: (SKIP, None))

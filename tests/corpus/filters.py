"""Defects of single filters: `FILTERS`"""

from dataclasses import replace
from typing import Any

import numpy as np
from frozendict import frozendict
from pytest import MonkeyPatch

from schedcheck.model.production.cycle import algorithm
from schedcheck.model.production.cycle.diagnosis import CycleError
from schedcheck.model.production.framework.filtering import pre_filtered
from schedcheck.model.production.plugins import inter_pod_affinity
from schedcheck.model.production.snapshot import pod_info
from schedcheck.model.production.snapshot.snapshot import Snapshot
from schedcheck.spec.terms import Affinity
from tests.corpus.decisions import Decided, K, hosts, named, only, put
from tests.support.building import UNIT, container, near, node, node_term, pod, selector, snapshot, term

SHRINKING = replace(container(1), actual=frozendict(cpu=4 * UNIT))


def among_the_named(patch: MonkeyPatch) -> None:
    """The start of the next search is counted among the nodes that PreFilter names instead of all nodes."""
    feasible = algorithm._feasible

    def counting(framework: Any, state: Any, info: Any, there: Any, *others: Any) -> Any:
        found, mode, start = feasible(framework, state, info, there, *others)
        names = pre_filtered(framework, state, info, there).names
        return found, mode, start % len(there if names is None else there.some(sorted(names)))

    patch.setattr(algorithm, "_feasible", counting)


def all_must_be_there(patch: MonkeyPatch) -> None:
    """A name in the PreFilter result without a node ends the cycle in an error."""
    some = Snapshot.some

    def strict(self: Snapshot, names: Any) -> Any:
        if any(self.node(name) is None for name in names):
            raise CycleError("nodeinfo not found")
        return some(self, names)

    patch.setattr(Snapshot, "some", strict)


def each_term_by_itself(state: Any, nodes: Any) -> Any:
    """Each affinity term may be satisfied by a different pod, on the node itself."""
    counts = [inter_pod_affinity._counted(inter_pod_affinity._spoken_of(each, nodes), nodes)[0] for each in state.near]
    return np.logical_and.reduce([each[nodes.rows] > 0 for each in counts])


FILTERS = (
    Decided(
        f"{K}130784",
        pod(affinity=near(term(selected=selector(l1="x")), term(selected=selector(l2="x")))),
        snapshot(*hosts(n1=0), pod("a", 0, "n1", labels={"l1": "x"}), pod("b", 0, "n1", labels={"l2": "x"})),
        only("Wait(p)"), put(inter_pod_affinity, "_near", each_term_by_itself),
    ),
    Decided(
        f"{K}117765", pod(cpu=2), snapshot(node("n1", 4), pod("a", on="n1", containers=(SHRINKING,))), only("Wait(p)"),
        put(pod_info, "occupied", lambda each, departures: pod_info.rounded(pod_info.requested(each))),
    ),
    Decided(
        f"{K}124930", pod(affinity=Affinity(node_required=(node_term(fields=(named("ghost"),)),))),
        snapshot(node("n1"), node("n2")), only("Wait(p)"), among_the_named,
    ),
    # Upstream the volume names the nodes, here the pod does; the origin of the names makes no difference.
    Decided(
        f"{K}123465",
        pod(affinity=Affinity(node_required=tuple(node_term(fields=(named(name),)) for name in ("n1", "gone")))),
        snapshot(node("n1")), only("Bind(p, n1)"), all_must_be_there,
    ),
)  # fmt: skip

"""Defects of single decisions with extenders: `EXTENDED`"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from frozendict import frozendict
from pytest import MonkeyPatch

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle import algorithm
from schedcheck.model.production.extenders import messages
from schedcheck.model.production.framework.status import Code, Status
from schedcheck.model.production.preemption import evaluator, victims
from schedcheck.model.production.snapshot import pod_info
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.model.production.snapshot.snapshot import Snapshot as Seen
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.scenarios import guarding
from tests.corpus.decisions import FOO, K, guarded, only, put
from tests.support.building import container, node, pod, snapshot
from tests.support.extending import Ruled, adding, only_on

FULL = pod("v", 1, "n1", priority=1)
MENDED = DEFAULT_PLUGINS.departing(DEFAULT_PLUGINS.departures - {Departure.NEEDLESS_PREEMPTION_FAILS})
"""Every version that is specified has this defect."""
WITHOUT_SCORES = replace(
    DEFAULT_PLUGINS, points=frozendict({**DEFAULT_PLUGINS.points, "preScore": (), "score": ()})
)  # fmt: skip


@dataclass(frozen=True)
class Extended:
    """A defect of this number; `right` contains all allowed decisions about the pod with these extenders, as texts."""

    id: str
    pod: Pod
    there: Snapshot
    extenders: tuple[Ruled, ...]
    right: frozenset[str]
    defect: Callable[[MonkeyPatch], None]
    plugins: Plugins = DEFAULT_PLUGINS


def without_violations(patch: MonkeyPatch) -> None:
    """The number of violated budgets is lost in the answer of the extender."""
    result = messages.preemption_result
    patch.setattr(
        messages, "preemption_result", lambda answer: {n: (uids, 0) for n, (uids, _) in result(answer).items()}
    )


def nothing_is_hopeless(patch: MonkeyPatch) -> None:
    """An unresolvable rejection by an extender counts as a resolvable one."""
    result = messages.filter_result

    def soft(*given: Any, **named: Any) -> Any:
        said = result(*given, **named)
        return replace(said, failed={**said.failed, **said.hopeless}, hopeless={})

    patch.setattr(messages, "filter_result", soft)


def victims_are_needed(patch: MonkeyPatch) -> None:
    """A node on which the pod already fits is an error of preemption, even if extenders remain to be asked."""
    victims_on = victims.victims_on

    def strict(*given: Any) -> Any:
        said = victims_on(*given)
        wrong = Status(Code.ERROR, ("expected at least one victim pod",))
        return [wrong if not isinstance(each, Status) and not each.victims else each for each in said]

    patch.setattr(victims, "victims_on", strict)


def first_fit(patch: MonkeyPatch) -> None:
    """Without scores the first node that passes the plugins is enough, even if an extender rejects it."""
    filtered = algorithm._filtered
    patch.setattr(
        algorithm, "_filtered",
        lambda framework, state, info, nodes, enough, diagnosis: filtered(framework, state, info, nodes, 1, diagnosis),
    )  # fmt: skip


def bare_nodes(patch: MonkeyPatch) -> None:
    """The nodes returned by an extender have no pods."""
    kept_by_extenders = algorithm._kept_by_extenders

    def rebuilt(info: Any, nodes: Nodes, extenders: Any, statuses: Any) -> Nodes:
        kept = kept_by_extenders(info, nodes, extenders, statuses)
        cache, seen = Cache(), Seen()
        for row in kept.rows:
            cache.add_node(kept.table.node(int(row)))
        cache.update(seen)
        return Nodes(seen.table, np.array([seen.table.row_of[name] for name in kept.names()], np.int64))

    patch.setattr(algorithm, "_kept_by_extenders", rebuilt)


def sidecars_as_steps(patch: MonkeyPatch) -> None:
    """The requests of a sidecar count like those of a plain init container."""
    requested = pod_info.requested

    def pooled(each: Pod, **named: Any) -> Any:
        ending = tuple(replace(one, sidecar=False) for one in each.init_containers)
        return requested(replace(each, init_containers=ending), **named)

    patch.setattr(pod_info, "requested", pooled)


HIGH = pod(cpu=1, priority=10)
TWO = (node("n1", 1), node("n2", 1), pod("a", 1, "n1", priority=1), pod("b", 1, "n2", priority=2))

EXTENDED: tuple[Extended, ...] = (
    Extended(
        f"{K}105853", HIGH,
        guarded(
            snapshot(node("n1", 1), node("n2", 1), pod("a", 1, "n1", priority=1, labels=FOO), pod("b", 1, "n2", priority=2)),
            guarding("budget", foo="x"),
        ),
        (Ruled(choosing=lambda offered: offered),), only("Nominate(p, n2, {b})"), without_violations,
    ),
    Extended(
        f"{K}91281", HIGH, snapshot(node("n1", 1), node("n2", 1), pod("b", 1, "n2", priority=5), pod("c", 0, "n1")),
        (Ruled(hopeless=lambda each: each.name == "n1"), Ruled(choosing=adding("n1", pod("c", 0, "n1")))),
        only("Nominate(p, n2, {b})"), nothing_is_hopeless,
    ),
    Extended(
        f"{K}102971", HIGH, snapshot(*TWO), (Ruled(choosing=only_on("n2")),), only("Nominate(p, n2, {b})"),
        put(evaluator, "asked", lambda extenders, one, candidates: candidates),
    ),
    Extended(
        f"{K}139270", HIGH, snapshot(node("n1", 4), FULL),
        (Ruled(failing=lambda each: True, choosing=adding("n1", FULL)),), only("Nominate(p, n1, {v})"),
        victims_are_needed, MENDED,
    ),
    Extended(
        f"{K}122057", pod(), snapshot(node("n1"), node("n2")), (Ruled(failing=lambda each: each.name == "n1"),),
        only("Bind(p, n2)"), first_fit, WITHOUT_SCORES,
    ),
    Extended(
        f"{K}141781", pod(cpu=1), snapshot(node("busy", 4), node("idle", 4), pod("a", 3, "busy")),
        (Ruled(failing=lambda each: False),), only("Bind(p, idle)"), bare_nodes,
    ),
    Extended(
        "Project-HAMi/HAMi#1773",
        pod(containers=(container(**{"example.com/gpu": 1}),), init_containers=(container(sidecar=True, **{"example.com/gpu": 1}),)),
        snapshot(node("n1", allocatable={"example.com/gpu": 1})), (Ruled(failing=lambda each: False),), only("Wait(p)"),
        sidecars_as_steps,
    ),
)  # fmt: skip

"""Defects of single decisions about victims: `VICTIMS`"""

from typing import Any

from pytest import MonkeyPatch

from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import SUCCESS, Status
from schedcheck.model.production.preemption import victims
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.worlds import World
from schedcheck.model.production.snapshot.lower_pods import LowerPods
from schedcheck.model.production.snapshot.node_table import NodeTable
from tests.corpus.decisions import GONE_SOON, Decided, only, put
from tests.support.building import node, pod, snapshot


def nominated_where_a_pod_terminates(patch: MonkeyPatch) -> None:
    """A pod without potential victims is nominated to a node where a pod terminates."""
    preempt = Evaluator.preempt

    def hopeful(self: Evaluator, *given: Any) -> Any:
        result, status = preempt(self, *given)
        table: NodeTable = self._handle.snapshot.table
        leaving = [
            name for name, row in table.row_of.items() if any(each.pod.terminating for each in table.pods_on(row))
        ]
        return (PostFilterResult(leaving[0]), SUCCESS) if leaving and not status.success else (result, status)

    patch.setattr(Evaluator, "preempt", hopeful)


def though_it_does_not_help(patch: MonkeyPatch) -> None:
    """All pods of lower priority are evicted even if the preemptor does not fit then."""
    victims_on = victims.victims_on

    def hasty(framework: Any, state: Any, info: Any, nodes: Any) -> Any:
        said = victims_on(framework, state, info, nodes)
        lower = [nodes.table.pods_below(int(row), info.pod.priority) for row in nodes.rows]
        return [
            World(there.by_importance, lost=[True] * len(there.infos))
            if isinstance(each, Status) and there.infos
            else each
            for each, there in zip(said, lower, strict=True)
        ]

    patch.setattr(victims, "victims_on", hasty)


def of_the_same_priority(self: NodeTable, row: int, priority: int) -> Any:
    return LowerPods(tuple(each for each in self.pods_on(row) if each.pod.priority <= priority))


VICTIMS = (
    Decided(
        "volcano-sh/volcano@f8e7847dc", pod(cpu=1), snapshot(node("n1", 1), pod("x", 1, "n1", terminating=True)),
        only("Wait(p)"), nominated_where_a_pod_terminates,
    ),
    Decided(
        "volcano-sh/volcano@c64b2ec49", pod(cpu=2, priority=5),
        snapshot(node("n1", 3), pod("low", 1, "n1", priority=1), pod("high", 2, "n1", priority=9)), only("Wait(p)"),
        though_it_does_not_help,
    ),
    Decided(
        "apache/yunikorn-core YUNIKORN-2795", pod(cpu=1), snapshot(node("n1", 1), pod("b", 1, "n1")), only("Wait(p)"),
        put(NodeTable, "pods_below", of_the_same_priority),
    ),
    Decided(
        "apache/yunikorn-core YUNIKORN-3003", pod(cpu=1, priority=10),
        snapshot(node("n1", 1), pod("v", 1, "n1", priority=1, **GONE_SOON),
                 pod("p1", 1, priority=10, nominated_node_name="n1")),
        only("Wait(p)"), put(victims, "put_nominated", lambda *_: None),
    ),
)  # fmt: skip

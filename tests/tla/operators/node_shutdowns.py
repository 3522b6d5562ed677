"""The operators of graceful node shutdown with their twins: `TWINS`

In Python a shutdown has the slots of its node and pods, in TLA+ their names. Here the slot of a pod or node is its place in
the snapshot, and one slot more stands for a node that is gone.
"""

from typing import Any

from frozendict import frozendict

from schedcheck.model.controllers.node_shutdown import Shutdown, Shutdowns, begin, group_of
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node
from tests.tla.operators.cases import Case
from tests.tla.operators.told import Fields
from tests.tla.operators.twin import Twin

PRIORITIES = (-3, 1, 5, 6)
"""Those of the kubelets; pods of the random snapshots have priorities from 0 to 11."""

GONE = "gone"


def names(case: Case) -> tuple[str, ...]:
    """The names of the nodes by slot, the last one that of no node."""
    return (*(node.name for node in case.snapshot.nodes), GONE)


def told(case: Case, shutdown: Shutdown) -> Fields:
    """The shutdown as a record."""

    def keys(group: Any) -> frozenset[tuple[str, str]]:
        return frozenset(case.snapshot.pods[slot].key for slot in group)

    return Fields(
        frozendict(
            Node=names(case)[shutdown.node],
            Waiting=tuple(map(keys, shutdown.waiting)),
            Killed=keys(shutdown.killed),
            Overdue=keys(shutdown.overdue),
        )
    )


def of(case: Case, record: Fields) -> Shutdown:
    """The shutdown of a record."""
    slots = {pod.key: slot for slot, pod in enumerate(case.snapshot.pods)}

    def group(keys: Any) -> tuple[int, ...]:
        return tuple(sorted(slots[key] for key in keys))

    given = record.values
    waiting = tuple(map(group, given["Waiting"]))
    return Shutdown(names(case).index(given["Node"]), waiting, group(given["Killed"]), group(given["Overdue"]))


def drawn(case: Case, where: str = "") -> Fields:
    """Any pods in groups, most of them of the node."""
    node = where or case.one(names(case))
    groups: list[list[int]] = [[] for _ in range(5)]
    for slot, pod in enumerate(case.snapshot.pods):
        if pod.node_name == node or case.random.random() < 0.3:
            groups[case.random.randrange(5)].append(slot)
    killed, overdue, *waiting = map(tuple, groups)
    return told(case, Shutdown(names(case).index(node), tuple(filter(None, waiting)), killed, overdue))


def some(case: Case) -> frozenset[Any]:
    """One shutdown for each of some nodes."""
    return frozenset(drawn(case, node) for node in sorted(case.some(names(case))))


def lasting(case: Case, shutdowns: Any) -> list[Fields]:
    """The shutdowns that last in the snapshot, without the pods that have left."""
    given = tuple(of(case, each) for each in shutdowns)
    nodes: tuple[Node | None, ...] = (*case.snapshot.nodes, None)
    left = Shutdowns((), PRIORITIES, {}).lasting(case.snapshot.pods, nodes, given)
    return [told(case, each) for each in left]


def of_a_node(case: Case) -> Fields:
    return drawn(case, case.node().name)


def expired(case: Case, shutdown: Fields) -> Fields:
    given = of(case, shutdown)
    late = tuple(sorted((*given.overdue, *given.killed)))
    return told(case, given._replace(killed=(), overdue=late).begun())


def begun(case: Case, node: Node) -> Fields:
    slot = case.snapshot.nodes.index(node)
    return told(case, begin(slot, node, case.snapshot.pods, PRIORITIES))


SHUTDOWN = {"Shutdown": drawn}

TWINS = (
    Twin("GroupOf", lambda priority: group_of(priority, PRIORITIES) + 1, {"Priority": lambda case: case.one((-4, -3, 0, 1, 4, 5, 6, 7))}),
    Twin("NotEnded", lambda name, snapshot: frozenset(pod for pod in snapshot.pods if pod.node_name == name and not completed(pod)), {"Name": lambda case: case.node().name}),
    Twin("Proceeding", lambda case, shutdown: told(case, of(case, shutdown).begun()), SHUTDOWN),
    Twin("ShutdownOf", begun),
    Twin("KnownTo", lambda case, shutdown: frozenset(case.snapshot.pods[slot].key for slot in of(case, shutdown).seen), SHUTDOWN),
    Twin("Expired", expired, SHUTDOWN),
    Twin("Lasting", lambda case, shutdown: lasting(case, (shutdown,))[0], {"Shutdown": of_a_node}),
    Twin("LastingOnes", lambda case, some: frozenset(lasting(case, some)), {"Some": some}),
)  # fmt: skip

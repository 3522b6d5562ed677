"""Node sampling: the number of feasible nodes that suffice, and the hosts then possible: `enough`, `sampled_hosts`.

The search begins where the last one ended, in an order of the nodes that a snapshot does not record. So any feasible
nodes, if there are enough of them, may be the ones found. Nodes that are found are scored as if there were no others.

Kubernetes 1.34: numFeasibleNodesToFind and findNodesThatPassFilters in pkg/scheduler/schedule_one.go.
"""

from itertools import combinations

from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import admitted, verdicts
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.select_host import choice, scores_of

FEWEST_NODES = 100
"""The least number of feasible nodes searched for; in a cluster with fewer nodes all are filtered."""

FEWEST_PERCENT = 5


def enough(nodes: int, plugins: Plugins) -> int:
    """Return the number of feasible nodes after which the search stops, in a cluster of `nodes` nodes."""
    percentage = plugins.percentage_of_nodes_to_score or max(FEWEST_PERCENT, 50 - nodes // 125)
    return nodes if nodes < FEWEST_NODES else min(nodes, max(FEWEST_NODES, nodes * percentage // 100))


def sampled_hosts(cycle: Cycle) -> frozenset[str]:
    """Return the nodes that may be chosen: those that score best in some sample of feasible nodes of sufficient size.

    If the choice does not depend on scores, these are the hosts of `choice`.
    """
    end = choice(cycle)
    names = admitted(verdicts(cycle))
    wanted = enough(len(cycle.infos), cycle.plugins)
    if end.mode != "scored" or len(names) <= wanted:
        return frozenset(end.hosts)
    return frozenset(host for found in combinations(names, wanted) for host in scores_of(cycle, found).best)

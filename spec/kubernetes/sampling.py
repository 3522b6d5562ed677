"""How many feasible nodes kube-scheduler looks for, and which nodes may then be chosen: `enough`, `sampled_hosts`.

The search begins where the last one ended, and goes by an order of the nodes that a snapshot does not show; so any nodes,
if they are enough, may be those that are found. What is found is scored as if there were no others.

Kubernetes 1.34: numFeasibleNodesToFind and findNodesThatPassFilters in pkg/scheduler/schedule_one.go.
"""

from itertools import combinations

from schedcheck.spec.kubernetes.cycle import Cycle, admitted, verdicts
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.select_host import choice, scores_of

FEWEST_NODES = 100
"""How many feasible nodes are looked for in any case; clusters with fewer nodes are looked at whole."""

FEWEST_PERCENT = 5


def enough(nodes: int, plugins: Plugins) -> int:
    """How many feasible nodes are enough among so many nodes."""
    percentage = plugins.percentage_of_nodes_to_score or max(FEWEST_PERCENT, 50 - nodes // 125)
    return nodes if nodes < FEWEST_NODES else min(nodes, max(FEWEST_NODES, nodes * percentage // 100))


def sampled_hosts(cycle: Cycle) -> frozenset[str]:
    """The nodes that are best among some feasible nodes that are enough; all that may be chosen where it is no matter of scores."""
    end = choice(cycle)
    names = admitted(verdicts(cycle))
    wanted = enough(len(cycle.infos), cycle.plugins)
    if end.mode != "scored" or len(names) <= wanted:
        return frozenset(end.hosts)
    return frozenset(host for found in combinations(names, wanted) for host in scores_of(cycle, found).best)

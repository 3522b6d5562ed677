"""The second half of a scheduling cycle of Kubernetes: scoring, and the nodes that may be chosen.

Kubernetes 1.34: pkg/scheduler/schedule_one.go, schedulePod, prioritizeNodes, selectHost.

Not modelled: extenders, and how many nodes are filtered.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import Verdict, admitted, failure, verdicts
from schedcheck.spec.kubernetes.scores.scored import Scored, scored


@dataclass(frozen=True)
class Choice:
    """The end of a cycle: scheduled, unschedulable or error, with the nodes that may be chosen.

    `mode` is nominated if the nominated node is feasible, single if exactly one node is feasible, or scored; empty
    unless the pod is scheduled. `error` is the message of an error.
    """

    kind: str
    mode: str = ""
    hosts: tuple[str, ...] = ()
    error: str = ""


def scores_of(cycle: Cycle, names: tuple[str, ...]) -> Scored:
    """Return the scores of the feasible nodes of these names, also where kube-scheduler would not score them."""
    chosen = frozenset(names)
    nodes = tuple(info.node for info in cycle.infos if info.node.name in chosen)
    return scored(cycle.pod, nodes, cycle.snapshot, cycle.plugins) if nodes else Scored()


def choice(cycle: Cycle) -> Choice:
    r"""Return the end of the cycle: the nodes to which the pod may be bound, or why there are none.

    TLA+: Choice(Pod, Snapshot) ==
            LET Possible == Feasible(Pod, Snapshot)
                Own == {Node \in Possible : Node.Name = Pod.Status.NominatedNodeName}
                Found == Scored(Pod, Possible, Snapshot)
                Ends(Kind, Mode, Hosts) == [Kind |-> Kind, Mode |-> Mode, Hosts |-> Hosts]
            IN IF Own # {} THEN Ends("scheduled", "nominated", Own)
               ELSE IF Failure(Pod, Snapshot) THEN Ends("error", "", {})
               ELSE IF Possible = {} THEN Ends("unschedulable", "", {})
               ELSE IF Cardinality(Possible) = 1 THEN Ends("scheduled", "single", Possible)
               ELSE IF Found.Error THEN Ends("error", "", {})
               ELSE Ends("scheduled", "scored", Found.Best)
    """
    return choice_of(cycle, verdicts(cycle))


def choice_of(cycle: Cycle, found: Mapping[str, Verdict]) -> Choice:
    """Return the end of a cycle with these verdicts; the nodes are scored only if the choice depends on scores."""
    names = admitted(found)
    return choice_among(cycle, found, scores_of(cycle, names if open_to_scores(cycle, names) else ()))


def open_to_scores(cycle: Cycle, names: tuple[str, ...]) -> bool:
    """Whether scores decide among these feasible nodes: there are several, and none is the nominated node."""
    return len(names) > 1 and cycle.pod.nominated_node_name not in names


def choice_among(cycle: Cycle, found: Mapping[str, Verdict], scores: Scored) -> Choice:
    """Return the end of a cycle with these verdicts and scores. An error in scoring counts only if scores decide."""
    names, failing = admitted(found), failure(found)
    if cycle.pod.nominated_node_name in names:
        return Choice("scheduled", "nominated", (cycle.pod.nominated_node_name,))
    if failing is not None:
        return Choice("error", error=failing)
    if len(names) == 0:
        return Choice("unschedulable")
    if len(names) == 1:
        return Choice("scheduled", "single", names)
    return Choice("scheduled", "scored", scores.best) if scores.error is None else Choice("error", error=scores.error)

"""The plugin NodeAffinity: nodeSelector, and required and preferred node affinity.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeaffinity.
"""

from collections.abc import Sequence

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, error, unresolvable
from schedcheck.model.production.framework.verdicts import UNRESOLVED, Verdicts
from schedcheck.model.production.plugins.normalizing import proportional
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_affinity import NAME_FIELD, faults, matching, matching_any, required
from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm

ENFORCED = "node(s) didn't match scheduler-enforced node affinity"
UNMATCHED = "node(s) didn't match Pod's node affinity/selector"
CONFLICT = "pod affinity terms conflict"


class NodeAffinity:
    """A plugin for node affinity: nodeSelector and required terms reject nodes, preferred terms score them.

    The plugin's arguments may add terms for every pod.
    """

    name = "NodeAffinity"
    looks_at_no_pods = True

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._added = arguments.added_affinity

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Skip if nothing is required; narrow the nodes to the names in matchFields if every term has names."""
        asked = pod.pod
        terms = asked.affinity.node_required
        silent = not asked.node_selector and not asked.empty_node_selector and not terms
        if silent and self._added.required is None:
            return SKIP, None
        names = [_names(term) for term in terms]
        if not names or None in names:
            return SUCCESS, None
        named = frozenset[str]().union(*(each for each in names if each is not None))
        return (SUCCESS, named) if named else (unresolvable(CONFLICT), None)

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes that do not match; the reason of the added terms takes precedence."""
        matched = required(pod.pod, nodes)
        enforced = np.ones(len(nodes), bool)
        if self._added.required is not None:
            enforced = matching_any(self._added.required, nodes)
        codes = (~(matched & enforced)).astype(np.int8) * UNRESOLVED
        return Verdicts(codes, (~enforced).astype(np.int64), lambda reason: (ENFORCED if reason else UNMATCHED,))

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """Skip if nothing is preferred; return an error if a preferred term cannot be parsed."""
        preferred = pod.pod.affinity.node_preferred
        if not preferred and not self._added.preferred:
            return SKIP
        wrong = [
            f"[{place}].matchExpressions[{number}].{fault}"
            for place, each in enumerate(preferred)
            if _counts(each)
            for number, requirement in enumerate(each.term.match_expressions)
            for fault in faults(requirement)
        ]
        distinct = list(dict.fromkeys(wrong))
        if distinct:
            return error(distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]")
        return SUCCESS

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers:
        """Return for each node the sum of the weights of the preferred terms that it matches."""
        total = np.zeros(len(nodes), np.int64)
        for each in (*self._added.preferred, *pod.pod.affinity.node_preferred):
            if _counts(each):
                total += matching(each.term, nodes) * each.weight
        return total

    def normalize(self, state: CycleState, pod: PodInfo, nodes: Nodes, scores: Numbers) -> Numbers:
        """Map the greatest score to 100."""
        return proportional(scores)

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: nodes added or relabelled."""
        node = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)
        return (EventOfInterest(node, self.may_match),)

    def may_match(self, pod: Pod, before: Node | None, after: Node) -> bool:
        """Whether the node matches the pod's requirements, and did not before."""
        return self._matches(pod, after) and (before is None or not self._matches(pod, before))

    def _matches(self, pod: Pod, node: Node) -> bool:
        alone = NodeTable(1)
        alone.put(NodeInfo(node))
        nodes = Nodes(alone, np.zeros(1, np.int64))
        return not self.filter(CycleState(), PodInfo(pod), nodes).codes.any()


def _counts(preferred: PreferredNodeTerm) -> bool:
    """Whether a preferred term counts: it is not empty, and its weight is not 0."""
    return preferred.weight != 0 and preferred.term != NodeSelectorTerm()


def _names(term: NodeSelectorTerm) -> frozenset[str] | None:
    """Return the node names that every In on metadata.name in the term allows, None if it has none."""
    lists = [frozenset(each.values) for each in term.match_fields if (each.key, each.operator) == (NAME_FIELD, "In")]
    return frozenset.intersection(*lists) if lists else None

"""Teams: a team's pods go to the team's nodes, so many to each at most, and first to where the fewest are."""

from collections.abc import Mapping

from schedcheck.plugin import CycleState, Handle, Node, Nodes, Numbers, Pod, PodInfo, Status, Verdicts
from schedcheck.plugin import proportional, ratings, refusals, unresolvable, unschedulable


class Teams:
    name = "Teams"

    def __init__(self, arguments: Mapping[str, int], handle: Handle) -> None:
        self.most = arguments.get("most", 2)

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        def says(node: Node, pods: tuple[Pod, ...]) -> Status | None:
            if node.labels.get("team") != pod.pod.labels.get("team"):
                return unresolvable("node(s) were another team's")
            return unschedulable("node(s) had enough of the team") if mates(pod.pod, pods) >= self.most else None

        return refusals(nodes, says)

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers:
        return ratings(nodes, lambda node, pods: mates(pod.pod, pods))

    def normalize(self, state: CycleState, pod: PodInfo, nodes: Nodes, scores: Numbers) -> Numbers:
        return proportional(scores, reverse=True)


def mates(pod: Pod, pods: tuple[Pod, ...]) -> int:
    return sum(other.labels.get("team") == pod.labels.get("team") for other in pods)

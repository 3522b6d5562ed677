"""Teams: a team's pods go to the team's nodes, a limited number to each, first to the node with the fewest."""

from schedcheck import plugin
from schedcheck.plugin import Nodes, Pod, PodInfo, Status


class Teams:
    name = "Teams"

    def __init__(self, arguments: plugin.Arguments, handle: plugin.Handle) -> None:
        self.most = arguments.get("most", 2)

    def filter(self, state: plugin.CycleState, pod: PodInfo, nodes: Nodes) -> plugin.Verdicts:
        def says(node: plugin.Node, pods: tuple[Pod, ...]) -> Status | None:
            if node.labels.get("team") != pod.pod.labels.get("team"):
                return plugin.unresolvable("node(s) were another team's")
            return plugin.unschedulable("node(s) had enough of the team") if mates(pod, pods) >= self.most else None

        return plugin.refusals(nodes, says)

    def score(self, state: plugin.CycleState, pod: PodInfo, nodes: Nodes) -> plugin.Numbers:
        return plugin.ratings(nodes, lambda node, pods: mates(pod, pods))

    def normalize(self, state: object, pod: PodInfo, nodes: Nodes, scores: plugin.Numbers) -> plugin.Numbers:
        return plugin.proportional(scores, reverse=True)


def mates(pod: PodInfo, pods: tuple[Pod, ...]) -> int:
    return sum(other.labels.get("team") == pod.pod.labels.get("team") for other in pods)

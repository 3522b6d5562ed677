"""The specified behaviour of the plugin Teams: nodes it rejects, its scores, and an invariant."""

from collections.abc import Mapping

from schedcheck.rule import Node, Pod, Refusal, Snapshot, always, filter, occupants, score, unresolvable


def team(thing: Pod | Node) -> str | None:
    return thing.labels.get("team")


@filter("Teams")
def own_nodes(pod: Pod, node: Node, snapshot: Snapshot, arguments: Mapping[str, int]) -> Refusal | str | None:
    if team(node) != team(pod):
        return unresolvable("node(s) were another team's")
    mates = [other for other in occupants(node, snapshot) if team(other) == team(pod)]
    return "node(s) had enough of the team" if len(mates) >= arguments.get("most", 2) else None


@score("Teams", best="least")
def fewest_first(pod: Pod, node: Node, snapshot: Snapshot) -> int:
    return sum(team(other) == team(pod) for other in occupants(node, snapshot))


@always
def among_themselves(snapshot: Snapshot) -> bool:
    """Every pod is on a node of its team."""
    return all(team(pod) == team(node) for node in snapshot.nodes for pod in occupants(node, snapshot))

"""The comparison of two schedulers as text: `show`, `show_smallest`. Names are never broken in the middle."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from schedcheck.report.text.findings import wrapped
from schedcheck.report.text.terminal import Terminal, counted, listed
from schedcheck.spec.decisions import Bind, Decision, Nominate
from schedcheck.spec.objects import Pod

MOST_NODES = 12
"""The most nodes shown for one pod; `--format json` has all."""

STAGES = {
    "seen": "only one of them takes the pod up",
    "filter": "filter",
    "score": "score",
    "preemption": "the choice of victims",
    "choice": "the choice among equal nodes",
    "group": "what becomes of the other pods of its group",
    "untold": "not told: the replies tell neither scores nor refusals that differ",
}


def heading(first: str, second: str) -> Iterator[str]:
    """Yield the two that are compared."""
    yield f"First   {first}"
    yield f"Second  {second}"
    yield ""


def show(found: Any, names: tuple[str, str], console: Terminal) -> None:
    """Print each pod that differs, those that are unknown, and the totals."""
    lines = [*heading(*names)]
    alike: dict[tuple[str, ...], list[str]] = {}
    for each in found.differences:
        alike.setdefault(tuple(_below(each, console.width)), []).append(str(each.pod))
    for below, pods in alike.items():
        lines += [*wrapped(f"{listed(pods, ', ')}: differ", console.width, ""), *below, ""]
    for pod, why in found.unknown:
        lines += wrapped(f"{pod}: unknown: {why}", console.width, "")
    lines += wrapped(totals(found), console.width, "")
    for line in lines:
        console.out(line, highlight=False)


def difference_lines(each: Any, width: int) -> Iterator[str]:
    """Yield what the two do with a pod, the first thing in which they differ, and the nodes that change."""
    yield from wrapped(f"{each.pod}: differ", width, "")
    yield from _below(each, width)


def _below(each: Any, width: int) -> Iterator[str]:
    """Yield what differs for a pod, without its name."""
    for name, side in (("first ", each.first), ("second", each.second)):
        yield from wrapped(f"{name}  {_said(side)}", width, "  ", "        ")
    yield from wrapped(f"because {_because(each)}", width, "  ", "        ")
    shown = [name for name in each.nodes if _matters(name, each)] or list(each.nodes)
    for name in shown[:MOST_NODES]:
        one, other = (side.nodes.get(name) for side in (each.first, each.second))
        yield from wrapped(f"- {name}: {_node(one, each, name)} -> {_node(other, each, name)}", width, "  ", "  ")
    if len(shown) > MOST_NODES:
        yield f"  - and {len(shown) - MOST_NODES:,} more nodes"


def _matters(name: str, each: Any) -> bool:
    """Whether one of the two finds the node feasible; else only the reasons of its refusal changed."""
    sides = (side.nodes.get(name) for side in (each.first, each.second))
    return any(node is not None and node.feasible is not False for node in sides)


def _said(side: Any) -> str:
    """Return what one of the two may do with the pod."""
    if side.unseen:
        return f"does not take it up: {side.unseen}"
    return side.group or decisions_text(side.decisions) or "leaves it in the queue"


def decisions_text(decisions: Sequence[Decision]) -> str:
    """Return the decisions that are allowed, those of one kind together."""
    binds = [each.node.name for each in decisions if isinstance(each, Bind)]
    if binds:
        return f"binds it to {'any one of ' if len(binds) > 1 else ''}{listed(binds)}"
    evicting = [f"{each.node}, evicting {_pods(each.victims)}" for each in decisions if isinstance(each, Nominate)]
    if evicting:
        return f"nominates it to {'; or to '.join(evicting)}"
    return "lets it wait" if decisions else ""


def _pods(victims: Iterable[Pod]) -> str:
    return listed(sorted(map(str, victims)), ", ") or "none"


def _because(each: Any) -> str:
    stage = STAGES[each.because.stage]
    plugin = f" {each.because.plugin}" if each.because.plugin else ""
    if each.because.stage == "score" and not plugin:
        stage = "the sums of the scores"
    where = f" on {listed(each.because.nodes, ', ')}" if each.because.nodes else ""
    return f"{stage}{plugin}{where}"


def _node(node: Any, each: Any, name: str) -> str:
    """Return the verdict on a node, with the score that differs if one does."""
    if node is None:
        return "not asked"
    if node.feasible is False:
        reasons = "; ".join(f"{refusal.plugin}: {', '.join(refusal.reasons)}" for refusal in node.refusals)
        return f"refused ({reasons})"
    if node.total is None:
        return "feasible"
    return f"feasible, sum {node.total}{_score(node.scores or {}, each)}"


def _score(scores: Mapping[str, Any], each: Any) -> str:
    found = scores.get(each.because.plugin)
    return "" if found is None else f", {each.because.plugin} {found.weighted} (raw {found.raw})"


def totals(found: Any) -> str:
    """Return how many pods were compared, and how many differ."""
    number = len(found.same) + len(found.differences)
    unknown = f", {len(found.unknown):,} unknown" if found.unknown else ""
    left = f"; {found.left:,} more were not compared ({found.stopped})" if found.left else ""
    return f"{counted(number, 'pending pod')} compared, {len(found.differences):,} differing{unknown}{left}"


def show_smallest(found: Any, names: tuple[str, str], yaml: str, console: Terminal) -> None:
    """Print the smallest cluster that differs with the reasons, or how far the search came."""
    lines = [*heading(*names)]
    if found.difference is not None:
        lines += [*difference_lines(found.difference, console.width), ""]
        number = counted(found.clusters, "cluster")
        lines += wrapped(f"The smallest cluster that differs; {number} before it do not:", console.width, "")
        lines.append("")
    else:
        lines += wrapped(bound(found), console.width, "")
    for line in lines:
        console.out(line, highlight=False)
    if found.difference is not None:
        console.out(yaml, highlight=False, end="")


def bound(found: Any) -> str:
    """Return how far the search came without a difference."""
    unknown = f"; nothing can be said of {found.unknown:,} of them" if found.unknown else ""
    if found.stopped:
        up_to = f"{found.objects:,} objects whose quantities sum to {found.quantities:,}"
        return f"No difference in the first {found.clusters:,} clusters, which are all up to {up_to} ({found.stopped}){unknown}."
    return (
        f"No difference in all {found.clusters:,} clusters of {len(found.domains)} domains, of up to {found.objects:,}"
        f" objects{unknown}. --format json describes the domains."
    )

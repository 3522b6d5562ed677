"""The opinion on the nodes that a scheduler found feasible, and on the best of them: `filtered`, `best`, `left_out`."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from frozendict import frozendict

from schedcheck.checker.opinions.known import Known, Seen
from schedcheck.checker.vectors.filtering import PASSED, prepared
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.filter import Verdict, narrowed_away, verdict, verdicts
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.sampling import enough
from schedcheck.spec.kubernetes.scores.scored import Scored
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import Code, Refusal

NO_REFUSALS: frozendict[str, Refusal] = frozendict()


@dataclass(frozen=True)
class Nodes:
    """The opinion on some nodes for a pod.

    refused
        The nodes that a filter certainly refuses.
    open
        The plugins about which nothing certain is known, each with the reason; nodes that are not known; and the error of
        a filter that fails, which would end the cycle, as its nodes are not refused.
    """

    refused: Mapping[str, Refusal] = NO_REFUSALS
    open: tuple[tuple[str, str], ...] = ()


def filtered(pod: Pod, nodes: Sequence[Node], names: Collection[str], known: Known, plugins: Plugins) -> Nodes:
    """Return the opinion on the nodes of these names; `nodes` were sent whole."""
    seen = known.seen(pod, nodes, plugins)
    there = seen.judge.there.place
    found = _verdicts(seen, [name for name in names if name in there])
    refusals = {name: each.refusal for name, each in found.items() if each.refusal is not None}
    failing = sorted(f"{each.plugin}: {'; '.join(each.reasons)}" for each in refusals.values() if _fails(each))
    unknown = tuple(name for name in names if name not in there)
    return Nodes(
        frozendict({name: each for name, each in refusals.items() if not _fails(each)}),
        (
            *seen.open,
            *((("node", f"not known: {', '.join(unknown[:3])}{' …' if len(unknown) > 3 else ''}"),) if unknown else ()),
            *((("error", failing[0]),) if failing else ()),
        ),
    )


def _fails(refusal: Refusal) -> bool:
    return refusal.code == Code.ERROR


def _verdicts(seen: Seen, names: Collection[str]) -> Mapping[str, Verdict]:
    """Return the verdicts on these nodes of the snapshot."""
    if not prepared(seen.plugins):
        found = verdicts(cycle(seen.pod, seen.snapshot, seen.plugins))
        return {name: found[name] for name in names}
    filtering, _ = seen.judge.profile(seen.plugins)
    numbers = filtering.numbers(seen.judge.cycle(seen.pod, seen.plugins))
    places = seen.judge.there.place
    said = {name: filtering.verdicts[numbers[places[name]]] for name in names}
    return {name: each for name, each in said.items() if each is not None}


def refusal_of(pod: Pod, name: str, others: Snapshot, plugins: Plugins) -> Refusal | None:
    """Return the refusal of one node by the definitions alone; `others` is the snapshot without the pod."""
    made = cycle(pod, others, plugins)
    info = next((each for each in made.infos if each.node.name == name), None)
    return None if info is None else verdict(made, info, narrowed_away(made)).refusal


def best(
    pod: Pod, nodes: Sequence[Node], names: Sequence[str], known: Known, plugins: Plugins
) -> frozenset[str] | None:
    """Return the names of the best-scored among these nodes; None if that is not known."""
    seen = known.seen(pod, nodes, plugins)
    there = seen.judge.there.place
    if known.snapshot is None or seen.open or not names or any(name not in there for name in names):
        return None
    if not prepared(seen.plugins):
        scored: Scored = scores_of(cycle(pod, seen.snapshot, seen.plugins), tuple(sorted(names)))
        return frozenset(scored.best) if scored.error is None else None
    _, scoring = seen.judge.profile(seen.plugins)
    places = np.array(sorted(there[name] for name in set(names)), np.int64)
    found = scoring.best(seen.judge.cycle(pod, seen.plugins), places)
    return None if isinstance(found, str) else frozenset(seen.judge.there.names[place] for place in found)


def left_out(pod: Pod, nodes: Sequence[Node], names: Collection[str], known: Known, plugins: Plugins) -> frozenset[str]:
    """Return the nodes that no filter refuses and that the scheduler did not send, though it looked at all nodes.

    It may have looked at some only if it sent as many as suffice, or only at the node to which the pod is nominated.
    """
    seen = known.seen(pod, nodes, plugins)
    if known.snapshot is None or seen.open or pod.nominated_node_name or not prepared(seen.plugins):
        return frozenset()
    if len(names) >= enough(len(seen.judge.there), plugins) and len(names) < len(seen.judge.there):
        return frozenset()
    filtering, _ = seen.judge.profile(seen.plugins)
    numbers = filtering.numbers(seen.judge.cycle(pod, seen.plugins))
    feasible = (seen.judge.there.names[place] for place in np.flatnonzero(numbers == PASSED))
    return frozenset(feasible) - frozenset(names)

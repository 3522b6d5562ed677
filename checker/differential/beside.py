"""What a cycle that found a node concludes about all other nodes, compared with the specification: `beside`.

The chosen node is decided elsewhere. Here are the verdict on every node that was examined, and the raw, normalised,
weighted and total scores of every feasible node. A wrong verdict on a node that would not have won, or a wrong score of
a loser, changes no decision here and a decision in another cluster.
"""

from collections.abc import Iterator, Mapping

from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.spec.kubernetes.extended_cycle import Judgement
from schedcheck.spec.kubernetes.filter import Verdict

Said = tuple[str, str, tuple[str, ...]]
"""A refusal: the plugin, the code, and the sorted reasons."""
Refusals = tuple[tuple[str, Said | None, Said | None], ...]
"""Nodes, each with production's refusal and the specified one; None for a feasible node."""
Details = tuple[tuple[str, str, str], ...]
"""Scores, each with production's value and the specified one."""


def as_said(status: Status) -> Said:
    """Return production's status of a rejected node as a refusal."""
    return status.plugin, status.code.value, tuple(sorted(status.reasons))


def specified(verdict: Verdict) -> Said | None:
    """Return the refusal of the specification; None if the node is feasible."""
    refusal = verdict.refusal
    return None if refusal is None else (refusal.plugin, str(refusal.code), tuple(sorted(refusal.reasons)))


def beside(concluded: Conclusion, judgement: Judgement, *, every: bool) -> tuple[Refusals, Details]:
    """Return the nodes with another verdict than specified, and the scores that differ, of a cycle with hosts.

    `every`: the cycle has examined all nodes; if not, scores are not compared. A node that was not examined, because
    the search ended before it or the nominated node was tried first, is not compared either. Nothing is compared with a
    judgement without verdicts.
    """
    if judgement.verdicts is None:
        return (), ()
    return tuple(_verdicts(concluded, judgement, every)), tuple(_scores(concluded, judgement)) if every else ()


def _verdicts(
    concluded: Conclusion, judgement: Judgement, every: bool
) -> Iterator[tuple[str, Said | None, Said | None]]:
    statuses, found = concluded.statuses, concluded.found
    if statuses is None or found is None or judgement.verdicts is None:
        return
    feasible = frozenset(found.rows.tolist())
    all_examined = every and concluded.mode != "nominated"
    for name, verdict in judgement.verdicts.items():
        row = concluded.rows[name]
        if not (row in feasible or all_examined or statuses.has(row)):
            continue
        ours = None if row in feasible else as_said(statuses.get(row))
        theirs = specified(verdict)
        if ours != theirs:
            yield name, ours, theirs


def _scores(concluded: Conclusion, judgement: Judgement) -> Iterator[tuple[str, str, str]]:
    ours, theirs, found = concluded.scores, judgement.rated, concluded.found
    if ours is None and theirs is None:
        return
    if ours is None or theirs is None or found is None:
        yield "scoring", "none" if ours is None else "scores", "none" if theirs is None else "scores"
        return
    names = found.names()
    yield from _by_plugin("raw", ours.raw, theirs.raw, names)
    yield from _by_plugin("normalised", ours.normalised, theirs.normalised, names)
    yield from _by_plugin("weighted", ours.weighted, theirs.weighted, names)
    totals, expected = dict(zip(names, ours.total.tolist(), strict=True)), dict(judgement.totals)
    if not theirs.raw:
        # Without score plugins every node begins with 1, or with 0 where extenders are configured.
        totals, expected = _above_the_least(totals), _above_the_least(expected)
    yield from _unequal("total score", totals, expected)


def _above_the_least(scores: Mapping[str, int]) -> dict[str, int]:
    least = min(scores.values(), default=0)
    return {name: score - least for name, score in scores.items()}


def _by_plugin(
    kind: str, ours: Mapping[str, Numbers], theirs: Mapping[str, Mapping[str, int]], names: list[str]
) -> Iterator[tuple[str, str, str]]:
    for plugin in sorted({*ours, *theirs}):
        mine = dict(zip(names, ours[plugin].tolist(), strict=True)) if plugin in ours else {}
        yield from _unequal(f"{kind} score of {plugin}", mine, theirs.get(plugin, {}))


def _unequal(what: str, ours: Mapping[str, int], theirs: Mapping[str, int]) -> Iterator[tuple[str, str, str]]:
    for node in sorted({*ours, *theirs}):
        if ours.get(node) != theirs.get(node):
            yield f"{what} for {node}", str(ours.get(node, "none")), str(theirs.get(node, "none"))

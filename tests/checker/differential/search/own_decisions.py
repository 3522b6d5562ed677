"""Decisions with own plugins at PreFilter, Filter, PreScore, Score and NormalizeScore: `own_decision`

One plugin is asked before all others and one behind them. Each refuses, fails, skips, narrows the nodes, or rates them, as it was
drawn. What the others say is known from the specification, and these answers are put before and behind theirs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from frozendict import frozendict

from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.refinement.mapping import with_pod
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Code, Status, error, unresolvable, unschedulable
from schedcheck.model.production.framework.verdicts import CODES, Verdicts
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.preemption.choice import selected
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.select_host import scores_of
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import small
from tests.model.production.framework.made_up import factory

OWN = ("FirstOfAll", "LastOfAll")
JUDGED = ("resources", "taints", "cordons", "node preferences", "images", "preemption", "soft spread", "room for pods")
"""Features for which no plugin refuses or narrows at PreFilter."""
SCORES = (0, 1, 30, 60, 100, 100)


@dataclass(frozen=True)
class Own:
    """A plugin with these answers; `refused` and `scores` are by node, and `reverses` normalises to the reverse."""

    name: str
    begins: Status = SUCCESS
    names: frozenset[str] | None = None
    refused: Mapping[str, Status] = frozendict()
    prepares: Status = SUCCESS
    scores: Mapping[str, int] = frozendict()
    reverses: bool = False

    def pre_filter(self, state: object, pod: object, snapshot: object) -> tuple[Status, frozenset[str] | None]:
        """Answer at PreFilter."""
        return self.begins, self.names

    def filter(self, state: object, pod: object, nodes: Any) -> Verdicts:
        """Answer for each node at Filter."""
        said = [self.refused.get(name, SUCCESS) for name in nodes.names()]
        codes = np.array([CODES.index(status.code) for status in said], np.int8)
        return Verdicts(codes, np.arange(len(said)), lambda number: said[number].reasons)

    def pre_score(self, state: object, pod: object, nodes: object) -> Status:
        """Answer at PreScore."""
        return self.prepares

    def score(self, state: object, pod: object, nodes: Any) -> Any:
        """Rate each node."""
        return np.array([self.scores[name] for name in nodes.names()], np.int64)

    def normalize(self, state: object, pod: object, nodes: object, scores: Any) -> Any:
        """Return the scores, or their reverse."""
        return 100 - scores if self.reverses else scores

    def rates(self, name: str) -> int:
        """Return the score of a node after NormalizeScore."""
        return 100 - self.scores[name] if self.reverses else self.scores[name]

    @property
    def filtering(self) -> Mapping[str, Status]:
        """The nodes that the plugin refuses, none if it skips."""
        return frozendict() if self.begins.code is Code.SKIP else self.refused

    @property
    def leaves(self) -> frozenset[str] | None:
        """The nodes that the plugin leaves at PreFilter; None for all, as if it skips."""
        return None if self.begins.code is Code.SKIP else self.names


def own(chance: Chance, name: str, nodes: Sequence[str]) -> Own:
    """Return a plugin that has something to say at one or two points."""
    made = Own(name, scores=frozendict({each: chance.choice(SCORES) for each in nodes}), reverses=chance.often(0.3))
    for point in chance.some(("begins", "names", "refused", "refused", "refused", "prepares", "scores"), 1, 2):
        match point:
            case "begins":
                made = replace(
                    made, begins=chance.one(SKIP, SKIP, unschedulable("no"), unresolvable("no"), error("no"))
                )
            case "names":
                made = replace(made, names=frozenset(chance.some(nodes, 0, len(nodes))))
            case "refused":
                said = (unschedulable("not here"), unresolvable("never here"), *([error("failed")] * chance.often(0.2)))
                made = replace(
                    made, refused=frozendict({each: chance.choice(said) for each in chance.some(nodes, 1, 2)})
                )
            case "prepares":
                made = replace(made, prepares=chance.one(SKIP, SKIP, error("failed")))
            case _ if chance.often(0.3):
                made = replace(made, scores=made.scores.set(chance.choice(nodes), chance.one(-1, 101)))  # type: ignore[attr-defined]
    return made


def with_own_plugins(first: Own, last: Own, weights: tuple[int, int]) -> tuple[Registry, Plugins]:
    """Return the default profile with the two plugins before and behind all others."""
    registry, points = default_registry(), DEFAULT_PLUGINS.points
    for each in (first, last):
        registry.register(each.name, factory(each))
    for point in ("preFilter", "filter", "preScore", "score"):
        points = points.set(point, (first.name, *points[point], last.name))
    weighted = DEFAULT_PLUGINS.weights | dict(zip(OWN, weights, strict=True))
    return registry, replace(DEFAULT_PLUGINS, points=points, weights=frozendict(weighted))


def own_decision(start: str) -> None:
    """Judge a small cluster with the two plugins."""
    chance = Chance(f"own {start}")
    chosen = tuple(NAMED[each] for each in chance.some(JUDGED, 1, 2))
    asked, there, _ = small.question(chance, chosen)
    nodes = [each.name for each in there.nodes]
    first, last = (own(chance, name, nodes) for name in OWN)
    if chance.often(0.2):
        first, last = (replace(each, names=frozenset(chance.some(nodes, 1, len(nodes)))) for each in (first, last))
    weights = chance.one(1, 2, 5), chance.one(1, 3)
    registry, plugins = with_own_plugins(first, last, weights)
    scheduler = informed((*there.pods, asked), there, (plugins,), lambda: registry)
    drained(scheduler, asked.key)
    scheduler.schedule_one()
    made = scheduler.concluded
    assert made is not None
    agree(made, taken_up(asked, with_pod(asked, there), DEFAULT_PLUGINS), (first, last), weights)


def agree(made: Conclusion, cycle: Cycle, both: tuple[Own, Own], weights: tuple[int, int]) -> None:
    """Fail if the conclusion is not that of the specification with the answers of both plugins around it."""
    refusal = began(both)
    if refusal is not None:
        assert not made.hosts, f"{made.pod} is bound to {made.hosts}, and PreFilter says {refusal}"
        if refusal.code is not Code.UNSCHEDULABLE:
            assert not made.nominated, f"{made.pod} preempts on {made.nominated}, and PreFilter says {refusal}"
        assert refusal.message in made.message, f"{made.message!r} does not tell of {refusal}"
        return
    inside = {info.node.name for info in cycle.infos}
    for each in both:
        inside &= inside if each.leaves is None else each.leaves
    said = {name: status for name, status in answers(cycle, both).items() if name in inside}
    failing = [status for status in said.values() if status is not None and status.code is Code.ERROR]
    if failing:
        assert not made.hosts and not made.nominated, f"a filter fails, and {made.hosts} or {made.nominated} are found"
        return
    feasible = tuple(name for name in sorted(said) if said[name] is None)
    if not feasible:
        _preempts(made, cycle, {name for name in inside if not any(name in each.filtering for each in both)})
        return
    wanted = best(cycle, feasible, both, weights)
    assert set(made.hosts) == wanted, f"{sorted(made.hosts)} are chosen for {made.pod}, not {sorted(wanted)}"


def began(both: tuple[Own, Own]) -> Status | None:
    """Return the refusal or the error of PreFilter; None if there is none.

    An Unschedulable refusal lets the others speak, and the last one counts, unless a later plugin ends the search.
    """
    refusal, names = None, None
    for each in both:
        if each.begins.code in (Code.UNRESOLVABLE, Code.ERROR):
            return each.begins
        if each.begins.code is Code.UNSCHEDULABLE:
            refusal = each.begins
            continue
        if each.leaves is not None:
            names = each.leaves if names is None else names & each.leaves
        if names is not None and not names:
            return unresolvable("node(s) didn't satisfy plugin")
    return refusal


def answers(cycle: Cycle, both: tuple[Own, Own]) -> dict[str, Status | None]:
    """Return for each node the first refusal: of the first plugin, of the others, or of the last one."""
    first, last = both
    codes = {"Unschedulable": Code.UNSCHEDULABLE, "Error": Code.ERROR}
    found: dict[str, Status | None] = {}
    for name, verdict in verdicts(cycle).items():
        others = verdict.refusal
        between = None if others is None else Status(codes.get(str(others.code), Code.UNRESOLVABLE), ())
        found[name] = first.filtering.get(name) or between or last.filtering.get(name)
    return found


def _preempts(made: Conclusion, cycle: Cycle, open_to_all: set[str]) -> None:
    """Check that the pod is nominated to the best candidate among the nodes that neither plugin refuses."""
    assert not made.hosts, f"{made.pod} is bound to {made.hosts}, and is refused on all nodes"
    outcomes = DryRun(cycle).outcomes.items()
    candidates = [each for name, each in outcomes if isinstance(each, Candidate) and name in open_to_all]
    eligible = cycle.pod.preemption_policy != "Never"
    wanted = {each.node.name for each in selected(candidates)} if eligible else set[str]()
    assert made.nominated in wanted if wanted else not made.nominated, (
        f"{made.nominated} is chosen, not {sorted(wanted)}"
    )


def best(cycle: Cycle, feasible: tuple[str, ...], both: tuple[Own, Own], weights: tuple[int, int]) -> set[str]:
    """Return the nodes of the highest total; none if a plugin fails, or rates a node out of bounds, and scores decide."""
    if len(feasible) == 1:
        return set(feasible)
    rating = [(each, weight) for each, weight in zip(both, weights, strict=True) if each.prepares.code is not Code.SKIP]
    wrong = any(not 0 <= each.rates(name) <= 100 for each, _ in rating for name in feasible)
    if wrong or any(each.prepares.code is Code.ERROR for each, _ in rating):
        return set()
    total = dict(scores_of(cycle, feasible).total)
    total = {name: total[name] + sum(weight * each.rates(name) for each, weight in rating) for name in feasible}
    return {name for name in feasible if total[name] == max(total.values())}

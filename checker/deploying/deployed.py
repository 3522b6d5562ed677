"""What happens after manifests are applied: `Deployed`, `deployed`.

Counting proves what it can, in a cluster of any size. The rest is explored state by state if there are few states. Else
some behaviours are followed: a bad end is real, and without one the answer is unknown.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from schedcheck.checker.check import Checked, Search, check
from schedcheck.checker.deploying.anywhere import anywhere
from schedcheck.checker.deploying.behaviours import (
    LARGE,
    Ending,
    Followed,
    Seen,
    ending,
    explored,
    followed,
    seen_in_all,
)
from schedcheck.checker.deploying.beside import beside_preemption
from schedcheck.checker.deploying.counting import Counted, counted
from schedcheck.checker.deploying.question import Deploying, properties
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import resume
from schedcheck.checker.properties.behaviours import COMES_TO_REST
from schedcheck.checker.relocation.beside import BROKEN, HOLDS, UNCOUNTED, UNDECIDED
from schedcheck.checker.relocation.counting import Place
from schedcheck.checker.result import Bounds, Progress, Verdict
from schedcheck.model.rollouts import Key
from schedcheck.model.scenario import Scenario

TRIED = 5
"""How many pods to come take as long in a state as everything else."""

SOON, FEWEST = 400_000, 50
"""The pods and nodes of all states together that are explored before single behaviours are followed to their end; and
the fewest of these states.
"""

SHOWN = 200
"""The most pods to come whose nodes are shown in a large cluster, if counting alone decides."""

Cut = Callable[[Scenario, frozenset[Key]], Scenario]


@dataclass(frozen=True)
class Deployed:
    """What was found out.

    - `counted`: what counting proves. - `explored`: the exploration of what it leaves open; None if there was none.
    - `followed`: the behaviours that were followed; None if none were. - `bad`: a behaviour that ends badly.
    """

    asked: Deploying
    counted: Counted
    explored: Checked | None
    followed: Followed | None
    bad: Ending | None

    @property
    def complete(self) -> bool:
        """Whether every behaviour was explored."""
        result = None if self.explored is None else self.explored.result
        return result is not None and not result.stopped and not result.queue

    @property
    def exact(self) -> bool:
        """Whether `seen` is that of every behaviour: a search for rounds keeps no graph, and says nothing of nodes."""
        return self.complete and self.explored is not None and self.explored.graph is not None

    @property
    def seen(self) -> Seen:
        """What was seen in the behaviours."""
        if self.explored is not None and self.exact:
            return seen_in_all(self.explored, self.asked)
        return self.followed.seen if self.followed is not None else Seen()

    @property
    def verdict(self) -> Verdict:
        """HOLDS if everything is placed and completes in every behaviour, VIOLATED if not in one, else GAVE_UP or UNKNOWN."""
        if self.bad is not None or self.counted.hopeless:
            return Verdict.VIOLATED
        if self.counted.proved:
            return Verdict.HOLDS
        if self.explored is not None and self.explored.result.unknown:
            return Verdict.UNKNOWN
        return Verdict.HOLDS if self.complete else Verdict.GAVE_UP

    @property
    def rests(self) -> str | None:
        """Whether the scheduler and the controllers come to rest: holds, violated or undecided; None if none runs as well."""
        if not self.asked.running or self.explored is None:
            return None
        result = self.explored.result
        if any(each.property.name == COMES_TO_REST for each in result.violations):
            return BROKEN
        return HOLDS if self.complete and not result.unknown else UNDECIDED

    @property
    def by(self) -> str:
        """What the verdict follows from: counting, exploration, or followed behaviours."""
        if self.counted.proved or self.counted.hopeless:
            return "counting"
        return "exploration" if self.complete else "behaviours"


def deployed(
    asked: Deploying,
    cut: Cut,
    bounds: Bounds | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Deployed:
    """Return what is found out; `cut` reduces a scenario to what influences some of its pods."""
    bounds = bounds or Bounds()
    if asked.running:
        return _beside(asked, bounds, report)
    if not asked.keys:
        return Deployed(asked, Counted({}, {}, (), ()), None, None, None)
    proof = counted(asked)
    asked = replace(asked, others=all(pod.key in asked.keys for pod in proof.evicting))
    if beside := beside_preemption(asked, proof):
        proof = beside
        asked = replace(asked, others=not proof.evicting)
    elif proof.evicting:
        proof = replace(proof, anywhere=anywhere(asked))
    if not proof.places and not asked.singles and proof.proved:
        return Deployed(asked, proof, None, None, None)
    decided = proof.proved or bool(proof.hopeless)
    if decided and len(asked.scenario.pods) > LARGE and len(asked.forms) > SHOWN:
        return Deployed(asked, proof, None, None, None)
    # What is proved although pods are evicted says not which; an exploration of a small cluster does. It also says which
    # nodes pods take meanwhile, if their places are proved only at rest.
    if decided and not proof.anywhere and not proof.at_rest:
        ways = followed(asked, bounds)
        return Deployed(asked, proof, None, ways, ways.bad)
    part = asked.scenario if decided else _part(asked, cut)
    small = replace(asked, scenario=part)
    if len(part.pods) + len(part.nodes) > LARGE:
        ways = followed(small, bounds)
        return Deployed(asked, proof, None, ways, ways.bad)
    # A state takes longer the more pods are tried in it, and above all if they may evict others.
    tried = 1 + len(asked.forms) // TRIED + len(proof.evicting)
    soon = max(FEWEST, SOON // (len(part.pods) + len(part.nodes)) // tried)
    rules = properties(small)
    most = min(soon, bounds.max_states or soon)
    first = explored(part, rules, replace(bounds, max_states=most), report)
    if first.result.stopped != f"{parameter('limits.states')} {most}":
        return Deployed(asked, proof, first, None, ending(first))
    resume()
    ways = followed(small, bounds)
    return Deployed(asked, proof, first, ways, ways.bad or ending(first))


def _beside(asked: Deploying, bounds: Bounds, report: Callable[[Progress], None] | None) -> Deployed:
    """Return what is found out while other controllers run: nothing is counted, and the whole cluster is explored.

    They may evict a pod after it was placed, and change nodes, both of which counting excludes. If there are many states,
    some behaviours are followed to their end, and then states are explored that are searched for rounds.
    """
    forms = asked.forms
    proof = Counted({key: Place(0, 0, UNCOUNTED) for key in forms}, dict.fromkeys(forms), (), (), done=False)
    scenario, rules = asked.scenario, properties(asked)
    most = max(FEWEST, SOON // (len(scenario.pods) + len(scenario.nodes)) // TRIED)
    first = explored(scenario, rules, replace(bounds, max_states=min(most, bounds.max_states or most)), report)
    if first.result.stopped != f"{parameter('limits.states')} {most}" or most == bounds.max_states:
        return Deployed(asked, proof, first, None, ending(first))
    resume()
    ways = followed(asked, replace(bounds, seconds=bounds.seconds and bounds.seconds / TRIED))
    if ways.bad is not None:
        return Deployed(asked, proof, first, ways, ways.bad)
    resume()
    found = check(scenario, bounds=bounds, search=Search(directed=True), report=report, rules=rules, alone=True)
    return Deployed(asked, proof, found, ways, ending(found))


def _part(asked: Deploying, cut: Cut) -> Scenario:
    """Return the part of the cluster that matters; all of it if pods change under their names."""
    scenario = asked.scenario
    if any(each.rolling and each.kind == "StatefulSet" for each in scenario.rollouts):
        return scenario
    made = cut(scenario, asked.keys)
    return replace(made, rules=(), controllers=scenario.controllers)

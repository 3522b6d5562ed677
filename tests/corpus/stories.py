"""Reinsert a defect that shows over several steps of any scheduler: `Story`, `explored`"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pytest import MonkeyPatch

from schedcheck.checker.differential.execution import Ledger, balanced, with_ledger
from schedcheck.checker.differential.properties import properties
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.refinement.stranded import Watched
from schedcheck.checker.result import Bounds, Result
from schedcheck.model.nominations import Terminate
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.machine.actions import Advance, BackedOff, Deliver, Evicting, Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.properties.kinds import Always, Property, Sometimes
from tests.checker.differential.scenarios import KUBERNETES
from tests.support.extending import Ruled

FIRST = {kind: place for place, kind in enumerate((Deliver, Evicting, Advance, Terminate, Try, BackedOff))}
"""Steps that are taken first as long as they are enabled."""


@dataclass(frozen=True)
class Story:
    """A defect of this number; `right` gives the pods on their nodes in some reachable state.

    Up to `faults` calls may fail, and with `interrupted` changes are delivered in the middle of steps. `asked` are
    properties in addition to those of every scheduler. Beyond `depth` levels only one order of steps is explored.
    """

    id: str
    scenario: Scenario
    right: tuple[tuple[str, str], ...]
    defect: Callable[[MonkeyPatch], None]
    faults: int = 0
    interrupted: bool = False
    registry: Callable[[], Registry] = default_registry
    extenders: tuple[Ruled, ...] = ()
    asked: tuple[Callable[[State], bool], ...] = ()
    depth: int | None = None


def machine(story: Story) -> Production:
    """The production scheduler of a story, with a ledger."""

    def registry() -> Registry:
        made = story.registry()
        made.register(Ledger.name, Ledger)
        return made

    profiles = tuple(map(with_ledger, story.scenario.plugins))
    scenario = replace(story.scenario, plugins=profiles)
    return Production(
        scenario,
        Reference(scenario, replace(KUBERNETES, plugins=profiles)),
        faults=story.faults,
        registry=registry,
        extenders=lambda choices: story.extenders,
        interrupted=story.interrupted,
    )


def explored(story: Story, *more: Property) -> Result:
    """Explore every order of steps and check the properties of every scheduler and these."""
    made = machine(story)
    also = [Always(each.__name__, "", each) for each in (balanced, *story.asked)]
    bounds = Bounds(depth=story.depth)
    return breadth_first(Exploration(Watched(made), [*properties(made, story.extenders), *also, *more], bounds=bounds))


def at_last(story: Story) -> State:
    """The final state if changes are delivered at once and no event happens while there is work to do."""
    made = machine(story)
    (state,) = made.initial_states()
    for _ in range(200):
        steps = [(action, after) for action, after in made.steps(state) if after != state]
        first = min(steps, key=lambda each: FIRST.get(type(each[0]), len(FIRST)), default=None)
        if first is None or is_right(story, state):
            break
        state = first[1]
    return state


def is_right(story: Story, state: State) -> bool:
    """Whether the pods are on the right nodes."""
    there = {pod.name: pod.node_name for pod in state.objects.pods if pod is not None}
    return all(there.get(name) == node for name, node in story.right)


def comes_right(story: Story) -> Sometimes:
    """The property that the pods reach the right nodes."""
    return Sometimes("comes_right", "", lambda state: is_right(story, state))

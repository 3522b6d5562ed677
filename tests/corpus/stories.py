"""How a defect is put back that shows over several steps, whatever the scheduler is made of: `Story`, `explored`."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from pytest import MonkeyPatch

from schedcheck.checker.differential.decisions import properties
from schedcheck.checker.differential.execution import Ledger, balanced, with_ledger
from schedcheck.checker.differential.stranded import Watched
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.result import Bounds, Result
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.model.nominations import Terminate
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.machine.actions import Advance, BackedOff, Deliver, Evicting, Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.properties import Always, Property, Sometimes
from tests.checker.differential.scenarios import KUBERNETES
from tests.support.extending import Ruled

FIRST = {kind: place for place, kind in enumerate((Deliver, Evicting, Advance, Terminate, Try, BackedOff))}
"""What is done as long as it can be, before anything else happens."""


@dataclass(frozen=True)
class Story:
    """A defect of this number; `right` is who is on which node in some state that can be reached.

    `faults` calls may go wrong, and with `interrupted` changes are delivered in the middle of steps. `asked` is what is
    asked of the states beside what is asked of every scheduler. Beyond `depth` levels only one order of steps is looked at.
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
    """Every order of steps, judged by the properties that are asked of every scheduler, and by these."""
    made = machine(story)
    also = [Always(each.__name__, "", each) for each in (balanced, *story.asked)]
    bounds = Bounds(depth=story.depth)
    return breadth_first(Exploration(Watched(made), [*properties(made, story.extenders), *also, *more], bounds=bounds))


def at_last(story: Story) -> State:
    """Where everything comes to when changes are delivered at once, and nothing happens while there is something to do."""
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
    """Whether the pods are where they should be."""
    there = {pod.name: pod.node_name for pod in state.objects.pods if pod is not None}
    return all(there.get(name) == node for name, node in story.right)


def comes_right(story: Story) -> Sometimes:
    """That the pods come to be where they should."""
    return Sometimes("comes_right", "", lambda state: is_right(story, state))

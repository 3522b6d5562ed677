"""The check of a scenario: its machine, properties, symmetries and search, put together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedcheck.checker.exploring.constraints import constraint
from schedcheck.checker.exploring.cycles import KeptCycles
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.memo import remembering
from schedcheck.checker.exploring.search import breadth_first, depth_first, random_walks
from schedcheck.checker.exploring.symmetry import Canonical, Slots, every_node, indifferent, node_classes, pod_classes
from schedcheck.checker.exploring.unknown import with_unknown
from schedcheck.checker.extenders.unasked import Spared, relevant
from schedcheck.checker.limits.clock import Clock
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.liveness.graph import Explored
from schedcheck.checker.properties.behaviours import COMES_TO_REST
from schedcheck.checker.properties.by_name import DEFAULT, OF_A_POD, SOUND, asked
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.checker.properties.vacuity import judged
from schedcheck.checker.result import CUT_OFF, Bounds, Progress, Result, Round, Stage
from schedcheck.checker.tabulated.search.refused import refusal
from schedcheck.model.controllers import RECREATING
from schedcheck.model.environment import newly_arrived
from schedcheck.model.eviction_reasons import evictions
from schedcheck.model.machine import Machine
from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.reference import Kept, Reference, State
from schedcheck.model.scenario import ANY, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties.kinds import Property, Step, Temporal

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.answers.tables import Tables
    from schedcheck.checker.tabulated.distributed.machines import Machines
    from schedcheck.checker.tabulated.search.engine import Ready
    from schedcheck.checker.tabulated.search.warm import Warm

NamedClasses = tuple[tuple[str, ...], ...]

ENGINES = ("auto", "direct", "tabulated", "both", "ray", "gpu")
SOON = 2000
"""The number of states that the direct explorer finds before tables are worth their preparation."""

AT_ONCE = 100
"""The number of states that it finds before the tables are prepared, which takes longer in a large cluster."""

DIRECTED, DIRECTED_LOOKS = 1500, 30_000
"""The most states that are explored before loops are searched; and the most pods and nodes of all of them together."""

COMPARED = (
    "verdict",
    "distinct",
    "generated",
    "depth",
    "queue",
    "coverage",
    "done",
    "stuck",
    "undecided",
    "stopped",
    "vacuous",
)
"""The fields in which the two explorers must agree, besides the violated properties and their depths."""


class NotTabulated(ValueError):
    """The tabulated explorer was requested and cannot be used; the text says why."""


class Disagreement(Exception):
    """The two explorers disagree; the text says on what."""


@dataclass(frozen=True)
class Search:
    """The search order: breadth first, depth first, or random walks of `length` steps drawn from a seed.

    `directed`: whether breadth first is interrupted by the search directed at loops.
    """

    order: str = "breadth"
    walks: int = 1000
    length: int = 100
    seed: int = 0
    directed: bool = False


@dataclass(frozen=True)
class Checked:
    """A scenario with its properties and the result; the machine gives the snapshot of each state of a trace.

    - `symmetry`: the names in each class of interchangeable objects; empty if symmetry was not used.
    - `engine`: the explorer of this result, "direct", "tabulated", "ray" or "gpu".
    - `why`: why "auto" did not use the tabulated explorer.
    - `graph`: the explored graph, if it was to be kept.
    - `stuck`: a shortest behaviour to a stuck state; empty if there is none.
    - `rounds`: the explorations with at most 0, 1, … events, if events were bounded one after the other; the result is
      that of the last.
    - `all_seen`: no behaviour has more events than those of the last round.
    - `warm`: what the exploration leaves, so that another process need not prepare it; None if arrays alone do not suffice.
    - `whole`: the number of states after which the exploration of all events was ended, and rounds were begun; 0 without.
    """

    scenario: Scenario
    machine: Machine[Any]
    properties: tuple[Property, ...]
    symmetry: NamedClasses
    result: Result
    engine: str = "direct"
    why: str = ""
    graph: Explored | None = None
    stuck: tuple[Stage, ...] = ()
    rounds: tuple[Round, ...] = ()
    all_seen: bool = False
    whole: int = 0
    warm: "Warm | None" = field(default=None, repr=False, compare=False)


def check(
    scenario: Scenario,
    *,
    bounds: Bounds | None = None,
    search: Search | None = None,
    symmetry: bool = True,
    engine: str = "direct",
    report: Callable[[Progress], None] | None = None,
    rules: Sequence[Property] = (),
    alone: bool = False,
    keep_graph: bool = False,
    checkpoint: Path | None = None,
    answers: "Tables | None" = None,
    tell: Callable[[str], None] = lambda line: None,
    kept: Kept | None = None,
    over_tables: int | None = None,
    driven: Callable[[Scenario, Profile], Reference] | None = None,
    machines: "Machines | None" = None,
) -> Checked:
    """Explore `scenario` and judge its properties and `rules`.

    Symmetry is off if there are rules, which may depend on any name, if a property is temporal, or if the graph is
    kept. `engine` is one of `ENGINES`; "auto" uses the tabulated explorer if everything fits into tables and there are
    more than a few states: the direct explorer finds that out, unless an earlier run did and its answers are cached.
    Even then tables are prepared only after `AT_ONCE` states.
    With `over_tables`, so many states end an exploration over tables, and those of `bounds` only a direct one.

    With a `checkpoint` the tabulated explorer keeps its levels in that folder and resumes from levels found there;
    "auto" then uses it from the beginning. The specification's answers are cached in `answers`, if given. With `alone`
    only the rules are checked. `tell` gets a line if a property takes long. `kept` holds what was found of
    scenarios that differ in the bounds of their rules alone. `driven` makes the machine, whose scheduler may be another
    one than the specification. With the engine "ray" the states are divided among the workers on `machines`, with "gpu" they
    are explored on a graphics processor.

    Raises UnknownProperty for an unknown property or constraint; its text begins with the name. NotTabulated if
    "tabulated" or "both", or a checkpoint, is impossible. Disagreement if the explorers of "both" differ. Unusable if
    the checkpoint is of another run, is damaged, or cannot be written.
    """
    search = search or Search()
    doing("finding what is interchangeable")
    scenario = relevant(scenario)
    clock = Clock(bounds.seconds if bounds else None)
    judge, own = judging(scenario), profile_of(scenario)
    judge = remembering(judge, scenario.pods, clock, kept.cycles if isinstance(kept, KeptCycles) else None)
    own = judge if own.name == judge.name and not own.faults else remembering(own, scenario.pods, clock)
    machine = Reference(scenario, own, kept) if driven is None else driven(scenario, own)
    symmetry = symmetry and driven is None and indifferent(scenario) and rules == ()
    symmetry = symmetry and not keep_graph and not _temporal(scenario, judge)
    of_rules = [replace(each, kinds=machine.kinds()) if isinstance(each, Step) else each for each in rules]
    groups = [*([] if alone else by_text(scenario, judge, symmetry=symmetry)), *((each,) for each in of_rules)]
    spared = Spared(scenario)
    questions = spared.questions(tuple({each.name: each for group in groups for each in group}.values()))
    mentions = frozenset[str]().union(*(question.mentions for question in questions))
    classes = pod_classes(scenario, mentions), node_classes(scenario, mentions)
    symmetric = symmetry and any(len(slots) > 1 for side in classes for slots in side)
    canonical = Canonical(machine, *classes) if symmetric else None

    def directly(limits: Bounds | None) -> tuple[Result, Explored | None]:
        exploration: Exploration[State] = Exploration(
            machine,
            questions,
            bounds=limits,
            canonical=canonical,
            constraint=constraint(scenario.constraints),
            report=report,
            clock=clock,
            keep_graph=keep_graph,
            keep_stuck=True,
            directed_at=directed_at(scenario)
            if search.directed and engine in ("auto", "direct") and not keep_graph
            else None,
        )
        result = _searched(exploration, search)
        if any(rule.event == ANY for rule in scenario.rules):
            result = replace(result, regardless=len(set(map(machine.regardless, exploration.states))))
        return result, exploration.explored() if keep_graph else None

    def at_once(number: int) -> tuple[Result | None, Explored | None]:
        """Return the direct exploration, unless it has more states than this number, which is no bound of its own."""
        result, graph = directly(_at_most(number, bounds))
        cut = result.stopped == f"{parameter('limits.states')} {number}"
        return (None, None) if cut and (bounds is None or bounds.max_states != number) else (result, graph)

    if checkpoint is not None:
        if engine in ("direct", "ray", "gpu"):
            raise NotTabulated(f"the {engine} explorer keeps no levels")
        engine = "tabulated" if engine == "auto" else engine
    result, graph, taken = None, None, "direct"
    why = (refusal(machine, questions) or "") if engine == "auto" and search.order == "breadth" else ""
    if engine == "auto" and not why and search.order == "breadth" and _may_exceed(AT_ONCE, bounds):
        result, graph = at_once(AT_ONCE)
    tables = None
    if engine != "direct" and not why and result is None:
        doing("preparing the tables")
        tables, why = _tables(
            machine, judge, questions, classes if symmetric else None, search, keep_graph, clock, tell, machines, engine
        )
        if tables is None and engine != "auto":
            raise NotTabulated(why)
    if tables is not None and over_tables is not None:
        bounds = replace(bounds or Bounds(), max_states=over_tables)
    if tables is not None and engine == "auto" and answers is not None and _unbounded(bounds, over_tables):
        engine = "tabulated" if tables.found(answers) >= SOON else engine
    if result is None and (tables is None or engine not in ("tabulated", "ray", "gpu")):
        result, graph = at_once(SOON) if tables is not None and engine == "auto" else directly(bounds)
    if tables is not None and (result is None or engine == "both"):
        by_tables, graph_of_tables = tables(bounds, report, checkpoint, answers)
        if result is not None:
            _compare(result, by_tables)
        result, graph, taken = by_tables, graph_of_tables, "tabulated" if machines is None else "ray"
        taken = "gpu" if engine == "gpu" else taken
    assert result is not None
    result = with_unknown(result, questions, machine.why_unknown())
    result = spared.result(result, questions)
    result = replace(result, verdict=judged(result, groups))
    named = _described(scenario, *classes) if symmetric else ()
    warm = tables.warm if tables is not None and taken == "tabulated" else None
    return Checked(scenario, machine, questions, named, result, taken, why, graph, result.way_to_stuck(), warm=warm)


def _temporal(scenario: Scenario, judge: Profile) -> bool:
    """Whether a temporal property is checked."""
    return any(isinstance(each, Temporal) for each in properties(scenario, judge, symmetry=False))


def directed_at(scenario: Scenario) -> int:
    """Return the number of states from which loops are searched: fewer in a large cluster, where each takes longer."""
    return max(1, min(DIRECTED, DIRECTED_LOOKS // (len(scenario.pods) + len(scenario.nodes))))


def _unbounded(bounds: Bounds | None, most: int | None) -> bool:
    """Whether neither a depth nor fewer than so many states bound the exploration."""
    return bounds is None or (bounds.depth is None and bounds.max_states == most)


def _may_exceed(number: int, bounds: Bounds | None) -> bool:
    """Whether the bounds allow more than so many states."""
    return bounds is None or bounds.max_states is None or bounds.max_states > number


def _at_most(number: int, bounds: Bounds | None) -> Bounds:
    """Return the bounds, with at most so many states."""
    bounds = bounds or Bounds()
    return replace(bounds, max_states=min(number, bounds.max_states or number))


def _tables(
    machine: Reference,
    judge: Profile,
    questions: Sequence[Property],
    classes: tuple[list[Slots], list[Slots]] | None,
    search: Search,
    keep_graph: bool,
    clock: Clock,
    tell: Callable[[str], None],
    machines: "Machines | None",
    engine: str,
) -> "tuple[Ready | None, str]":
    """Return the tabulated explorer, ready to run; or None, and why not."""
    if search.order != "breadth":
        return None, f"{parameter('search.order')} {search.order} belongs to the direct explorer"
    try:
        from schedcheck.checker.tabulated.layout.columns import TooWide
        from schedcheck.checker.tabulated.search.engine import prepared
    except ImportError:
        return None, "llvmlite is not installed; it comes with schedcheck[tabulated]"
    try:
        return prepared(
            machine, judge, questions, classes, keep_graph=keep_graph, clock=clock, tell=tell, machines=machines,
            on_device=engine == "gpu",
        ), ""  # fmt: skip
    except TooWide as reason:
        return None, str(reason)


def _compare(direct: Result, tabulated: Result) -> None:
    """Raises Disagreement if both explorers saw everything, and their results differ."""
    if any(each.stopped and not each.stopped.startswith(CUT_OFF) for each in (direct, tabulated)):
        return
    for name in COMPARED:
        if getattr(direct, name) != getattr(tabulated, name):
            raise Disagreement(
                f"the explorers disagree on {name}: direct {getattr(direct, name)}, tabulated {getattr(tabulated, name)}"
            )
    lengths = [{each.property.name: len(each.trace) for each in result.violations} for result in (direct, tabulated)]
    if lengths[0] != lengths[1]:
        raise Disagreement(f"the explorers disagree on violations: direct {lengths[0]}, tabulated {lengths[1]}")
    ways = [len(each.way_to_stuck()) for each in (direct, tabulated)]
    if ways[0] != ways[1]:
        raise Disagreement(f"the explorers disagree on the way to a stuck state: direct {ways[0]}, tabulated {ways[1]}")


def properties(scenario: Scenario, judge: Profile, *, symmetry: bool) -> tuple[Property, ...]:
    """Return the properties of the scenario, or the default ones if it names none; each name once."""
    groups = by_text(scenario, judge, symmetry=symmetry)
    return tuple({question.name: question for group in groups for question in group}.values())


def by_text(scenario: Scenario, judge: Profile, *, symmetry: bool) -> list[tuple[Property, ...]]:
    """Return the properties that each text of the scenario names; the default ones form one group.

    Under symmetry a property of every pod is checked of one pod of each class of pods that also start alike.
    """
    texts = scenario.properties or asked_by_default(scenario)
    single = frozenset[str]().union(
        *(each.mentions for text in texts if not _of_all_pods(text) for each in asked_in(text, scenario, judge))
    )
    classes = pod_classes(scenario, single, at_first=True) if symmetry else []
    standing = [scenario.pods[slots[0]] for slots in classes] if symmetry else list(scenario.pods)
    asked_about = standing if scenario.properties else [pod for pod in standing if may_wait(pod, scenario)]
    for_all = replace(scenario, pods=tuple(asked_about))
    groups = [asked_in(text, for_all if _of_all_pods(text) else scenario, judge) for text in texts]
    return groups if scenario.properties else [tuple(each for group in groups for each in group)]


def asked_by_default(scenario: Scenario) -> tuple[str, ...]:
    """Return the default properties; with faults that the scheduler is sound, with a descheduler or pools that all rests."""
    if any(given is not None for given in scenario.configured.values()):
        return (*DEFAULT, COMES_TO_REST)
    return (*DEFAULT, SOUND) if scenario.faults else DEFAULT


def may_wait(pod: Pod, scenario: Scenario) -> bool:
    """Whether a pod of the scenario may ever be unbound: at first, or once it is recreated or arrives again."""
    if pod.key not in scenario.absent and not pod.node_name:
        return not completed(pod)
    comes_again = pod.key in scenario.absent or (scenario.victims == "pending" and not completed(pod))
    comes_again = comes_again or ("owners" in scenario.controllers and pod.owner[0] in RECREATING)
    comes_again = comes_again or any(rule.event == "arrive" and pod.key in rule.pods for rule in scenario.rules)
    return comes_again and newly_arrived(pod).node_name == ""


def asked_in(text: str, scenario: Scenario, judge: Profile) -> tuple[Property, ...]:
    """Return the properties of one text; an error names the text."""
    try:
        kubelet = "kubelet" in scenario.controllers
        drained = {key for rule in scenario.rules if rule.event == "evict" and not rule.guards for key in rule.pods}
        return asked(
            text,
            scenario.pods,
            judge,
            scenario.budgets,
            kubelet=kubelet,
            fairness=scenario.fairness,
            drained=drained,
            reasons=partial(evictions, scenario),
            rollouts=scenario.rollouts,
            jobs=scenario.jobs,
        )
    except UnknownProperty as error:
        raise UnknownProperty(f"{text}: {error}") from None


def _of_all_pods(text: str) -> bool:
    """Whether the text names a property of a pod, but no pod."""
    return text.strip().removesuffix("()") in OF_A_POD


def _searched(exploration: Exploration[State], search: Search) -> Result:
    """Explore in the requested order."""
    match search.order:
        case "depth":
            return depth_first(exploration)
        case "walk":
            return random_walks(exploration, search.walks, search.length, search.seed)
        case _:
            return breadth_first(exploration)


def _described(scenario: Scenario, pods: list[tuple[int, ...]], nodes: list[tuple[int, ...]]) -> NamedClasses:
    """Return the names in each class of interchangeable objects."""
    classes = [[str(scenario.pods[slot]) for slot in slots] for slots in pods if len(slots) > 1]
    classes += [[every_node(scenario)[slot].name for slot in slots] for slots in nodes if len(slots) > 1]
    return tuple(tuple(names) for names in classes)

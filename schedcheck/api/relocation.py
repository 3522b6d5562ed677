"""What happens if nodes are drained or fail: `drain`, `fail`, `Relocated`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, combinations
from math import comb
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.claims import CLAIM, note_unclaimed
from schedcheck.api.controllers import beside as beside_controllers
from schedcheck.api.controllers import without_configured
from schedcheck.api.decided import soon, with_decisions
from schedcheck.api.nodes_chosen import groups_of, sets_of
from schedcheck.api.preparing import Prepared, of_kube_scheduler, prepared
from schedcheck.api.values import GIGABYTES, SECONDS, SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.limits.clock import Clock, OutOfTime
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import reason
from schedcheck.checker.recovery.of_leaving import FURTHER
from schedcheck.checker.relocation.beside import beside
from schedcheck.checker.relocation.example import example
from schedcheck.checker.relocation.lacking import without_lacking
from schedcheck.checker.relocation.leaving import Leaving, drained, failed, waiting_at_first
from schedcheck.checker.relocation.questions import asked_beside
from schedcheck.checker.relocation.relocation import Relocation, relocation
from schedcheck.checker.relocation.sets import Sets
from schedcheck.checker.relocation.turns import Turns
from schedcheck.checker.relocation.turns import in_turn as turns_of
from schedcheck.checker.result import Verdict
from schedcheck.errors import InputError, Unanswerable
from schedcheck.manifests import Cluster
from schedcheck.manifests.cuts import part
from schedcheck.manifests.missing import SUPPLIES
from schedcheck.model.scenario import KARPENTER, NODE_POOLS, Scenario
from schedcheck.report.json.answers import along_json
from schedcheck.report.json.pieces import Json
from schedcheck.report.json.relocation import relocated_json
from schedcheck.report.text.changes import steps, steps_along

SECONDS_OF_EXAMPLE = 5.0
"""The most seconds for the example of a drain in turn."""


@dataclass(frozen=True)
class Relocated(Answer):
    """Whether the pods of nodes that are drained or fail find another place, for each set of nodes asked about.

    cases
        The answer for each set of nodes: `verdict`, `places` by pod, `budgets`, `violations`.
    sets
        If any so many nodes are asked about together: how many sets there are. `cases` then has only the sets for which
        not all ends well, or not certainly.
    turns
        If the nodes are drained one after another: an order in which every drain ends well. `cases` is then empty.
    controllers
        The names of all controllers that act meanwhile; empty if none was asked for.
    """

    asked: Literal["drain", "fail"]
    cases: tuple[Relocation, ...]
    notes: tuple[str, ...]
    scenario: Scenario = field(repr=False)
    sets: Sets | None = None
    turns: Turns | None = None
    controllers: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """HOLDS if all ends well for each set of nodes, VIOLATED if not for one, else GAVE_UP or UNKNOWN."""
        if self.turns is not None:
            return self.turns.verdict
        found = [each.verdict for each in self.cases]
        if self.sets is not None and self.sets.asked < self.sets.total:
            found.append(Verdict.GAVE_UP)
        worst = (Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.GAVE_UP)
        return next((each for each in worst if each in found), Verdict.HOLDS)

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """0 if all ends well, 1 if not, 2 if that is not known."""
        return 0 if self.verdict is Verdict.HOLDS else 1 if self.verdict is Verdict.VIOLATED else 2

    def to_json(self) -> Json:
        """Return what `schedcheck drain --format json` or `schedcheck fail --format json` prints."""
        sets = None if self.sets is None else asdict(self.sets)
        given = self.asked, self.cases, self.scenario, self.verdict, self.exit_code, sets, self.turns, self.controllers
        return relocated_json(*given)

    def detailed(self) -> Json:
        """Return what `to_json` returns, with what the scheduler saw at each decision of a behaviour.

        If the nodes can be drained one after another, `inTurn.example` is one such behaviour, unless it is too long.
        """
        answer, until = self.to_json(), soon()
        for told, case in zip(answer["cases"], self.cases, strict=True):
            for violation, found in zip(told["violations"], case.violations, strict=True):
                assert case.explored is not None, "a violation was found by exploring"
                taken = steps(found.trace, case.explored)
                violation["trace"] = with_decisions(violation["trace"], taken, case.explored.scenario, until)
        if self.turns is not None:
            answer["inTurn"]["example"] = self._example(self.turns, until)
        return answer

    def _example(self, turns: Turns, until: float) -> Json | None:
        """Return one behaviour of a drain in turn; None where none is proved to end well, or it is too long."""
        if turns.verdict is not Verdict.HOLDS:
            return None
        try:
            trail = example(self.scenario, turns.order, Clock(SECONDS_OF_EXAMPLE))
        except OutOfTime:
            return None
        if trail is None:
            return None
        taken = steps_along(trail)
        told = along_json(taken)
        return told | {"trace": with_decisions(told["trace"], taken, self.scenario, until)}


def drain(
    cluster: Cluster,
    nodes: Sequence[str] = (),
    *,
    selector: str | None = None,
    in_turn: bool = False,
    controllers: Sequence[str] = (),
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Relocated:
    """Say whether a drain of these nodes ends, whatever the order of evictions, and whether every pod finds a place.

    nodes, selector
        The names of the nodes, or a label selector as kubectl takes it (`zone=a,disk!=hdd`).
    in_turn
        Drain the nodes one after another, each uncordoned before the next, and find an order that works.
    controllers
        Controllers that run meanwhile: names, `descheduler=FILE`, `nodePools=FILE`, `karpenter=FILE`, `autoscaler=20,50,90`.
        It is also asked whether all of them come to rest.

    The nodes are cordoned and drained together, as `kubectl drain --ignore-daemonsets` does. Nothing else happens
    meanwhile.

    Raises: InputError, Unanswerable, GaveUp.
    """
    if in_turn:
        if controllers:
            why = "not possible together with a drain of one node after another, which is proved by counting"
            raise InputError(why, path=parameter("controllers"), value=", ".join(controllers))
        return _in_turn(cluster, nodes, selector, as_profile(profile), limits or Limits(SECONDS, GIGABYTES), observer)
    return _relocated("drain", cluster, nodes, selector, None, as_profile(profile), limits, observer, controllers)


def fail(
    cluster: Cluster,
    nodes: Sequence[str] = (),
    *,
    selector: str | None = None,
    each: str | None = None,
    any: int | None = None,
    controllers: Sequence[str] = (),
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Relocated:
    """Say whether every pod finds a place once these nodes are gone for good.

    nodes, selector
        The names of the nodes, or a label selector as kubectl takes it (`zone=a`).
    each
        A label key: ask it of each of its values in turn, as of each zone.
    any
        Ask it of any so many together: of the nodes selected, of the values of `each`, or without either of all nodes.
    controllers
        Controllers that run meanwhile, as in `drain`.

    Raises: InputError, Unanswerable, GaveUp.
    """
    return _relocated("fail", cluster, nodes, selector, each, as_profile(profile), limits, observer, controllers, any)


def _in_turn(
    cluster: Cluster,
    nodes: Sequence[str],
    selector: str | None,
    profile: Profile,
    limits: Limits,
    observer: Observer,
) -> Relocated:
    with within(limits):
        told, said = noting(observer)
        made = without_configured(_there(prepared(cluster, of_kube_scheduler(cluster, profile), told)))
        (names,) = sets_of(made.scenario.nodes, nodes, selector, None)
        note_unclaimed(drained(made.scenario, names).movers, cluster, told)
        turns = turns_of(made.scenario, tuple(dict.fromkeys(names)), limits.seconds)
        return Relocated("drain", (), tuple(said), made.scenario, turns=turns)


def _relocated(
    asked: Literal["drain", "fail"],
    cluster: Cluster,
    nodes: Sequence[str],
    selector: str | None,
    each: str | None,
    profile: Profile,
    limits: Limits | None,
    observer: Observer,
    controllers: Sequence[str],
    most: int | None = None,
) -> Relocated:
    limits = limits or Limits(SECONDS, GIGABYTES)
    with within(limits):
        told, said = noting(observer)
        given = _there(prepared(cluster, of_kube_scheduler(cluster, profile), told, scaled=True))
        made, running = beside_controllers(given, controllers)
        told = replace(observer, note=told.note)
        there = made.scenario.nodes
        names = _leaving(asked, made.scenario, (), running).scenario.running if running else ()
        if most is not None:
            groups = groups_of(there, nodes, selector, each, most)
            cases, sets = _of_any(groups, most, each or "node", made, running, limits, told, cluster)
            return Relocated(asked, cases, tuple(said), made.scenario, sets, controllers=names)
        every = _of_each(asked, list(sets_of(there, nodes, selector, each)), made, running, limits, told, cluster)
        return Relocated(asked, every, tuple(said), made.scenario, controllers=names)


def _there(made: Prepared) -> Prepared:
    """Return what is given, with each unbound pod of the files present, unless a scenario says that it is absent at first."""
    if made.whole.scenario is not None:
        return made
    return replace(made, scenario=waiting_at_first(made.scenario))


def _of_each(
    asked: Literal["drain", "fail"],
    chosen: Sequence[tuple[str, ...]],
    made: Prepared,
    running: frozenset[str],
    limits: Limits,
    observer: Observer,
    cluster: Cluster,
) -> tuple[Relocation, ...]:
    """Return the answers for these sets of nodes, until one search is interrupted; a note names the other sets."""
    cases: list[Relocation] = []
    for names in chosen:
        cases.append(_case(asked, names, made, running, limits, observer, cluster))
        if _interrupted(cases[-1]):
            break
    if len(cases) < len(chosen):
        left = "; ".join(" ".join(each) for each in chosen[len(cases) :])
        observer.note(f"interrupted, so that these are not answered: {left}")
    _refuse_lacking(cases, len(chosen))
    return tuple(cases)


def _of_any(
    groups: Sequence[tuple[str, ...]],
    most: int,
    kind: str,
    made: Prepared,
    running: frozenset[str],
    limits: Limits,
    observer: Observer,
    cluster: Cluster,
) -> tuple[tuple[Relocation, ...], Sets]:
    """Judge the failure of any `most` groups of nodes together, until the time is over; return those that do not hold."""
    cases: list[Relocation] = []
    asked, clock = 0, Clock(limits.seconds)
    try:
        for chosen in combinations(groups, most):
            clock.look()
            names = tuple(sorted(chain.from_iterable(chosen)))
            case = _case("fail", names, made, running, limits, observer, cluster)
            asked += 1
            if case.verdict is not Verdict.HOLDS:
                cases.append(case)
            if _interrupted(case):
                break
    except OutOfTime:
        pass
    except KeyboardInterrupt as end:
        if not asked:
            raise
        reason(end)
    _refuse_lacking(cases, comb(len(groups), most))
    return tuple(cases), Sets(most, len(groups), kind, comb(len(groups), most), asked, asked - len(cases))


def _interrupted(case: Relocation) -> bool:
    """Whether Ctrl-C ended the search for this case, so that it ends those for all others too."""
    return case.explored is not None and case.explored.result.stopped == "interrupted"


def _case(
    asked: Literal["drain", "fail"],
    names: Sequence[str],
    made: Prepared,
    running: frozenset[str],
    limits: Limits,
    observer: Observer,
    cluster: Cluster,
) -> Relocation:
    """Return the answer for these nodes; it is unknown if only pods find no place whose claims the input lacks."""
    if running and asked == "fail":
        _refuse_managed(made.scenario, names)
    leaving = _leaving(asked, made.scenario, names, running)
    without = note_unclaimed(asked_beside(leaving) if running else leaving.movers, cluster, observer)
    if running:
        found = beside(leaving, limits.bounds(), observer.progress)
    else:
        found = relocation(leaving, part, limits.bounds(), observer.progress, FURTHER)
    return without_lacking(found, without)


def _refuse_lacking(cases: Sequence[Relocation], sets: int) -> None:
    """Raises: Unanswerable if the answer for the only set of nodes is open because the input lacks claims.

    Of several sets each has its own answer, which may be known.
    """
    for found in cases if sets == 1 else ():
        if found.lacking and not found.violations:
            raise Unanswerable(f"{found.undecided}; to supply them: {SUPPLIES[CLAIM]}")


def _leaving(
    asked: Literal["drain", "fail"], scenario: Scenario, names: Sequence[str], running: frozenset[str]
) -> Leaving:
    return (drained if asked == "drain" else failed)(scenario, names, running)


def _refuse_managed(scenario: Scenario, names: Sequence[str]) -> None:
    """Raises: InputError for a node of a pool, whose autoscaler would notice its failure in ways that are not modelled."""
    for name, given in ((NODE_POOLS, scenario.node_pools), (KARPENTER, scenario.karpenter)):
        for node in scenario.nodes:
            if node.name in names and given is not None and given.pool_of(node) is not None:
                why = f"the failure of a node of a pool is not modelled together with the controller {name}"
                raise InputError(why, path="NODES", value=node.name)

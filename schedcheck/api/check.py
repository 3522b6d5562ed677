"""Whether properties hold in every state that a cluster can reach: `check`, `CheckResult`."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from schedcheck.api.about import Question, about_budget, about_pod
from schedcheck.api.answer import Answer, within
from schedcheck.api.controllers import with_controllers
from schedcheck.api.formulas import in_tla, of_scenario
from schedcheck.api.machines import cluster_address
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.values import (
    GIGABYTES,
    SECONDS,
    SILENT,
    Limits,
    Observer,
    Profile,
    Search,
    Storage,
    as_profile,
    noting,
)
from schedcheck.checker import check as checking
from schedcheck.checker.by_events import WHOLE_BY_TABLES, Prove, at_most, by_events, whole_or_by_events
from schedcheck.checker.extenders.unasked import asked as asked_extenders
from schedcheck.checker.limits.durable import Full, Unusable
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.machines.machines import ClusterFailed, Machines
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.checker.result import Verdict
from schedcheck.checker.result import Violation as Found
from schedcheck.checker.tabulated.answers.tables import Tables, where
from schedcheck.errors import GaveUp, InputError
from schedcheck.manifests import Cluster
from schedcheck.model.reference import Kept
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.pieces import Json
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Property

EXIT_CODES = {"holds": 0, "holds vacuously": 0, "violated": 1, "gave up": 2, "unknown": 2}


@dataclass(frozen=True)
class PropertyResult:
    """The result for one property.

    verdict
        "holds", "holds, vacuously", "violated", "undecided" or "unknown".
    vacuous, unknown
        The premise that was never met, or the reason why it is unknown; None otherwise.
    """

    name: str
    kind: str
    claim: str
    verdict: str
    vacuous: str | None
    unknown: str | None


@dataclass(frozen=True)
class TraceStep:
    """A step of a trace: the action (empty for the first), the cluster after it, and what it changed, in words."""

    number: int
    action: str
    snapshot: Snapshot
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Violation:
    """A property that does not hold and a shortest behaviour that shows it; empty where no single one does.

    loop
        The step to whose state the last step leads back, or the last itself where the behaviour rests; None without.
    """

    property: str
    claim: str
    trace: tuple[TraceStep, ...]
    loop: int | None


@dataclass(frozen=True)
class CheckResult(Answer):
    """The result of an exploration.

    notes
        What was not read, not seen or assumed, a line each.
    checked, search
        The exploration itself; not part of the stable interface.
    """

    notes: tuple[str, ...]
    checked: checking.Checked = field(repr=False)
    search: checking.Search = field(repr=False)

    @property
    def verdict(self) -> Verdict:
        """HOLDS, VACUOUS, VIOLATED, GAVE_UP or UNKNOWN."""
        return self.checked.result.verdict

    @property
    def exit_code(self) -> int:
        """The exit code of the command `check`."""
        return EXIT_CODES[self.verdict.value]

    @property
    def states(self) -> int:
        """The number of distinct states."""
        return self.checked.result.distinct

    @cached_property
    def properties(self) -> tuple[PropertyResult, ...]:
        """The results for the properties, in the order in which they were asked."""
        from schedcheck.report.text import statement

        return tuple(PropertyResult(*each) for each in statement.outcomes(self.checked))

    @cached_property
    def violations(self) -> tuple[Violation, ...]:
        """The properties that do not hold, each with its trace."""
        return tuple(self._shown(each) for each in self.checked.result.violations)

    def _shown(self, found: Found) -> Violation:
        from schedcheck.report.text.changes import steps

        trace = tuple(
            TraceStep(
                step.number,
                str(step.action) if step.number else "",
                step.snapshot,
                tuple(change.text for change in step.changes),
            )
            for step in steps(found.trace, self.checked)
        )
        return Violation(found.property.name, found.property.claim, trace, found.loop)

    def write_trace(self, path: str | Path) -> tuple[Path, ...]:
        """Write the first counterexample to a file, .itf.json or .tla with a .cfg, and return the files; none without one.

        Raises: InputError for another suffix, and for an object that the format cannot hold.
        """
        from schedcheck.tla_export import trace_files

        trace_files.fitting(Path(path))
        return tuple(trace_files.write(self.checked, Path(path)))

    def write_graph(self, path: str | Path) -> None:
        """Write the explored graph, which `Storage(graph=True)` keeps, to a file: .dot, .graphml or .npz.

        Raises: InputError for another suffix, and for a graph that was not kept or is too large for the format.
        """
        from schedcheck.report.files import graph

        graph.write(self.checked, Path(path))

    def to_json(self) -> Json:
        """Return what `schedcheck check --format json` prints."""
        from schedcheck.report.json import answers

        return answers.checked_json(self.checked, self.search, self.exit_code)

    def detailed(self) -> Json:
        """Return what `to_json` returns, with what the scheduler saw at each decision, and a small graph of states."""
        from schedcheck.api.decided import soon, with_decisions
        from schedcheck.report.text.changes import steps

        answer, checked, until = self.to_json(), self.checked, soon()
        shown = [*zip(answer["violations"], (each.trace for each in checked.result.violations), strict=True)]
        if answer["stuck"] is not None:
            shown.append((answer["stuck"], checked.stuck))
        for told, trace in shown:
            told["trace"] = with_decisions(told["trace"], steps(trace, checked), checked.scenario, until)
        return answer | {"graph": self._graph()}

    def _graph(self) -> Json | None:
        """Return the graph of all states, if there are few."""
        from schedcheck.report.json.state_graph import state_graph_json

        return state_graph_json(self.checked)


def check(
    cluster: Cluster,
    *,
    profile: Profile | str | None = None,
    properties: Sequence[str] = (),
    about: str | None = None,
    limits: Limits | None = None,
    search: Search | None = None,
    storage: Storage | None = None,
    observer: Observer = SILENT,
) -> CheckResult:
    """Explore every state that the cluster can reach, and judge its properties.

    properties
        Names that `schedcheck properties` lists, formulas of TLA+, or `FILE.tla!NAME`; empty asks the scenario's.
    about
        "pod/NAMESPACE/NAME" or "budget/NAMESPACE/NAME": ask whether this pod can be stranded (or, if it is bound,
        evicted), or whether any order of events breaks this budget, on the part of the cluster that affects it. The name
        may be one that kubectl takes, such as "pod/shop/deploy/web" or "budget/shop/pdb/web".
    search
        With `events` a question about a pod is whether it recovers: once no more events happen, it is bound in the end.

    Raises: InputError; Unanswerable where kube-scheduler cannot count the amounts; GaveUp where a limit ends the
    search before it has begun, or there is no room for a level of the checkpoint.
    """
    if about is not None:
        limits = replace(
            limits or Limits(),
            seconds=(limits and limits.seconds) or SECONDS,
            memory=(limits and limits.memory) or GIGABYTES,
        )
    limits, search, storage = limits or Limits(), search or Search(), storage or Storage()
    machines = _machines(search, storage)
    told, said = noting(observer)
    with within(limits, memory=storage.checkpoint is None):
        made = prepared(cluster, as_profile(profile), told, gangs=about is None, scaled=True)
        made = replace(made, scenario=with_controllers(made, search.controllers))
        return _checked(made, tuple(properties), about, limits, search, storage, machines, told, said)


def _machines(search: Search, storage: Storage) -> Machines | None:
    """Return the machines of the engine "ray"; None for another. Raises: InputError for what does not go with either."""
    of_ray = {"search.address": search.address, "search.workers": search.workers, "storage.shared": storage.shared}
    given = {name: value for name, value in of_ray.items() if value is not None}
    if search.engine != "ray":
        for name in given:
            raise InputError('belongs to the engine "ray"', path=parameter(name))
        return None
    if search.events is not None:
        raise InputError('not possible with the engine "ray", which explores once', path=parameter("search.events"))
    address = cluster_address(search.address, "search.address")
    if search.workers is not None and search.workers < 1:
        raise InputError("expected 1 or more", path=parameter("search.workers"), value=search.workers)
    return Machines(address, search.workers or 0, storage.shared or "")


def _checked(
    made: Prepared,
    properties: tuple[str, ...],
    about: str | None,
    limits: Limits,
    search: Search,
    storage: Storage,
    machines: Machines | None,
    observer: Observer,
    said: list[str],
) -> CheckResult:
    if search.events is not None and search.events < 0:
        raise InputError("expected 0 or more", path=parameter("search.events"), value=search.events)
    if search.events is not None and storage.checkpoint is not None:
        raise InputError(
            f"keeps the levels of one exploration, and {parameter('search.events')} makes several",
            path=parameter("storage.checkpoint"),
            value=str(storage.checkpoint),
        )
    if about is not None:
        _no_victims_of_extenders(made.scenario)
    how = checking.Search(search.order, search.walks, search.length, search.seed, search.directed)
    of_plugins = made.extensions.properties if made.extensions else ()
    scenario = replace(made.scenario, fairness=search.fairness) if search.fairness else made.scenario
    written: tuple[Property, ...] = ()
    prove: Prove | None = None
    if about is None:
        named, written = in_tla(properties, scenario) if properties else of_scenario(scenario, made.cluster)
        scenario = replace(scenario, properties=named)
    else:
        kind, _, name = about.partition("/")
        if kind not in ("pod", "budget") or not name:
            raise InputError("expected pod/NAME or budget/NAME", path="about", value=about)
        question = (
            about_pod(name, scenario, made.cluster, search.events is not None)
            if kind == "pod"
            else about_budget(name, scenario, made.cluster)
        )
        left = None
        if search.engine == "auto" and how.order == "breadth" and not of_plugins and not storage.graph:
            from schedcheck.checker.recovery.counted import by_counting

            left = by_counting(question.scenario, question.pods, search.events)
            if isinstance(left, checking.Checked):
                return CheckResult(tuple(said), left, how)
            prove = partial(_proved, question, search.events)
        scenario = left if isinstance(left, Scenario) else question.part
    rules = (*of_plugins, *written)
    try:
        explore = partial(
            checking.check,
            bounds=limits.bounds(),
            search=how,
            symmetry=search.symmetry,
            report=observer.progress,
            rules=rules,
            alone=bool(written) and not scenario.properties,
            checkpoint=storage.checkpoint,
            keep_graph=storage.graph,
            answers=_tables(storage, observer),
            tell=observer.hint,
            machines=machines,
        )
        bounds = limits.bounds()
        bounded = bounds.max_states is not None or bounds.depth is not None or bool(rules) or search.engine != "auto"
        if search.order != "breadth" or (search.events is None and (bounded or storage.checkpoint or storage.graph)):
            limited = scenario if search.events is None else at_most(search.events, scenario)
            found = explore(limited, engine=search.engine)
        else:

            def explored(limited: Scenario, engine: str, kept: Kept | None, soon: int | None) -> checking.Checked:
                most = min((each for each in (soon, bounds.max_states) if each is not None), default=None)
                engine = "direct" if engine and search.engine == "auto" else search.engine
                # What is asked of the whole space at first is asked at once of as many states as tables allow.
                whole = WHOLE_BY_TABLES if limited is scenario and soon is not None else None
                limit = replace(bounds, max_states=most)
                return explore(limited, bounds=limit, engine=engine, kept=kept, over_tables=whole)

            seconds = bounds.seconds and bounds.seconds / 2
            if search.events is None:
                found = whole_or_by_events(scenario, explored, seconds)
            else:
                found = by_events(scenario, search.events, explored, seconds, prove=prove)
    except UnknownProperty as error:
        raise unknown_property(str(error), made, scenario, properties) from None
    except checking.NotTabulated as reason:
        if storage.checkpoint is not None:
            raise InputError(
                f"not possible here: {reason}", path=parameter("storage.checkpoint"), value=str(storage.checkpoint)
            ) from None
        raise InputError(f"not possible here: {reason}", path=parameter("search.engine"), value=search.engine) from None
    except Full as reason:
        raise GaveUp(f"gave up: {reason}; complete levels remain, and the same command continues from them") from None
    except (ClusterFailed, Unusable) as reason:
        raise InputError(str(reason)) from None
    return CheckResult(tuple(said), found, how)


def _proved(question: Question, asked: int | None, events: int) -> checking.Checked | None:
    """Return the proof of the answer for fewer events than were asked, for which none was found."""
    from schedcheck.checker.recovery.counted import by_counting

    found = None if events == asked else by_counting(question.scenario, question.pods, events)
    return found if isinstance(found, checking.Checked) else None


def _tables(storage: Storage, observer: Observer) -> Tables | None:
    """Return where the answers of the specification are kept; None where they are not."""
    folder = where(storage.tables)
    return None if folder is None else Tables(folder, observer.warn)


def _no_victims_of_extenders(scenario: Scenario) -> None:
    """Raises: InputError where an extender would be asked about victims in a part of the cluster."""
    for extender in asked_extenders(scenario):
        if extender.offer.preempt_verb:
            what = f"extender {extender.offer.url_prefix} is asked about victims, some of which a part of the cluster may lack"
            raise InputError(f"not possible with {parameter('about')}: {what}", path=parameter("profile.ask_extenders"))


def unknown_property(text: str, made: Prepared, scenario: Scenario, asked: tuple[str, ...] = ()) -> InputError:
    """Return the error with the place where the property or constraint that it begins with is named."""
    if any(text.startswith(name) for name in asked):
        return InputError(text, path=parameter("properties"))
    if made.cluster.scenario is None:
        return InputError(text)
    key = "properties" if any(text.startswith(name) for name in scenario.properties) else "constraints"
    return InputError(text, **made.cluster.scenario["spec"][key].place())

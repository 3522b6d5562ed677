"""A cluster walked through by hand: `explore`, `Explorer`, `Place`, `Option`."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType

from schedcheck.api.answer import Answer, within
from schedcheck.api.asking import Answers, Foreign
from schedcheck.api.check import CheckResult, check, unknown_property
from schedcheck.api.check_scheduler import driven_by
from schedcheck.api.controllers import with_controllers
from schedcheck.api.explain import Explanation, explained_in
from schedcheck.api.formulas import of_scenario
from schedcheck.api.judge import Judging
from schedcheck.api.naming import pod_named
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.values import SILENT, Limits, Observer, Profile, Search, as_profile, noting
from schedcheck.checker.foreign.machine import Decides
from schedcheck.checker.foreign.program import ANSWER_TIME, Program
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.checker.result import Stage
from schedcheck.checker.walking.walk import MOST_KEPT, PRODUCTION, Numbers, Walk, production, walk
from schedcheck.checker.walking.walk import Option as Possible
from schedcheck.errors import InputError, Unanswerable
from schedcheck.manifests import reading, yaml_text
from schedcheck.manifests.documents import Document, documents
from schedcheck.manifests.editing import edited, single
from schedcheck.manifests.identities import Identity
from schedcheck.manifests.objects import cluster
from schedcheck.model.scenario import grouping, permitting
from schedcheck.report.json.pieces import Json
from schedcheck.report.json.place import place_json
from schedcheck.report.text.changes import Step, steps_of
from schedcheck.spec.objects import Snapshot

PROGRAM = "program"
"""The name of a scheduler that is a program, beside those that `checker.walking` names."""


@dataclass(frozen=True)
class Option:
    """A step that is possible: its number, the kind and the text of its action, and what it changes, in words.

    by
        The schedulers that would take it: "specification", "production", "program"; empty if it is no decision of one.
    breaks
        The names of the properties that it violates.
    same
        Whether the state after it is the same.
    """

    number: int
    kind: str
    action: str
    changes: tuple[str, ...]
    by: tuple[str, ...]
    breaks: tuple[str, ...]
    same: bool


@dataclass(frozen=True)
class Place(Answer):
    """A state with the behaviour that leads to it; `path` has the numbers of its steps."""

    explorer: "Explorer" = field(repr=False)
    path: Numbers
    trace: tuple[Stage, ...] = field(repr=False)

    @cached_property
    def snapshot(self) -> Snapshot:
        """The cluster, as the scheduler sees it."""
        return self.explorer.walk.machine.view(self.trace[-1].state)

    @cached_property
    def violated(self) -> tuple[str, ...]:
        """The names of the properties that the last step violates, and of the invariants that do not hold here."""
        found = self.explorer.walk.broken(self.trace[-1].state)
        if self.path:
            *before, last = self.path
            found = (*self.explorer.place(before)._options()[last].breaks, *found)
        return tuple(dict.fromkeys(found))

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of the behaviour, in order."""
        return tuple(str(stage.action) for stage in self.trace[1:])

    @property
    def bound(self) -> Mapping[str, str]:
        """The node of each bound pod, by NAMESPACE/NAME."""
        return {f"{pod.namespace}/{pod.name}": pod.node_name for pod in self.snapshot.pods if pod.node_name}

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The steps that are possible here, in an order that one version keeps."""
        return tuple(
            Option(
                number, type(each.stage.action).__name__, str(each.stage.action), self._told(each.stage), each.by,
                each.breaks, not each.changes,
            )
            for number, each in enumerate(self._options())
        )  # fmt: skip

    def take(self, step: int | str) -> "Place":
        """Return the place after a step, given by its number or as the text of its action.

        Raises: InputError where there is no such step, or several with this text lead to different states.
        """
        if isinstance(step, str):
            found = {
                each.stage.state: number
                for number, each in enumerate(self._options())
                if str(each.stage.action) == step
            }
            if len(found) != 1:
                why = "no step that is possible here has" if not found else "steps to different states have"
                raise InputError(f"{why} this text", path="step", value=step)
            (step,) = found.values()
        return self.explorer.place((*self.path, step))

    def explain(self, pod: str) -> Explanation:
        """Explain what may be done with a pod here, node by node, as `explain` does. Raises: InputError, Unanswerable."""
        made, view = self.explorer.prepared, self.snapshot
        there = replace(made.cluster, pods=view.pods, nodes=view.nodes, budgets=view.budgets)
        wanted = pod_named(pod, None, there, parameter("pod"))
        if permitting(made.scenario) or grouping(made.scenario):
            raise Unanswerable(f"{wanted}: the members of gangs are explained by the steps alone")
        return explained_in(wanted, view, replace(made, cluster=there))

    def steps(self) -> tuple[Step, ...]:
        """Return the behaviour with the changes of each step."""
        return steps_of(self.trace, self.explorer.walk.machine, self.explorer.walk.scenario)

    def to_json(self) -> Json:
        """Return the place as plain data: the behaviour, as `check` has it, and the possible steps."""
        walk = self.explorer.walk
        options = [asdict(each) for each in self.options]
        return place_json(walk, self.path, self.steps(), options, self.violated)

    def test(self, file: str = "scenario.yaml") -> str:
        """Return a test in Python that takes the same steps in the scenario of a file, and looks at where pods are then."""
        place, lines = (
            self.explorer.start,
            [f"    place = schedcheck.explore({_quoted(file)}{self.explorer.given()}).start"],
        )
        for number in self.path:
            text = place.options[number].action
            alone = sum(each.action == text for each in place.options) == 1
            lines.append(f"    place = place.take({_quoted(text) if alone else number})")
            place = place.take(number)
        lines.append(f"    assert place.bound == {_quoted(dict(sorted(self.bound.items())))}")
        head = ["import schedcheck", "", "", "def test_behaviour() -> None:"]
        return "\n".join([*head, *lines, ""])

    def _options(self) -> Sequence[Possible]:
        return self.explorer.walk.options(self.path, self.trace[-1].state)

    def _told(self, stage: Stage) -> tuple[str, ...]:
        walk = self.explorer.walk
        *_, step = steps_of((self.trace[-1], stage), walk.machine, walk.scenario)
        return (*(change.text for change in step.changes), *step.noted)


@dataclass(frozen=True)
class Explorer:
    """A cluster with its scenario, and the places in it; a context manager, which ends the program that decides as well.

    notes
        What was not read, not seen or assumed, a line each.
    """

    asked: "Asked"
    objects: tuple[Document, ...] = field(repr=False)
    prepared: Prepared = field(repr=False)
    walk: Walk = field(repr=False)
    program: Program | None = field(repr=False)
    notes: tuple[str, ...]
    _places: OrderedDict[Numbers, "Place"] = field(default_factory=OrderedDict, repr=False, compare=False)

    @property
    def start(self) -> Place:
        """The place with which everything begins."""
        return self.place(())

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits, by which the cluster and what is asked of it are known."""
        text = json.dumps([[each.value for each in self.objects], repr(self.asked)], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def place(self, path: Sequence[int]) -> Place:
        """Return the place that these numbers of steps lead to. Raises: InputError where a number names no step."""
        numbers = tuple(path)
        found = self._places.pop(numbers, None)
        try:
            found = Place(self, numbers, self.walk.trace(numbers)) if found is None else found
        except LookupError as why:
            raise InputError(str(why), path="path") from None
        self._places[numbers] = found
        if len(self._places) > MOST_KEPT:
            self._places.popitem(last=False)
        return found

    def check(self, limits: Limits | None = None) -> CheckResult:
        """Check the scenario as `check` does, where the specification decides. Raises: InputError, Unanswerable, GaveUp."""
        search = Search(controllers=self.asked.controllers, symmetry=False)
        return check(self.prepared.whole, profile=self.asked.profile, limits=limits, search=search)

    def retraced(self, trace: Sequence[Stage]) -> Place | None:
        """Return the place to which a behaviour leads; None if it is none of this scenario."""
        path = self.walk.retraced(trace)
        return None if path is None else self.place(path)

    def edited(self, text: str = "", removed: Collection[Identity] = ()) -> "Explorer":
        """Return the explorer of the cluster with other objects.

        text
            Manifests in YAML or JSON. An object takes the place of the one with its kind, namespace and name, if there is one.
        removed
            The kind, namespace (empty for kinds without) and name of each object that goes.

        Raises: InputError, Unanswerable.
        """
        with reading():
            return self.asked.explorer(edited(self.objects, text, removed), SILENT)

    def scenario(self) -> str:
        """Return the cluster and its scenario as YAML, which `check` and `explore` read. Files that it names it still needs."""
        return yaml_text(each.value for each in self.objects if isinstance(each.value, dict))

    def given(self) -> str:
        """Return the arguments of `explore` beside its files, as Python."""
        told = [] if self.asked.profile == Profile() else [f"profile=schedcheck.{self.asked.profile!r}"]
        told += [f"controllers={list(self.asked.controllers)!r}"] if self.asked.controllers else []
        told += [f"scheduler={self.asked.scheduler!r}"] if self.asked.scheduler else []
        return "".join(f", {each}" for each in told)

    def close(self) -> None:
        """End the program."""
        if self.program is not None:
            self.program.close()

    def __enter__(self) -> "Explorer":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@dataclass(frozen=True)
class Asked:
    """What is asked of every cluster: the profile, the controllers, and the program that decides as well."""

    profile: Profile
    controllers: tuple[str, ...]
    scheduler: str | tuple[str, ...] | None
    answer_time: float

    def explorer(self, objects: tuple[Document, ...], observer: Observer) -> Explorer:
        """Return the explorer of these objects. Raises: InputError, Unanswerable."""
        told, said = noting(observer)
        made = prepared(cluster(objects), self.profile, told, gangs=True, scaled=True)
        made = replace(made, scenario=with_controllers(made, self.controllers))
        named, written = of_scenario(made.scenario, made.cluster)
        scenario = replace(made.scenario, properties=named)
        twin = production(scenario)
        decides: dict[str, Decides] = {} if twin is None else {PRODUCTION: twin}
        program = None
        if self.scheduler is not None:
            program = driven_by(self.scheduler, self.answer_time)
            again = partial(driven_by, self.scheduler, self.answer_time)
            foreign = Foreign(program, Judging(made, "best", False, Limits()), made.whole.whole)
            decides[PROGRAM] = Answers(foreign, again).decides
        try:
            return Explorer(self, objects, made, walk(scenario, decides, written), program, tuple(said))
        except UnknownProperty as error:
            raise unknown_property(str(error), made, scenario) from None


def explore(
    *files: str | Path,
    profile: Profile | str | None = None,
    controllers: Sequence[str] = (),
    scheduler: str | Sequence[str] | None = None,
    answer_time: float = ANSWER_TIME,
    observer: Observer = SILENT,
) -> Explorer:
    """Return the states of a cluster as places to walk through, step by step.

    Every step of the specification is possible, and every decision of the production scheduler and of a program; each
    says who would take it.

    controllers
        Those that run beside the scheduler, as `Search` takes them.
    scheduler
        The command of a program that decides as well (docs/schedulers.md).
    answer_time
        The seconds in which it is to answer a question.

    Raises: InputError, Unanswerable.
    """
    command = scheduler if scheduler is None or isinstance(scheduler, str) else tuple(scheduler)
    with within(Limits()), reading():
        asked = Asked(as_profile(profile), tuple(controllers), command, answer_time)
        return asked.explorer(tuple(single(documents(files))), observer)


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)

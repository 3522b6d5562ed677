"""Whether properties hold in every state of a cluster in which another program schedules: `check_scheduler`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from schedcheck.api.answer import within
from schedcheck.api.asking import Answers, Foreign
from schedcheck.api.check import CheckResult, unknown_property
from schedcheck.api.formulas import in_tla, of_scenario
from schedcheck.api.judge import Judging
from schedcheck.api.preparing import prepared
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker import check as checking
from schedcheck.checker.foreign.answered import Answered
from schedcheck.checker.foreign.machine import Driven, decides_as_allowed
from schedcheck.checker.foreign.objects import Object, objects_of, with_objects
from schedcheck.checker.foreign.program import ANSWER_TIME, CannotStart, Program
from schedcheck.checker.foreign.trying import fewest
from schedcheck.checker.judging.judged import Strictness
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.checker.result import Violation
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.foreign import explored_json
from schedcheck.report.json.pieces import Json
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.profiles import Profile as Model
from schedcheck.spec.properties.kinds import Property

DECIDES = "decides_as_allowed"


@dataclass(frozen=True)
class SchedulerCheck(CheckResult):
    """The result of an exploration in which a program schedules.

    asked
        How many questions the program was asked, each once.
    failed
        The questions that it did not answer; what follows from them is unknown.
    differing
        Pairs of answers to one question, the second in a process that was asked nothing before.
    why
        The judgement of the last decision of the trace to a decision that is not allowed; None without one.
    smallest
        The same with the fewest objects of the cluster; None if there is none, or a limit ended the exploration.
    """

    asked: int
    failed: tuple[Answered, ...] = field(repr=False)
    differing: tuple[tuple[Answered, Answered], ...] = field(repr=False)
    why: Answered | None = field(repr=False)
    smallest: Answered | None = field(repr=False)
    command: tuple[str, ...]

    def to_json(self) -> Json:
        """Return what `schedcheck check --scheduler COMMAND --format json` prints."""
        return explored_json(
            super().to_json(), self.command, self.asked, self.failed, self.differing, self.why, self.smallest
        )

    def _graph(self) -> None:
        """Return nothing: the program that decides has ended."""


def check_scheduler(
    cluster: Cluster,
    command: str | Sequence[str],
    *,
    profile: Profile | str | None = None,
    strictness: Strictness = "best",
    properties: Sequence[str] = (),
    answer_time: float = ANSWER_TIME,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> SchedulerCheck:
    """Explore every state that the cluster can reach if a program schedules, and judge its decisions too.

    The program reads a question per line and writes a reply per line (docs/schedulers.md). It is asked once for each pod
    and what it can know; its answer may not depend on anything else.

    command
        The program and its arguments, split as a shell does.
    strictness
        What `decides_as_allowed` demands of a decision, as `judge` has it.
    answer_time
        The seconds in which a question is to be answered.

    Raises: InputError, also if the program cannot be started; Unanswerable, GaveUp.
    """
    limits = limits or Limits()
    with within(limits):
        told, said = noting(observer)
        made = prepared(cluster, as_profile(profile), told, scaled=True)
        judging = Judging(made, strictness, False, limits)
        scenario, written = _asked(made.scenario, made.cluster, tuple(properties))
        with driven_by(command, answer_time) as program:
            answers = Answers(Foreign(program, judging, cluster.whole), lambda: driven_by(command, answer_time))
            allowed = decides_as_allowed(answers.judged)

            def machine(scenario: Scenario, own: Model) -> Driven:
                return Driven(scenario, own, answers.decides, answers.because)

            only = properties and not scenario.properties and not written
            try:
                found = checking.check(
                    scenario,
                    bounds=limits.bounds(),
                    report=told.progress,
                    rules=(*_of_decisions(allowed, properties), *written),
                    alone=bool(only or (written and not scenario.properties)),
                    driven=machine,
                )
            except UnknownProperty as error:
                raise unknown_property(str(error), made, scenario, tuple(properties)) from None
            why = _why(found, answers)
            smallest = None if why is None or found.result.stopped else _smallest(why, answers.foreign)
        return SchedulerCheck(
            tuple(said),
            found,
            checking.Search(),
            asked=len(answers.kept),
            failed=tuple(answers.failed),
            differing=tuple(answers.differing),
            why=why,
            smallest=smallest,
            command=program.command,
        )


def driven_by(command: str | Sequence[str], answer_time: float) -> Program:
    """Return the program of a command. Raises: InputError where it is none."""
    try:
        return Program(command, answer_time=answer_time)
    except CannotStart as why:
        raise InputError(str(why), path=parameter("command")) from None


def _of_decisions(allowed: Property, asked: Sequence[str]) -> tuple[Property, ...]:
    """Return the property of decisions, if it is asked for or nothing is."""
    return (allowed,) if not asked or DECIDES in asked else ()


def _asked(scenario: Scenario, cluster: Cluster, asked: tuple[str, ...]) -> tuple[Scenario, tuple[Property, ...]]:
    """Return the scenario with the properties by name, and those that are written as formulas."""
    others = tuple(each for each in asked if each != DECIDES)
    if asked and not others:
        return replace(scenario, properties=()), ()
    named, written = in_tla(others, scenario) if others else of_scenario(scenario, cluster)
    return replace(scenario, properties=named), written


def _smallest(why: Answered, foreign: Foreign) -> Answered:
    """Return the answer in a cluster with as few objects as possible in which the same is wrong."""
    pod, snapshot, wrong = why.pod, why.snapshot, why.complaint

    def asked(objects: Sequence[Object]) -> Answered:
        return foreign.ask(pod, with_objects(snapshot, pod, objects))

    doing("making the cluster smaller")
    return asked(fewest(objects_of(snapshot, pod), lambda objects: asked(objects).complaint == wrong))


def _why(found: checking.Checked, answers: Answers) -> Answered | None:
    """Return the answer that the last step of the trace to a decision that is not allowed carries out."""
    broken: Mapping[str, Violation] = {each.property.name: each for each in found.result.violations}
    if DECIDES not in broken:
        return None
    *_, before, last = broken[DECIDES].trace
    view: Snapshot = found.machine.view(before.state)
    return answers.answered(last.action.pod, view)

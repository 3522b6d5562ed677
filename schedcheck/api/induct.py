"""Whether properties are kept by every step, with any number of pods on the nodes: `induct`, `Inductions`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from schedcheck.api.answer import Answer, within
from schedcheck.api.check import unknown_property
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.values import GIGABYTES, SECONDS, SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.check import asked_in
from schedcheck.checker.induction.induction import Answer as Made
from schedcheck.checker.induction.induction import Standing
from schedcheck.checker.induction.induction import induct as asked
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.manifests import Cluster
from schedcheck.model.profiles import judging
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.induction import induction_json
from schedcheck.report.json.pieces import Json
from schedcheck.report.text.left_aside import left_aside_json

ASKED = ("no_overcommit", "only_lower_priority_evicted", "budget_kept")
"""The properties that are asked by default."""

MODELLED = (*ASKED, "stays_on")


@dataclass(frozen=True)
class Inductions(Answer):
    """Whether each property is inductive.

    verdicts
        "inductive", "not inductive", "violated at first" or "unknown", by property.
    assumed
        The further invariant with which a property is inductive, by property; only of those that need one.
    not_asked
        The properties of the scenario for which there is no induction.
    answers, prepared
        What this was made of; not part of the stable interface.
    """

    verdicts: dict[str, str]
    assumed: dict[str, str]
    not_asked: tuple[str, ...]
    notes: tuple[str, ...]
    answers: tuple[Made, ...] = field(repr=False)
    prepared: Prepared = field(repr=False)

    @property
    def exit_code(self) -> int:
        """0 if every property is inductive, 1 if one is not, 2 if one is unknown and all others are inductive."""
        standings = {each.standing for each in self.answers}
        if standings & {Standing.NOT_INDUCTIVE, Standing.VIOLATED}:
            return 1
        return 2 if Standing.UNKNOWN in standings else 0

    def to_json(self) -> Json:
        """Return what `schedcheck induct --format json` prints."""
        scenario = self.prepared.scenario
        return induction_json(scenario, self.answers, self.not_asked) | left_aside_json(scenario)


def induct(
    cluster: Cluster,
    *,
    properties: Sequence[str] = (),
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Inductions:
    """Prove by induction that every step keeps a property, with any number of pods on the nodes of a scenario.

    A state has any number of copies of the scenario's pods, wherever they are. A counterexample is a state in which the
    property holds, and a step of the specification after which it does not. That state need not be reachable.

    properties
        Names with arguments, such as `budget_kept(web)`; empty asks all for which there is an induction.

    Raises: InputError, Unanswerable.
    """
    limits = limits or Limits(SECONDS, GIGABYTES)
    with within(limits):
        told, said = noting(observer)
        made = prepared(cluster, as_profile(profile), told)
        texts = tuple(properties) or _by_default(made.scenario)
        judge = judging(made.scenario)
        try:
            questions = [each for text in texts for each in asked_in(text, made.scenario, judge)]
        except UnknownProperty as error:
            raise unknown_property(str(error), made, made.scenario, texts) from None
        spent = Spent(Effort(seconds=limits.seconds or SECONDS, memory=limits.memory or GIGABYTES))
        answers = tuple(asked(made.scenario, questions, spent))
        verdicts = {each.name: each.standing.value for each in answers}
        assumed = {each.name: each.assumed for each in answers if each.assumed}
        left = () if properties else tuple(filter(partial(_left_out, texts), made.scenario.properties))
        return Inductions(verdicts, assumed, left, tuple(said), answers, made)


def _by_default(scenario: Scenario) -> tuple[str, ...]:
    """Return the properties for which there is an induction: the general ones, and those of the scenario."""
    own = (text for text in scenario.properties if text.partition("(")[0].strip() in MODELLED)
    return tuple(dict.fromkeys((*ASKED, *(text for text in own if text.partition("(")[0].strip() not in ASKED))))


def _left_out(texts: Sequence[str], text: str) -> bool:
    return text not in texts and text.partition("(")[0].strip() not in ASKED

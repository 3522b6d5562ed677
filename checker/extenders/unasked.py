"""Results for a scheduler with unasked extenders: those that hold whatever they answer, and those that depend on it.

Unasked extenders give every relevant answer (`spec.kubernetes.unasked_extenders`). So what never happens in the
exploration never happens with any answers, and what happens is possible. Results that depend on the answers are
unknown: that something can or will happen, and properties that compare a decision with the plugins' own. Operators:
`relevant`, `Spared`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schedcheck.checker.extenders.as_values import rated_once
from schedcheck.checker.extenders.wording import not_asked
from schedcheck.checker.result import Result, Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.spec.classic import decision as early
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extenders, ignored
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.extended_cycle import ended
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name, departing
from schedcheck.spec.properties.kinds import Always, Can, Progresses, Property, Sometimes, Step, Temporal
from schedcheck.spec.properties.of_snapshots import no_overcommit
from schedcheck.spec.requests import requested
from schedcheck.spec.unasked_extenders import concerned

COMPARED = frozenset({"no_wait_while_feasible", "no_eviction_while_feasible", "bind_most_viable"})
"""The properties that compare a decision with the plugins' verdicts on all nodes, which extenders may change."""


def relevant(scenario: Scenario) -> Scenario:
    """Return the scenario without the unasked extenders that are not interested in any of its pods."""
    if scenario.scheduler.has_policy:
        left = tuple(offer for offer in scenario.policy.unasked if _concerns(offer, scenario))
        return replace(scenario, policy=replace(scenario.policy, unasked=left))
    if not any(each.unasked for each in scenario.plugins):
        return scenario
    plugins = tuple(
        replace(each, unasked=tuple(offer for offer in each.unasked if _concerns(offer, scenario)))
        for each in scenario.plugins
    )  # fmt: skip
    return replace(scenario, plugins=plugins)


def _concerns(offer: Offer, scenario: Scenario) -> bool:
    return any(concerned(pod, (offer,)) for pod in scenario.pods)


def unasked(scenario: Scenario) -> tuple[Offer, ...]:
    """Return the unasked extenders that are interested in some pod of the scenario."""
    return tuple(dict.fromkeys(each for pod in scenario.pods for each in unasked_about(pod, scenario)))


def unasked_about(pod: Pod, scenario: Scenario) -> tuple[Offer, ...]:
    """Return the unasked extenders of the scenario's scheduler that are interested in `pod`."""
    of_policy = scenario.policy.unasked if scenario.scheduler.has_policy else ()
    of_plugins = by_scheduler_name(pod, scenario.plugins).unasked if scenario.scheduler.has_plugins else ()
    return concerned(pod, (*of_policy, *of_plugins))


def asked(scenario: Scenario) -> Extenders:
    """Return the extenders of the scenario's scheduler that are asked, each once."""
    of_policy = scenario.policy.extenders if scenario.scheduler.has_policy else ()
    of_plugins = [own for each in scenario.plugins for own in each.extenders] if scenario.scheduler.has_plugins else []
    return tuple(dict.fromkeys((*of_policy, *of_plugins)))


def uncounted(scenario: Scenario) -> frozenset[str]:
    """Return the resources that some pod requests and that only extenders count."""
    of_policy = scenario.policy.unasked if scenario.scheduler.has_policy else ()
    of_plugins = (
        [offer for each in scenario.plugins for offer in each.unasked] if scenario.scheduler.has_plugins else []
    )
    left_out = ignored((*(each.offer for each in asked(scenario)), *of_policy, *of_plugins))
    return left_out & frozenset[str]().union(*(requested(pod) for pod in scenario.pods))


@dataclass
class Spared:
    """The properties weakened where only extenders know the answer, with a record of those for which this mattered."""

    scenario: Scenario
    spared: set[str] = field(default_factory=set)

    def questions(self, asked: Sequence[Property]) -> tuple[Property, ...]:
        """Return the properties, weakened so that answers of unasked extenders violate none of them."""
        return tuple(self._question(each) for each in asked)

    def _question(self, question: Property) -> Property:
        match question:
            case Always(name="no_overcommit") if uncounted(self.scenario):
                return replace(question, holds=self._no_overcommit)
            case Step(name=name) if name in COMPARED and unasked(self.scenario):
                return replace(question, holds=self._sparing(question))
        return question

    def _no_overcommit(self, snapshot: Snapshot) -> bool:
        """Whether no node is over-committed, except in resources that only extenders count."""
        if no_overcommit(snapshot):
            return True
        self.spared.add("no_overcommit")
        return no_overcommit(snapshot, uncounted(self.scenario))

    def _sparing(self, question: Step) -> Callable[[Any, Any, Any], bool]:
        def holds(before: Any, action: Any, after: Any) -> bool:
            if question.holds(before, action, after):
                return True
            if not unasked_about(action.pod, self.scenario):
                return False
            self.spared.add(question.name)
            return True

        return holds

    def result(self, found: Result, asked: Sequence[Property]) -> Result:
        """Return the result, with the properties that depend on unasked extenders marked as unknown."""
        why = self._why()
        open_ended = [each.name for each in asked if why and self._depends(each)]
        violated = {each.property.name for each in found.violations}
        told = {*violated, *found.undecided, *(name for name, _ in (*found.vacuous, *found.unknown))}
        left = tuple(name for name in open_ended if name not in told)
        if not left:
            return found
        verdict = Verdict.UNKNOWN if found.verdict in (Verdict.HOLDS, Verdict.VACUOUS) else found.verdict
        return replace(found, verdict=verdict, unknown=(*found.unknown, *((name, why) for name in left)))

    def _why(self) -> str:
        offers = unasked(self.scenario)
        return not_asked(each.url_prefix for each in offers) if offers else ""

    def _depends(self, question: Property) -> bool:
        return question.name in self.spared or isinstance(question, Sometimes | Can | Progresses | Temporal)


def assumption(before: Snapshot, action: object, scenario: Scenario) -> str:
    """Return the answers of unasked extenders that lead to this decision, in words; empty if any answers do."""
    if not isinstance(action, Bind | Nominate | Wait):
        return ""
    pod = next((each for each in before.pods if each.key == action.pod.key), None)
    if pod is None or not unasked_about(pod, scenario):
        return ""
    told = [(says, {str(decided) for decided in decisions}) for says, decisions in _ends(pod, before, scenario)]
    leading = [says for says, decided in told if str(action) in decided]
    return leading[0] if leading and len(leading) < len(told) else ""


def _ends(pod: Pod, snapshot: Snapshot, scenario: Scenario) -> Iterator[tuple[str, frozenset[Decision]]]:
    """Yield the assumed answers in words, each with the decisions that follow from it."""
    if scenario.scheduler.has_policy:
        yield from ((each.says, said.decisions) for each, said in early.ended(pod, snapshot, scenario.policy))
        return
    plugins = by_scheduler_name(pod, departing(scenario.profile, scenario.plugins))
    made = taken_up(pod, snapshot, plugins)
    yield from ((each.says, said.decisions) for each, said in ended(made, rated_once(made)))

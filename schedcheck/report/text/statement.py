"""The result of an exploration in exact sentences: the events, the verdict, the bounds it holds for, each property."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from frozendict import frozendict

from schedcheck.checker.check import Checked, asked_by_default, may_wait
from schedcheck.checker.extenders import unasked
from schedcheck.checker.extenders.wording import not_asked
from schedcheck.checker.properties.by_name import OF_A_POD
from schedcheck.checker.result import Result, Verdict, Violation
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import ANY, APPLY, CRASH, POD_EVENTS, RESTART, Rule, Scenario
from schedcheck.report.text.terminal import counted, joined, listed
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import desired_healthy, protects, spare_of
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.extender_configuration import Extender
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.spec.properties.kinds import Can, Once, Progresses, Property, Sometimes, Temporal
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler

HOLDS, VACUOUS, VIOLATED = "holds", "holds, vacuously", "violated"
UNDECIDED, UNKNOWN = "undecided", "unknown"

FILTERING: Mapping[Scheduler, str] = frozendict(
    {
        PUBLISHED: "",
        KUBERNETES: "keep any of the nodes that the plugins admit, and refuse the others for now or for good",
        CLASSIC: "keep any of the nodes that pass every predicate, and refuse the others",
    }
)
"""What an unasked extender of each scheduler may do with nodes; the published model has no extenders."""


def blocking(scenario: Scenario) -> dict[PodDisruptionBudget, str]:
    """Return the budgets that never allow a disruption, even if all their pods are healthy, each with a sentence."""
    return {
        budget: f"{budget} blocks every drain: {desired_healthy(budget):,} of {counted(number, 'pod')} must stay healthy"
        for budget in scenario.budgets
        if (number := sum(protects(budget, pod) and not completed(pod) for pod in scenario.pods))
        and spare_of(budget, number) == 0
    }


def pod_name(key: tuple[str, str]) -> str:
    """Return the name of a pod, with its namespace unless that is `default`."""
    namespace, name = key
    return name if namespace == "default" else f"{namespace}/{name}"


def rule_objects(rule: Rule, scenario: Scenario) -> str:
    """Return the objects that a rule may affect."""
    if rule.event == ANY:
        return "all of these together"
    if rule.event == APPLY:
        return listed(rule.workloads)
    if rule.event in (*POD_EVENTS, RESTART, CRASH):
        there = f" on {listed(rule.nodes)}" if rule.nodes else ""
        every = len(rule.pods) == len(scenario.pods)
        return ("any pod" if every else listed([pod_name(key) for key in rule.pods])) + there
    return "any node" if len(rule.nodes) == len(scenario.nodes) else listed(rule.nodes)


def rule_change(rule: Rule) -> str:
    """Return the taint or label that a rule changes on a node, or the replicas that it applies; empty for other rules."""
    if rule.manifest:
        return f" of {rule.manifest}" if rule.manifest != ", ".join(rule.workloads) else ""
    if rule.event == APPLY:
        return f" {'without replicas' if rule.replicas is None else f'with replicas: {rule.replicas}'}"
    if rule.taint is not None:
        return f" {rule.taint}"
    values = ", ".join("none" if value is None else value for value in rule.label_values)
    return f" {rule.label_key} to {values}" if rule.label_key else ""


def rule_bound(rule: Rule) -> str:
    """Return how often the event may happen in all."""
    return "unlimited" if rule.bound is None else f"at most {rule.bound:,} in all"


def scope(scenario: Scenario) -> str:
    """Return the explored scope: the objects, and the events with their bounds."""
    unlimited = list(dict.fromkeys(rule.event for rule in scenario.rules if rule.bound is None))
    bounded = [
        f"{rule.event} at most {'once' if rule.bound == 1 else f'{rule.bound:,} times'}"
        for rule in scenario.rules
        if rule.bound is not None and rule.event != ANY
    ]
    together = [
        f"at most {counted(rule.bound, 'event')} in all"
        for rule in scenario.rules
        if rule.event == ANY and rule.bound is not None
    ]
    events = ([f"{joined(unlimited)}{'' if together else ' without limit'}"] if unlimited else []) + bounded + together
    objects = [counted(len(scenario.pods), "pod"), counted(len(scenario.nodes), "node")]
    running = [f"the controllers {joined(list(scenario.running))}"]
    what = events + (running if scenario.running else [])
    return ", ".join(objects + (what or ["no event but the decisions of the scheduler"]))


def switched(checked: Checked) -> str:
    """Return that events were bounded, as the whole space is large; empty if they were not."""
    if not checked.whole:
        return ""
    return (
        f"The whole space was not explored: it has more than {counted(checked.whole, 'state')}. Instead, behaviours with at most"
        " 0, 1, … events were explored, each round to its end; whether a pod recovers from them is asked, not whether an event"
        " could still help it."
    )


def complete(result: Result) -> bool:
    """Whether every state was seen: neither a bound nor a violation stopped the exploration."""
    if result.directed is not None:
        return False
    on_the_way = [
        each for each in result.violations if not isinstance(each.property, Sometimes | Can | Progresses | Temporal)
    ]
    return not result.stopped and not on_the_way


def bounds(checked: Checked) -> str:
    """Return the bounds within which the verdict holds, in one sentence."""
    result, scenario = checked.result, checked.scenario
    if result.proof:
        return f"Proved by counting, without exploring any state: {result.proof}. Scope: {scope(scenario)}."
    if result.followed:
        ends = counted(result.followed, "behaviour was", "behaviours were")
        shown = "the shortest violation of them" if result.followed > 1 else "its violation"
        return f"The space is too large to explore. {ends} followed to the end; {shown} is shown."
    left = f"{counted(result.queue, 'state was', 'states were')} left unexpanded; the states beyond them are unknown."
    if result.directed is not None:
        return f"The search for loops ended with the violation, whose trace need not be the shortest: {left}"
    if not complete(result):
        return f"{_end(result)}: {left}"
    if scenario.constraints:
        within = joined(scenario.constraints)
        return f"Every state of the scenario within {within} was explored: {scope(scenario)}. States beyond were not expanded."
    if result.coverage.get(Unknown.__name__):
        return f"Every state that does not follow an unknown decision ({UNMODELLED}) was explored: {scope(scenario)}."
    if checked.all_seen:
        most = counted(checked.rounds[-2].events, "event")
        if checked.rounds[-1].states != checked.rounds[-2].states:
            return (
                f"More than {most} lead to no state that {most} {'does' if checked.rounds[-2].events == 1 else 'do'} not lead to, so that"
                f" every state was explored: {scope(scenario)}."
            )
        return f"No behaviour has more than {most}, and every state was explored: {scope(scenario)}."
    return f"Every state of the scenario was explored: {scope(scenario)}."


def _end(result: Result) -> str:
    """Return why the exploration ended early."""
    if result.verdict is Verdict.VIOLATED:
        return "The search ended with the violation"
    if result.stopped == "interrupted":
        return "Interrupted"
    if result.stopped.startswith("--"):
        return f"Gave up at {result.stopped}"
    return f"Gave up ({result.stopped})"


def extenders(scenario: Scenario) -> str:
    """Return which extenders are asked, and the assumption about the others; empty if none decides about these pods."""
    left_out = unasked.unasked(scenario)
    if left_out:
        may = family(left_out, FILTERING[scenario.scheduler])
        return f"{not_asked(each.url_prefix for each in left_out)}; in each cycle {may}"
    asked = dict.fromkeys(each.offer.url_prefix for each in unasked.asked(scenario))
    return f"asked, each question once: {listed(list(asked))}" if asked else ""


def family(offers: Sequence[Extender], filtering: str) -> str:
    """Return the explored answers of unasked extenders, in words; `filtering` are those to filter."""
    verbs = (
        ("filter_verb", filtering),
        ("prioritize_verb", "score each node from 0 to 10"),
        ("preempt_verb", "keep any candidates of preemption, with the victims as offered"),
    )
    may = [words for verb, words in verbs if any(getattr(each, verb) for each in offers)]
    fatal = any((each.filter_verb or each.preempt_verb) and not each.ignorable for each in offers)
    return f"{'it' if len(offers) == 1 else 'they'} may {'; '.join([*may, *(['or fail'] if fatal else [])]) or 'bind'}"


def uncounted(scenario: Scenario) -> str:
    """Return the resources that only extenders count; empty if none is requested."""
    names = sorted(unasked.uncounted(scenario))
    return f"{joined(names)}: only an extender counts what is requested on a node" if names else ""


def kind(question: Property) -> str:
    """Return the kind of a property: always, step, sometimes, can, once, eventually, leads_to, infinitely_often or ceases."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(question).__name__).lower()


def fairness(checked: Checked) -> str:
    """Return the fairness assumed of behaviours, if a temporal property is checked; else empty."""
    if not any(isinstance(each, Temporal) and not isinstance(each, Once) for each in checked.properties):
        return ""
    if checked.scenario.fairness == "none":
        return "none: no action need ever be taken"
    how = {"weak": "continuously", "strong": "infinitely often"}[checked.scenario.fairness]
    taken = f"an action that is enabled {how} is taken infinitely often"
    return f"{checked.scenario.fairness}: {taken}, if the scheduler or a controller takes it; events need not happen"


def standing(question: Property, result: Result) -> str:
    """Return whether the property holds, holds vacuously, is violated, is unknown, or is undecided.

    It is undecided if not every state was seen.
    """
    if question.name in {each.property.name for each in result.violations}:
        return VIOLATED
    if question.name in {name for name, _ in result.unknown}:
        return UNKNOWN
    if isinstance(question, Sometimes):
        return UNDECIDED if question.name in result.undecided else HOLDS
    if not complete(result):
        return UNDECIDED
    return VACUOUS if question.name in dict(result.vacuous) else HOLDS


def untested(checked: Checked) -> dict[str, str]:
    """Return the properties that hold vacuously, each with the reason."""
    result = checked.result
    held = {each.name for each in checked.properties if standing(each, result) == VACUOUS}
    return {name: why for name, why in result.vacuous if name in held}


class Judged(NamedTuple):
    """The result for one property; the premise that was never met, and the reason if it is unknown."""

    name: str
    kind: str
    claim: str
    verdict: str
    vacuous: str | None
    unknown: str | None


def outcomes(checked: Checked) -> Iterator[Judged]:
    """Yield what was found of each property, in the order in which they were asked."""
    result = checked.result
    vacuous, why = untested(checked), dict(result.unknown)
    for each in checked.properties:
        name = each.name
        yield Judged(name, kind(each), each.claim, standing(each, result), vacuous.get(name), why.get(name))


def warning(checked: Checked) -> str:
    """Return the warning that properties hold vacuously."""
    number = len(untested(checked))
    premises = "its premise was" if number == 1 else "their premises were"
    held = counted(number, "property holds", "properties hold")
    return f"{held} only because {premises} never met; the table says why."


def unknown(result: Result) -> list[str]:
    """Return the reasons why something is unknown."""
    reasons = dict.fromkeys(why for _, why in result.unknown)
    return [why if why == UNMODELLED else f"it depends on the answers; {why}" for why in reasons]


def symmetry(checked: Checked) -> list[list[str]]:
    """Return the classes of interchangeable objects; empty if symmetry was not used."""
    return [list(names) for names in checked.symmetry]


def one_for_all(checked: Checked) -> bool:
    """Whether a property of every pod was checked of fewer: under symmetry one pod represents its class."""
    scenario = checked.scenario
    by_default = asked_by_default(scenario) if isinstance(checked.machine, Reference) else ()
    texts = scenario.properties or by_default
    pods = [pod for pod in scenario.pods if scenario.properties or may_wait(pod, scenario)]
    of_every_pod = [name for name in OF_A_POD if {name, f"{name}()"} & {*texts}]
    asked = [question.name.partition("(")[0] for question in checked.properties]
    return any(0 < asked.count(name) < len(pods) for name in of_every_pod)


def evidence(question: Property, scenario: Scenario) -> str:
    """Return a sentence about the trace of a violated Sometimes or Can; empty for other kinds."""
    if isinstance(question, Can) and any(rule.event == ANY for rule in scenario.rules):
        return "From the last state of this trace it can no longer happen without more events."
    match question:
        case Sometimes():
            return "No reachable state is a witness, so there is no trace to show."
        case Can():
            return "From the last state of this trace it can no longer happen, whatever follows."
        case _:
            return ""


def loop(violation: Violation) -> str:
    """Return how the behaviour continues after its last step: by stuttering, or round a cycle."""
    last = len(violation.trace) - 1
    if violation.loop == last:
        return "No further step need happen: the behaviour may stay in this state forever."
    return f"From here on it repeats forever: step {last} leads back to the state of step {violation.loop}."

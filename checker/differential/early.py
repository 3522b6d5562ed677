"""The early production scheduler compared with the specification of the profile classic: `early_compared`.

For each pending pod, as if it were alone: the decision is one of the allowed ones, and all best nodes are found; the
reasons on each node, the scores, the victims on each node, and the pods that lose a nomination are the specified ones.
Both ways of 1.17 are compared: all predicates are evaluated, and each node's evaluation stops at a failure. Where the two
ways lead to different decisions, the second is excused by `STOPS`, as the profile is the first.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import fields, replace

from schedcheck.checker.differential.beside import Said
from schedcheck.checker.differential.decisions import TOO_MANY_ORDERS, Compared, Difference
from schedcheck.checker.differential.early_judgement import ByPredicate, Judgement, judged
from schedcheck.checker.exploring.memo import refuse_too_many_orders
from schedcheck.checker.limits.clock import TooManySets
from schedcheck.checker.limits.timer import doing, reason
from schedcheck.model.classic import fitting, prioritizing
from schedcheck.model.classic.preemption import Victims
from schedcheck.model.classic.reasons import Reasons
from schedcheck.model.classic.scheduler import Result, Scheduler
from schedcheck.spec.binding import completed
from schedcheck.spec.classic.decision import turn
from schedcheck.spec.classic.filtering import Failures
from schedcheck.spec.classic.policy import Classic, Weighted
from schedcheck.spec.classic.preemption import Candidate
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.nominations import outranked
from schedcheck.spec.objects import Node, Pod, Snapshot

STOPS = "stops-at-the-first-failure"
"""Excuses a decision that follows only because 1.17 stops on a node at the first predicate that fails."""

STOPPING = "where each node's predicates are evaluated up to the first that fails"

READ = frozenset(
    {
        "predicates", "label_presence", "service_affinity", "priorities", "by_allocatable", "most_volumes", "hard_weight",
    }
)  # fmt: skip
READ_OF_PRIORITY = frozenset({"name", "weight", "label", "preference"})
"""The fields of a policy, and of a priority in it, that the production scheduler reads."""

Detail = tuple[str, str, str]
"""What differs, as production and as the specification have it."""


def early_compared(
    snapshot: Snapshot, classic: Classic, only: Container[tuple[str, str]] | None = None
) -> Compared:  # fmt: skip
    """Compare what is found for each pod that may be scheduled, as if it were the next one, in order of names.

    `only`: the namespaces and names of the pods that are compared; None for all.
    """
    waiting = sorted((pod for pod in turn(snapshot) if only is None or pod.key in only), key=lambda pod: pod.key)
    lacking = missing(classic)
    if lacking:
        return Compared((), (), tuple((pod, lacking) for pod in waiting))
    agreed: list[tuple[Pod, frozenset[Decision]]] = []
    differences: list[Difference] = []
    unknown: list[tuple[Pod, str]] = []
    stopped = ""
    try:
        schedulers = informed(snapshot, classic, check_all=True), informed(snapshot, classic)
        for number, pod in enumerate(waiting, 1):
            doing(f"comparing pod {number} of {len(waiting)}")
            results = schedulers[0].schedule(pod), schedulers[1].schedule(pod)
            try:
                if not all(each.hosts for each in results):
                    refuse_too_many_orders(pod, snapshot)
            except TooManySets:
                unknown.append((pod, TOO_MANY_ORDERS))
                continue
            found = early_difference(results, snapshot, classic)
            if found is None:
                agreed.append((pod, decisions_of(results[0], snapshot)))
            else:
                differences.append(found)
    except KeyboardInterrupt as end:
        stopped = reason(end)
    left = len(waiting) - len(agreed) - len(differences) - len(unknown)
    return Compared(tuple(agreed), tuple(differences), tuple(unknown), left, stopped if left else "")


def missing(classic: Classic) -> str:
    """Return what of the policy the production scheduler does not have; empty if it has all.

    That is a predicate or priority that it does not know, or an argument, as extenders, that it does not read.
    """
    names = (*fitting.unknown(classic), *prioritizing.unknown(classic.priorities))
    unread = [
        *_unread(classic, READ),
        *(name for each in classic.priorities for name in _unread(each, READ_OF_PRIORITY)),
    ]
    lacking = [*names, *dict.fromkeys(unread)]
    return f"the production scheduler has no {', '.join(lacking)}" if lacking else ""


def _unread(policy: Classic | Weighted, read: frozenset[str]) -> list[str]:
    """Return the fields beside those that are read which do not have their default."""
    return [
        "extenders" if each.name == "unasked" else each.name.replace("_", " ")
        for each in fields(policy)
        if each.name not in read and getattr(policy, each.name) != each.default
    ]


def informed(snapshot: Snapshot, classic: Classic, check_all: bool = False) -> Scheduler:
    """Return a new scheduler that has learned of everything in the snapshot."""
    scheduler = Scheduler(classic, check_all)
    listers = scheduler.listers
    listers.services, listers.controllers = snapshot.services, snapshot.controllers
    listers.budgets, listers.storage = snapshot.budgets, snapshot.storage
    for node in snapshot.nodes:
        scheduler.node(None, node)
    for pod in snapshot.pods:
        scheduler.pod(None, pod)
    return scheduler


def early_difference(results: tuple[Result, Result], snapshot: Snapshot, classic: Classic) -> Difference | None:
    """Return how a result with all predicates, or one that stops at a failure, differs from what is allowed."""
    everything, stopping = judged(results[0].pod, snapshot, classic)
    found = departing(results[0], everything, snapshot)
    if found is not None:
        return found
    found = departing(results[1], stopping, snapshot)
    if found is not None:
        return replace(found, when=STOPPING)
    made = decisions_of(results[1], snapshot)
    if unworded(stopping.decisions) != unworded(everything.decisions):
        return Difference(results[1].pod, made, everything.decisions, (), (STOPS,))
    return None


def unworded(decisions: Iterable[Decision]) -> frozenset[Decision]:
    """Return the decisions without messages."""
    return frozenset(replace(each, message="") if isinstance(each, Wait) else each for each in decisions)


def decisions_of(result: Result, snapshot: Snapshot) -> frozenset[Decision]:
    """Return the possible outcomes of a result as decisions of the specification."""
    there = {node.name: node for node in snapshot.nodes}
    if result.hosts:
        return frozenset(Bind(result.pod, there[host]) for host in result.hosts)
    return frozenset(
        Nominate(result.pod, there[name], frozenset(result.tried[name].pods), clears_always=True)
        for name in result.nominated
    ) or frozenset({Wait(result.pod, result.message, result.cleared)})


def departing(result: Result, judgement: Judgement, snapshot: Snapshot) -> Difference | None:
    """Return how a result differs from the judgement; None if it does not.

    All best nodes are found. Of equally important pods any may be the victim, so a nomination is one of the allowed.
    """
    made, allowed = decisions_of(result, snapshot), judgement.decisions
    refusals = tuple(_refusals(result, judgement))
    details = (*_scores(result, judgement), *_victims(result, judgement), *_outranked(result, snapshot))
    chosen = made <= allowed if result.nominated else made == allowed
    if chosen and not refusals and not details:
        return None
    return Difference(result.pod, made, allowed, refusals, details=details)


def _refusals(result: Result, judgement: Judgement) -> Iterator[tuple[str, Said | None, Said | None]]:
    """Yield the predicates that fail otherwise than specified, by node."""
    for name in sorted({*result.failed, *result.errors, *judgement.failures}):
        ours, theirs = _ours(result, name), _theirs(judgement.failures.get(name, {}))
        for predicate in dict.fromkeys((*ours, *theirs)):
            if ours.get(predicate) != theirs.get(predicate):
                yield name, ours.get(predicate), theirs.get(predicate)


def _ours(result: Result, node: str) -> dict[str, Said]:
    """Return the refusals of a node by production, by predicate."""
    if node in result.errors:
        predicate, text = result.errors[node]
        return {predicate: (predicate, "Error", (text,))}
    return {name: _said(name, reasons) for name, reasons in result.failed.get(node, {}).items()}


def _said(name: str, reasons: Reasons) -> Said:
    final = any(reason.final for reason in reasons)
    return name, _code(final), tuple(sorted(reason.words for reason in reasons))


def _theirs(found: ByPredicate) -> dict[str, Said]:
    """Return the specified refusals of a node, by predicate."""
    return {name: _specified(name, failures) for name, failures in found.items()}


def _specified(name: str, failures: Failures) -> Said:
    words = tuple(sorted(failure.words for failure in failures))
    if any(failure.error for failure in failures):
        return name, "Error", words
    return name, _code(not all(failure.resolvable for failure in failures)), words


def _code(final: bool) -> str:
    return "UnschedulableAndUnresolvable" if final else "Unschedulable"


def _scores(result: Result, judgement: Judgement) -> Iterator[Detail]:
    """Yield the scores, and the weighted sums, that differ."""
    ours: dict[str, Mapping[str, int]] = {**result.scores.by_priority, "the sum": result.scores.totals}
    theirs: dict[str, Mapping[str, int]] = {**judgement.scores, "the sum": judgement.totals}
    for name in dict.fromkeys((*ours, *theirs)):
        rated, specified = ours.get(name, {}), theirs.get(name, {})
        for node in sorted({*rated, *specified}):
            if rated.get(node) != specified.get(node):
                yield f"{name} on {node}", _number(rated.get(node)), _number(specified.get(node))


def _number(score: int | None) -> str:
    return "nothing" if score is None else str(score)


def _victims(result: Result, judgement: Judgement) -> Iterator[Detail]:
    """Yield the nodes on which the victims are not possible ones."""
    for node in sorted({*result.tried, *judgement.candidates}):
        ours = _tried(result.tried.get(node))
        theirs = sorted({_candidate(each) for each in judgement.candidates.get(node, ())}) or ["none possible"]
        if ours not in theirs:
            yield f"the victims on {node}", ours, " or ".join(theirs)


def _tried(victims: Victims | None) -> str:
    return "none possible" if victims is None else _set(victims.pods, victims.violations)


def _candidate(candidate: Candidate) -> str:
    return _set(candidate.victims, candidate.violations)


def _set(pods: Iterable[Pod], violations: int) -> str:
    """Return victims as text, with the number of those that violate a budget."""
    names = ", ".join(str(pod) for pod in sorted(pods, key=lambda pod: pod.key))
    return f"{{{names}}}{f' with {violations} against a budget' if violations else ''}"


def _outranked(result: Result, snapshot: Snapshot) -> Iterator[Detail]:
    """Yield the nodes to which other pods lose their nomination than specified; ended pods are not seen."""
    there: dict[str, Node] = {node.name: node for node in snapshot.nodes}
    for name in result.nominated:
        ours = frozenset(result.outranked[name])
        theirs = frozenset(each for each in outranked(result.pod, there[name], snapshot) if not completed(each))
        if ours != theirs:
            yield f"the nominations to {name} that are lost", _set(ours, 0), _set(theirs, 0)

"""Whether a scheduler that is a program decides otherwise than a profile allows, or than another: `compare_scheduler`."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from schedcheck.api.answer import within
from schedcheck.api.asking import Foreign
from schedcheck.api.because import Because, Side
from schedcheck.api.check_scheduler import driven_by
from schedcheck.api.compare import Comparison, PodDifference, compared_pods, of_scenario, pending, side_of
from schedcheck.api.judge import Judging
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.told import NodeExplanation, Refusal
from schedcheck.api.values import SILENT, Limits, Observer, Profile, noting
from schedcheck.checker.foreign.machine import decisions_of
from schedcheck.checker.foreign.program import ANSWER_TIME
from schedcheck.checker.judging.judged import Judged
from schedcheck.checker.judging.reply import Reply
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests.seen import why_unseen
from schedcheck.spec.decisions import Bind, Nominate, Preempt
from schedcheck.spec.objects import Pod, Snapshot

ERROR = "error"
"""What stands for a cycle that ends in an error, among the texts of decisions."""


@dataclass(frozen=True)
class Spoken:
    """What a program says of a pod.

    side
        The decision, or the bindings that are as good by the scores that it tells; and what it tells of nodes.
    does, may
        The texts of the decision, and of everything as good; several where it leaves its victims open.
    judged
        The judgement of the decision by the profile.
    """

    side: Side
    does: frozenset[str]
    may: frozenset[str]
    judged: Judged

    def agrees(self, other: "Spoken") -> bool:
        """Whether each of the two does what the other may do."""
        return self.does <= other.may and other.does <= self.may


def compare_scheduler(
    commands: str | Sequence[str],
    cluster: Cluster,
    *,
    profile: Profile | str | None = None,
    selector: str | None = None,
    namespace: str | None = None,
    answer_time: float = ANSWER_TIME,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Comparison:
    """Compare what a program does with each pending pod with what a profile allows, or with what another program does.

    Two programs agree if each does what the other may do: what it did, or where it tells scores, the binding to any
    feasible node with the highest one.

    commands
        One program, which is compared with the profile, or two. Each is split into words as a shell does.
    profile
        Also says which pods are compared: those with its scheduler names.
    selector, namespace
        A label selector as kubectl takes it (`app=web,tier!=test`), and the namespace of the pods; None for all pods.
    answer_time
        The seconds in which a question is to be answered.

    Raises: InputError, also if a program cannot be started; Unanswerable, GaveUp.
    """
    asked = one_or_two(commands)
    limits = limits or Limits()
    with within(limits), ExitStack() as stack:
        told, notes = noting(observer)
        chosen = of_scenario(cluster, profile)
        made = prepared(cluster, chosen, told)
        judging = Judging(made, "best", False, limits)
        programs = [stack.enter_context(driven_by(each, answer_time)) for each in asked]
        schedulers = [Foreign(each, judging, cluster.whole) for each in programs]
        waiting = pending(cluster, frozenset(pod.key for pod in made.cluster.pods), selector, namespace)
        pods = compared_pods(waiting, lambda pod: _compared(pod, made, schedulers))
        ends = [each.command for each in programs]
        first = ends[0] if len(ends) > 1 else chosen
        return Comparison(first, ends[-1], *pods, notes=tuple(notes), aside=made.scenario)


def one_or_two(commands: str | Sequence[str]) -> list[str]:
    """Return the commands. Raises: InputError for none, or for more than two."""
    asked = [commands] if isinstance(commands, str) else list(commands)
    if not 0 < len(asked) < 3:
        raise InputError("expected one or two programs", path=parameter("command"))
    return asked


def differing(spoken: Sequence[Spoken]) -> bool | None:
    """Whether the two programs, or the one and the profile, differ; None where that is unknown."""
    one, *others = spoken
    if others:
        return not one.agrees(others[0])
    return None if one.judged.verdict == "unknown" else one.judged.verdict == "refused"


def spoken_by(foreign: Foreign, pod: Pod, snapshot: Snapshot) -> Spoken | str:
    """Ask a program about a pod; return why there is no answer where there is none."""
    answered = foreign.ask(pod, snapshot)
    if answered.reply is None or answered.judged is None:
        return f"{' '.join(foreign.program.command)} {answered.failure}"
    return _spoken(answered.reply, answered.judged, pod, snapshot)


def _spoken(reply: Reply, judged: Judged, pod: Pod, snapshot: Snapshot) -> Spoken:
    decided = tuple(sorted(decisions_of(reply, pod, snapshot, judged), key=str))
    nodes = {
        name: _node(name, reply)
        for name in sorted({*(reply.refusals or {}), *(reply.scores or {}), *([reply.node] if reply.node else [])})
    }
    does = frozenset({ERROR}) if reply.kind == "error" else frozenset(map(str, decided))
    ties = _ties(reply, nodes, pod, snapshot)
    return Spoken(Side("", ties or decided, reply.message or "", nodes), does, does.union(map(str, ties)), judged)


def _node(name: str, reply: Reply) -> NodeExplanation:
    """Return what a reply tells of a node. One to which the pod is bound is feasible to the program."""
    told = None if reply.refusals is None else reply.refusals.get(name)
    bound = reply.kind == "bind" and reply.node == name
    feasible = bound or None if told is None else not told
    refusals = tuple(Refusal(each.plugin, each.code, each.reasons) for each in told or ())
    return NodeExplanation(name, feasible, "", refusals, None, (reply.scores or {}).get(name))


def _ties(reply: Reply, nodes: dict[str, NodeExplanation], pod: Pod, snapshot: Snapshot) -> tuple[Bind, ...]:
    """Return the bindings that are as good by the scores of a reply; none if it binds no pod or tells no such scores."""
    scores = {name: each.total for name, each in nodes.items() if each.total is not None and each.feasible is not False}
    if reply.kind != "bind" or reply.node not in scores or scores[reply.node] < max(scores.values()):
        return ()
    return tuple(Bind(pod, node) for node in snapshot.nodes if scores.get(node.name) == scores[reply.node])


def _compared(pod: Pod, made: Prepared, schedulers: Sequence[Foreign]) -> PodDifference | Side | str:
    """Return the difference on a pod, what the first says if there is none, or why it is unknown."""
    unseen = why_unseen(pod, made.whole, made.given.schedulers)
    if unseen:
        return Side(unseen, (), "", {})
    snapshot = schedulers[0].judging.snapshot(made.cluster, pod)
    spoken: list[Spoken] = []
    for foreign in schedulers:
        said = spoken_by(foreign, pod, snapshot)
        if isinstance(said, str):
            return said
        spoken.append(said)
    found = differing(spoken)
    if found is None:
        return "; ".join(spoken[0].judged.reasons)
    if len(spoken) > 1:
        first, second = spoken[0].side, spoken[1].side
    else:
        told = side_of(pod, made)
        if isinstance(told, str):
            return told
        first, second = told[0], spoken[0].side
    if not found:
        return first
    cause = because(first, second)
    names = dict.fromkeys((*cause.nodes, *_told_otherwise(first, second)))
    return PodDifference(pod, first, second, cause, tuple(sorted(names)))


def because(first: Side, second: Side) -> Because:
    """Return the first thing told of nodes in which the two differ; "untold" where the replies tell too little."""
    pairs = [(name, first.nodes[name], second.nodes[name]) for name in first.nodes if name in second.nodes]
    refused = [(name, _refusing(*pair)) for name, *pair in pairs if {each.feasible for each in pair} == {True, False}]
    if refused:
        plugin = refused[0][1]
        return Because("filter", plugin, tuple(name for name, each in refused if each == plugin))
    scored = tuple(name for name, one, other in pairs if _scored_otherwise(one, other))
    worse = _less_than_best(first, second)
    if scored or worse:
        return Because("score", "", scored or worse)
    evicting = all(isinstance(each, Nominate | Preempt) for side in (first, second) for each in side.decisions)
    return Because("preemption" if evicting else "untold", "", ())


def _less_than_best(first: Side, second: Side) -> tuple[str, ...]:
    """Return the nodes that the two bind the pod to, if the first tells the scores of them all, and they differ."""
    bound = [each.node.name for side in (second, first) for each in side.decisions if isinstance(each, Bind)]
    totals = {name: first.nodes[name].total for name in bound if name in first.nodes}
    told = len(totals) == len(set(bound)) and None not in totals.values() and len(set(totals.values())) > 1
    return tuple(totals) if told else ()


def _told_otherwise(first: Side, second: Side) -> list[str]:
    """Return the nodes of which both tell something, and not the same: the verdict, the refusals or the score."""
    found = []
    for name in sorted({*first.nodes} & {*second.nodes}):
        one, other = first.nodes[name], second.nodes[name]
        refused = [[(each.plugin, each.reasons) for each in node.refusals] for node in (one, other)]
        judged = None not in (one.feasible, other.feasible)
        if _scored_otherwise(one, other) or (judged and (one.feasible != other.feasible or refused[0] != refused[1])):
            found.append(name)
    return found


def _scored_otherwise(one: NodeExplanation, other: NodeExplanation) -> bool:
    return None not in (one.total, other.total) and one.total != other.total


def _refusing(one: NodeExplanation, other: NodeExplanation) -> str:
    """Return the plugin that refuses the node in one of the two; empty where it is not told."""
    return next((each.plugin or "" for each in (*one.refusals, *other.refusals)), "")

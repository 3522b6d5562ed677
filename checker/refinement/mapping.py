"""The refinement of the specification by the production scheduler: `image`, `refines`, `progresses`, `known`.

The specification of `kubernetes` takes a decision and carries it out in one step. Production decides in a scheduling
cycle, on the delivered objects, and makes the resulting changes later, one by one. So a state of production is mapped
to the API objects together with the pending changes, and a step of production is one of these, or several at once:

    an event around the scheduler;
    a decision on one pod that the specification allows on the scheduler's knowledge: all its changes become pending;
    a pending change is made;
    a pending change is given up, and with a binding the nomination of its pod.

If nothing else happens in between, this is a step of the specification itself. tla/KubeAsynchronous.tla says the same;
in tla/ProductionRefinement.tla TLC checks the states and steps of small clusters.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from schedcheck.model.production.machine.actions import Step as Own
from schedcheck.model.production.machine.actions import Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.model.production.volumes.assumed import assuming
from schedcheck.model.reference import State as Objects
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.nominations import outranked
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.properties.kinds import Progresses, Step
from schedcheck.spec.published.control_loop import after

Key = tuple[str, str]


class Change(NamedTuple):
    """A change that the decision on the pod `by` requires: `bind`, `nominate` (to no node: clear it) or `evict` a pod.

    TLA+: Change(By, Verb, Pod, Node) == [By |-> Identity(By), Verb |-> Verb, Pod |-> Identity(Pod), Node |-> Node]
    """

    by: Key
    verb: str
    pod: Key
    node: str = ""


class Image(NamedTuple):
    """A state of the specification whose decisions take time: the API objects, and the pending changes."""

    objects: Objects
    owed: frozenset[Change]


def image(state: State) -> Image:
    """Return the state of the specification that a state of production represents."""
    memory = state.memory
    binding = (Change(each.pod.key, "bind", each.pod.key, each.node) for each in memory.bindings)
    evicting = (
        change
        for preemptor, _, victims, losers, *_ in memory.evictions
        for change in (
            *(Change(preemptor.key, "evict", victim.key) for victim in victims),
            *(Change(preemptor.key, "nominate", loser.key) for loser in losers),
        )
    )
    return Image(state.objects, frozenset([*binding, *evicting]))


def known(machine: Production, state: State) -> Snapshot:
    """Return the knowledge of the machine's scheduler: delivered objects, assumed pods and volumes, and nominations."""
    memory = state.memory
    nominated = dict(memory.nominations)
    pods = {
        pod.key: pod if pod.node_name else replace(pod, nominated_node_name=nominated.get(pod.key, ""))
        for pod in memory.pods
    }
    pods |= {pod.key: pod for pod in memory.assumed}
    objects = machine.view(state)
    storage = assuming(objects.storage, memory.volumes, memory.claims)
    return replace(objects, pods=Snapshot.of(pods.values()).pods, nodes=tuple(memory.nodes), storage=storage)


def written(machine: Production, state: State) -> Snapshot:
    """Return the API objects, with the volumes that were assumed for pods no longer being bound.

    These are the volumes that a completed binding writes. The volumes of the model's API server do not change.
    `assumes_and_releases_volumes` claims that exactly the volumes to be written are assumed, and for which pods.
    """
    objects, memory = machine.view(state), state.memory
    volumes = {name for each in memory.bindings for name in each.reserved.volumes}
    claims = {key for each in memory.bindings for key in each.reserved.claims}
    storage = assuming(
        objects.storage,
        (each for each in memory.volumes if each.name not in volumes),
        (each for each in memory.claims if each.key not in claims),
    )
    return replace(objects, storage=storage)


def with_pod(pod: Pod, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with the pod as it was taken from the queue, possibly without its own nomination.

    An earlier pod with its name and another uid stays: it occupies the node until its end is known.
    """
    place = bisect_left(snapshot.pods, pod.key, key=_key)
    if [each for each in snapshot.pods[place : place + 2] if each.key == pod.key] == [pod]:
        return snapshot
    others = (each for each in snapshot.pods if each.identity != pod.identity)
    return replace(snapshot, pods=Snapshot.of([pod, *others]).pods)


def _key(pod: Pod) -> tuple[str, str]:
    return pod.key


def calls_for(decided: Decision, snapshot: Snapshot) -> frozenset[Change]:
    r"""Return the changes that a decision on this snapshot requires.

    If all victims are already terminating, no other pod loses its nomination.

    TLA+: CallsFor(Decided, Pod, Snapshot) ==
            LET Alive == {Victim \in Decided.Victims : ~Victim.Terminating}
                Losing == IF Alive = {} THEN {} ELSE Outranked(Pod, Decided.Node, Snapshot)
            IN CASE Decided.Kind = "Bind" -> {Change(Pod, "bind", Pod, Decided.Node.Name)}
                 [] Decided.Kind = "Nominate" ->
                      {Change(Pod, "nominate", Pod, Decided.Node.Name)}
                      \union {Change(Pod, "evict", Victim, "") : Victim \in Alive}
                      \union {Change(Pod, "nominate", Loser, "") : Loser \in Losing}
                 [] OTHER -> IF Decided.Unnominated THEN {Change(Pod, "nominate", Pod, "")} ELSE {}
    """
    key = decided.pod.key
    match decided:
        case Bind(_, node):
            return frozenset({Change(key, "bind", key, node.name)})
        case Nominate(pod, node, victims):
            alive = [victim for victim in victims if not victim.terminating]
            losing = outranked(pod, node, snapshot) if alive else ()
            return frozenset(
                [
                    Change(key, "nominate", key, node.name),
                    *(Change(key, "evict", victim.key) for victim in alive),
                    *(Change(key, "nominate", loser.key) for loser in losing),
                ]
            )
        case Wait(unnominated=True):
            return frozenset({Change(key, "nominate", key)})
        case _:
            return frozenset()


def made(change: Change, pod: Pod) -> Pod:
    r"""Return the pod after a change; `bind` has no effect on a bound or terminating pod.

    TLA+: Made(Each, Pod) ==
            CASE Each.Verb = "bind" /\ Pod.Spec.NodeName = "" /\ ~Pod.Terminating ->
                   [Pod EXCEPT !.Spec.NodeName = Each.Node, !.Status.NominatedNodeName = ""]
              [] Each.Verb = "nominate" -> [Pod EXCEPT !.Status.NominatedNodeName = Each.Node]
              [] Each.Verb = "evict" -> [Pod EXCEPT !.Terminating = TRUE, !.Status.Preempted = TRUE]
              [] OTHER -> Pod
    """
    match change.verb:
        case "bind" if not pod.node_name and not pod.terminating:
            return replace(pod, node_name=change.node, nominated_node_name="")
        case "nominate":
            return replace(pod, nominated_node_name=change.node)
        case "evict":
            return replace(pod, terminating=True, preempted=True)
        case _:
            return pod


def refines(machine: Production) -> Callable[[State, Any, State], bool]:
    """Every step is an event, or a step of a specification whose decisions take time.

    It is judged on the API objects and the pending changes.
    """
    # Many states agree in everything on which a decision depends.
    called_for = cache(_called_for)

    def holds(before: State, action: Any, reached: State) -> bool:
        start, end = image(before), image(reached)
        if not isinstance(action, Own):
            happened = ((str(event), objects) for event, objects in machine.environment.events(before.objects))
            return start.owed == end.owed and (str(action), end.objects) in happened
        if _follows(start, frozenset(), end):
            return True
        if not isinstance(action, Try) or action.concluded is None:
            return False
        pod = action.concluded.pod
        plugins = by_scheduler_name(pod, machine.scenario.plugins)
        return any(
            _follows(start, each, end) for each in called_for(pod, with_pod(pod, known(machine, before)), plugins)
        )

    return holds


def _called_for(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[frozenset[Change]]:
    r"""Return for each decision allowed in the cycle of a pod the changes that it requires.

    TLA+: Decide(Pod, Known) ==
            /\ Pod \in KubeTurn(Known)
            /\ \E Decided \in KubeDecisions(Pod, Known) : Follows(CallsFor(Decided, Pod, Known))
    """
    decided = decision(pod, snapshot, plugins) if pod in turn(snapshot, plugins) else ()
    return frozenset(calls_for(each, snapshot) for each in decided)


def _follows(start: Image, called_for: frozenset[Change], end: Image) -> bool:
    r"""Whether `end` results if these changes become pending too, and those no longer pending are made or given up.

    TLA+: Follows(CalledFor) ==
            LET Over == (Owed \union CalledFor) \ Owed'
                Ending == {[Each EXCEPT !.Verb = "nominate", !.Node = ""] : Each \in {Each \in Over : Each.Verb = "bind"}}
                Of(Pod) == {Each \in Over \union Ending : Each.Pod = Identity(Pod)}
                MayBecome(Object) ==
                  {Object} \union IF Object.Kind = "Pod" THEN {Made(Each, Object) : Each \in Of(Object)} ELSE {}
            IN /\ Owed' \subseteq Owed \union CalledFor
               /\ \A Object \in Objects : MayBecome(Object) \intersect Objects' # {}
               /\ \A Object \in Objects' : \E Before \in Objects : Object \in MayBecome(Before)
    """
    over = (start.owed | called_for) - end.owed
    over |= {Change(change.by, "nominate", change.pod) for change in over if change.verb == "bind"}
    pairs = zip(start.objects.pods, end.objects.pods, strict=True)
    changed = [(was, now) for was, now in pairs if was != now]
    return (
        end.owed <= start.owed | called_for
        and start.objects._replace(pods=()) == end.objects._replace(pods=())
        and all(was is not None and any(_made(change, was) == now for change in over) for was, now in changed)
    )


def _made(change: Change, pod: Pod) -> Pod | None:
    """Return the pod after the change, None if the change is about another pod."""
    return made(change, pod) if change.pod == pod.key else None


def something_is_due(machine: Production) -> Callable[[State], bool]:
    r"""Return the predicate whether the specification has a step on the current API objects.

    Such a step is a binding, an eviction or the end of a nomination.

    TLA+: Due(Snapshot) ==
            \E Pod \in KubeTurn(Snapshot) : \E Decided \in KubeDecisions(Pod, Snapshot) :
              \/ KubeAfter(Decided, Pod, Snapshot) # Snapshot
              \/ \E Victim \in Decided.Victims : ~Victim.Terminating
    """

    @cache
    def holds(objects: Snapshot) -> bool:
        return any(
            _does_something(decided, objects)
            for plugins in machine.scenario.plugins
            for pod in turn(objects, plugins)
            for decided in decision(pod, objects, plugins)
        )

    return lambda state: holds(written(machine, state))


def _does_something(decided: Decision, objects: Snapshot) -> bool:
    """Whether the decision changes the objects or evicts a pod."""
    evicting = isinstance(decided, Nominate) and not all(victim.terminating for victim in decided.victims)
    return evicting or after(decided, objects) != objects


def of_its_own(action: Any) -> tuple[str, str] | None:
    """Return the name of a step of the scheduler, a watch or a timer: its kind and its subject; None for an event."""
    return (type(action).__name__, action.about) if isinstance(action, Own) else None


def refinement(machine: Production) -> tuple[Step, Progresses]:
    """Return the properties that production refines the specification, and always makes the progress that it should."""
    return (
        Step("refines", (refines.__doc__ or "").partition("\n")[0], machine.kinds(), refines(machine)),
        Progresses(
            "progresses",
            "The API objects do not stay unchanged forever while the specification has a step on them.",
            something_is_due(machine),
            lambda state: state.objects,
            of_its_own,
        ),
    )

"""The kinds of property that can be checked of a scheduler.

- `Always` holds in every reachable snapshot; `Step` holds of every step of the given kinds.
- `Sometimes` demands one reachable snapshot as a witness.
- `Can`: from every reachable snapshot in which `when` holds, a snapshot in which `holds` holds remains reachable.
- `Eventually`, `LeadsTo`, `InfinitelyOften`, `Ceases` and `Behaves` speak of infinite behaviours that are fair. Steps
  of the kinds `meanwhile` happen only finitely often in them: those of an environment that is assumed to rest.
- `Once` demands that no two steps have a common mark, unless a step of the environment lies between them.
- `Progresses` demands that no fair behaviour stands still while something is due. It is fair to names of its own, which
  are coarser than actions.

Properties are judged by a profile of their own, `corrected` unless said otherwise, so that a faulty scheduler does not
judge itself. `mentions` holds every name and label value that a property singles out, so that no symmetry permutes an
object of that name. All `premises` must be met, or the property holds vacuously. A kind with an implicit premise
(`when` holds somewhere, a step of the kinds is taken) need not state it: see `premises`.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Premise:
    """A condition without which a property holds only vacuously.

    It is met by a step of `kinds` of which `taken` holds, or by a reachable snapshot in which `when` holds. `unmet`
    says why the property is vacuous otherwise. `of_pods`: `when` holds in a snapshot if it holds of one of its pods
    alone with the pod's node.
    """

    unmet: str
    kinds: tuple[type, ...] = ()
    taken: Callable[[Any, Any, Any], bool] | None = None
    when: Callable[[Any], bool] | None = None
    of_pods: bool = False


@dataclass(frozen=True)
class Always:
    """An invariant: `holds` is true of every reachable snapshot."""

    name: str
    claim: str
    holds: Callable[[Any], bool]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Step:
    """A property of steps: `holds` is true of (snapshot before, action, snapshot after) for every action of `kinds`.

    `of_states`: the property ignores the action, and is true of steps that change nothing.
    """

    name: str
    claim: str
    kinds: tuple[type, ...]
    holds: Callable[[Any, Any, Any], bool]
    mentions: frozenset[str] = frozenset()
    of_states: bool = False
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Sometimes:
    """A reachability property: `holds` is true of at least one reachable snapshot."""

    name: str
    claim: str
    holds: Callable[[Any], bool]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Can:
    """From every reachable snapshot in which `when` holds, a snapshot in which `holds` holds remains reachable."""

    name: str
    claim: str
    when: Callable[[Any], bool]
    holds: Callable[[Any], bool]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Progresses:
    r"""No fair behaviour stays from some point on in states that are `due` and for which `shown` has one value.

    A behaviour is strongly fair to each name that `fair` gives: if steps of that name that change the state are possible
    infinitely often, such steps are taken infinitely often. Steps named None need never be taken.

    Formula: (\A Name : SF_State(Taken(Name))) => \A Value : []<>~(Due /\ Shown = Value)
    """

    name: str
    claim: str
    due: Callable[[Any], bool]
    shown: Callable[[Any], Hashable]
    fair: Callable[[Any], Hashable]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Fairness:
    r"""The kinds of action that are treated fairly: weakly, strongly; no other kind is.

    Fairness is for each instance of these kinds, an action with its arguments, as `Bind(web-1, node-a)`. Only steps
    that change something count.

    Formula: \A Action \in Weak : WF_Objects(Action) /\ \A Action \in Strong : SF_Objects(Action)
    """

    weak: tuple[type, ...] = ()
    strong: tuple[type, ...] = ()


UNFAIR = Fairness()
"""No fairness at all: no action need ever be taken."""


@dataclass(frozen=True)
class Eventually:
    """Every behaviour reaches a snapshot in which `holds` holds.

    Formula: <>[][~Meanwhile]_Objects => <>Holds
    """

    name: str
    claim: str
    holds: Callable[[Any], bool]
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class LeadsTo:
    """Every snapshot in which `when` holds is followed by one in which `holds` holds, or is one itself.

    Formula: <>[][~Meanwhile]_Objects => (When ~> Holds)
    """

    name: str
    claim: str
    when: Callable[[Any], bool]
    holds: Callable[[Any], bool]
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class InfinitelyOften:
    """If `when` holds infinitely often, so does `holds`.

    Formula: <>[][~Meanwhile]_Objects => ([]<>When => []<>Holds)
    """

    name: str
    claim: str
    holds: Callable[[Any], bool]
    when: Callable[[Any], bool] = lambda snapshot: True
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Ceases:
    """Steps of `kinds` that change something happen only finitely often.

    A step that changes nothing is a stuttering step. A behaviour that takes only such steps from some point on is the
    same behaviour as one that has ended, whatever the steps are called.

    Formula: <>[][~Meanwhile]_Objects => <>[][~Kinds]_Objects
    """

    name: str
    claim: str
    kinds: tuple[type, ...]
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Behaves:
    """A predicate on whole fair behaviours: `holds` of their snapshots and the position to which the last one returns.

    `search` finds a behaviour that violates it in the graph of all states, or None. It is given the graph, a function
    from a state's number to its snapshot, and the memory limit in GiB.
    """

    name: str
    claim: str
    holds: Callable[[Sequence[Any], int], bool]
    search: Callable[[Any, Callable[[int], Any], float | None], Any]
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Once:
    r"""No behaviour has two steps with a common mark, unless a step of the kinds `apart` lies between them.

    `marks` gives the marks of an action of `kinds` in a state of the machine, which is more than a snapshot. Steps that
    change nothing do not count. No kind is both of `kinds` and of `apart`. No fairness matters, as a violation is finite.

    Formula, with the history variable Seen, which is {} at first:
      [][Marks \cap Seen = {} /\ Seen' = IF Apart THEN {} ELSE Seen \cup Marks]_Objects
    """

    name: str
    claim: str
    kinds: tuple[type, ...]
    marks: Callable[[Any, Any], frozenset[Any]]
    apart: tuple[type, ...] = ()
    fairness: Fairness = UNFAIR
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


Temporal = Eventually | LeadsTo | InfinitelyOften | Ceases | Behaves | Once

Property = Always | Step | Sometimes | Can | Progresses | Temporal


def premises(question: Property) -> tuple[Premise, ...]:
    """The premises of the property: its own, else the implicit ones of its kind."""
    if question.premises:
        return question.premises
    match question:
        case Step(of_states=False):
            return (Premise("no step of its kinds was ever taken", question.kinds),)
        case Once():
            return (Premise("no step of its kinds was ever taken", question.kinds),)
        case Ceases():
            return (Premise("no step that must come to an end ever changed anything", question.kinds),)
        case Can() | LeadsTo() | InfinitelyOften():
            return (Premise("its premise never held", when=question.when),)
        case Progresses():
            return (Premise("nothing was ever due", when=question.due),)
        case _:
            return ()

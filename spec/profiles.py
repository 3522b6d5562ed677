"""Profiles: which faults of the printed model are on, and so what the operators of the control loop mean.

Values: ARTICLE, CORRECTED; `profile` makes any other.
"""

from collections.abc import Callable
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.decisions import Decision
from schedcheck.spec.departures import NO_DEPARTURES
from schedcheck.spec.faults import ALL_FAULTS, NO_FAULTS, Faults
from schedcheck.spec.feasibility import feasibility
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.preemption import VictimSets, casualty, victim_sets
from schedcheck.spec.scheduling import decision, turn
from schedcheck.spec.viability import viability


@dataclass(frozen=True)
class Profile:
    """What the control loop is stated over: the constants of the TLA+ modules, and the operators under them.

    The operators are values so that an explorer can put a remembering one in the place of each; the definitions
    themselves remember nothing. `turn` and `decision` are the two relations of the loop: the printed ones, or those of
    kube-scheduler with its `plugins`.
    """

    name: str
    faults: Faults
    rated_resource: str
    feasibility: Callable[[Pod, Node, Snapshot], bool]
    viability: Callable[[Pod, Node, Snapshot], int]
    victim_sets: Callable[[Pod, Node, Snapshot], VictimSets]
    casualty: Callable[[frozenset[Pod]], tuple[int, int, int]]
    turn: Callable[[Snapshot, "Profile"], frozenset[Pod]] = turn
    decision: Callable[[Pod, Snapshot, "Profile"], frozenset[Decision]] = decision
    plugins: Plugins | None = None


def profile(name: str, faults: Faults, rated_resource: str = "cpu") -> Profile:
    """The profile in which exactly these faults are on, and viability rates `rated_resource`."""

    def feasible(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        return feasibility(pod, node, snapshot, faults)

    def viable(pod: Pod, node: Node, snapshot: Snapshot) -> int:
        return viability(pod, node, snapshot, rated_resource, faults)

    def victims(pod: Pod, node: Node, snapshot: Snapshot) -> VictimSets:
        return victim_sets(pod, node, snapshot, made)

    made = Profile(name, faults, rated_resource, feasible, viable, victims, casualty)
    return made


ARTICLE = profile("article", ALL_FAULTS)
CORRECTED = profile("corrected", NO_FAULTS)

KUBERNETES = frozendict(
    {"kubernetes": DEFAULT_PLUGINS, "kubernetes-documented": DEFAULT_PLUGINS.departing(NO_DEPARTURES)}
)
"""kube-scheduler 1.34 as it is, and as its documentation says, by the names of the profiles."""

NAMES = ("article", "corrected", *KUBERNETES)
"""The profiles by name."""

"""Cycles in which one node is tried, composed from parts that other questions share: `Parts`.

What a cycle computes before it tries a node depends on little. The result of a plugin at PreFilter depends on the pod
alone, unless its footprint says otherwise. The counts of PodTopologySpread and InterPodAffinity depend on the counted
pods and on all nodes, and not on the node that is tried. Each part is computed by its definition, once for all cycles
in which it is the same, and is given to the cycle; all else is composed from the parts by the definitions of a cycle.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.derived import given
from schedcheck.spec.footprints import Width
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.filter import FOOTPRINTS
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pre_filter import PRE_FILTERS, PRE_FOOTPRINTS
from schedcheck.spec.objects import Pod
from schedcheck.spec.values import Amounts

AT_PRE_FILTER = ("outcomes", "asked", "rejection", "skipped", "narrowing", "named")
"""The fields that a cycle computes before it tries a node."""

COUNTED = ("spread", "around")
"""The counts over all nodes that the filters of a pod without volumes read."""

CHANGING = frozenset(name for name, each in PRE_FOOTPRINTS.items() if each.width > Width.POD)
"""The plugins whose result at PreFilter may depend on nodes and other pods."""

OF_THE_NODE = frozenset(
    name
    for name, each in FOOTPRINTS.items()
    if each.width == Width.NODE and all(path.startswith("node.") for path in each.paths)
)
"""The filters that look at the node alone, not at its pods."""

Requested = dict[tuple[Departures, tuple[int, ...]], tuple[tuple[Pod, ...], Amounts]]
"""A memo of the total requests of pods, by departures and object identities; it keeps the pods, so that these stay valid."""


@dataclass(frozen=True)
class Remembering(NodeInfo):
    """A node with its pods and a memo of their total requests."""

    known: Requested = field(default_factory=dict, compare=False)

    def summed(self, departures: Departures) -> Amounts:
        """Return the total that the pods use."""
        which = departures, tuple(map(id, self.pods))
        if which not in self.known:
            self.known[which] = self.pods, super().summed(departures)
        return self.known[which][1]


class Parts:
    """Memos of the parts of cycles."""

    def __init__(self) -> None:
        self.requested: Requested = {}
        self._first: dict[Hashable, Cycle] = {}
        self._at_pre_filter: dict[Hashable, dict[str, Any]] = {}
        self._counts: dict[Hashable, tuple[int, dict[str, Any]]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._with_filters: dict[Hashable, tuple[Plugins, Plugins]] = {}

    def prepared(self, made: Cycle, asker: Hashable, *, counted: Hashable = None, changes: bool = True) -> Cycle:
        """Return the cycle with its results of PreFilter and its counts.

        `asker` stands for the pod without its name. `counted` stands for what `counts` is given; None if it is not known.
        `changes`: a plugin of `CHANGING` may see more than the pod.
        """
        plugins = made.plugins
        # Within a profile a scheduler name stands for one set of plugins; the judge differs only in departures.
        named = asker, made.pod.nominated_node_name, plugins.scheduler_name, plugins.departures
        if counted is not None:
            self._count(made, counted)
        first = self._first.setdefault(named, made)
        question: Hashable = named
        if changes and first is not made:
            names = [name for name in plugins.at("preFilter") if name in CHANGING]
            found = {name: PRE_FILTERS[name](made) for name in names}
            question = named, tuple(found.values())
            if question not in self._at_pre_filter:
                given(made, outcomes=frozendict({**first.outcomes, **found}))
        elif changes:
            question = named, tuple(each for name, each in made.outcomes.items() if name in CHANGING)
        known = self._at_pre_filter.get(question)
        if known is None:
            known = self._at_pre_filter[question] = {name: getattr(made, name) for name in AT_PRE_FILTER}
        vars(made).update(known)
        return made

    def counts(self, counted: Hashable, make: Callable[[], Cycle]) -> int:
        """Return a number that stands for the counts; `make` prepares a cycle that counts, if they are not known.

        `counted` stands for the pod and the plugins, the pods that are counted, and all nodes.
        """
        if counted not in self._counts:
            make()
        return self._counts[counted][0]

    def _count(self, made: Cycle, counted: Hashable) -> None:
        if counted not in self._counts:
            found = {name: getattr(made, name) for name in COUNTED}
            number = self._numbers.setdefault(tuple(found.values()), len(self._numbers))
            self._counts[counted] = number, found
        vars(made).update(self._counts[counted][1])

    def only(self, made: Cycle, named: Hashable, asked: Callable[[str], bool]) -> Cycle:
        """Return the cycle with only the filters that `asked` selects; `named` stands for what this depends on."""
        question = id(made.plugins), named
        if question not in self._with_filters:
            points = made.plugins.points.set("filter", tuple(filter(asked, made.plugins.at("filter"))))
            # The plugins are kept as well, so that no other object gets their identity.
            self._with_filters[question] = made.plugins, replace(made.plugins, points=points)
        alone = object.__new__(Cycle)
        # All that the cycle has computed is the same with other filters.
        vars(alone).update(vars(made))
        vars(alone)["plugins"] = self._with_filters[question][1]
        return alone

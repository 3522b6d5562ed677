"""Kinds of pods and their terms that are kept up to date as pods come and go: `Kinds`, `Joined`, `StandingTerms`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from schedcheck.checker.vectors.classes import Numbers
from schedcheck.checker.vectors.cluster import Kind, Terms, alike_in
from schedcheck.checker.vectors.tallied import Tallied
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import PodAffinityTerm

NOWHERE = np.zeros(0, np.int64)
Told = Callable[[Pod], Iterable[tuple[int, PodAffinityTerm]]]
"""The weighted terms of a pod."""

FEWEST_EMPTY = 1000
"""The least number of kinds without pods that are dropped; fewer are kept."""


@dataclass(eq=False)
class Growing:
    """A kind of pods that come and go. The array of their places is made when it is asked for."""

    pod: Pod
    listed: list[int] = field(default_factory=list)
    _places: Numbers | None = None

    @property
    def places(self) -> Numbers:
        """The places of the pods, each once per pod."""
        if self._places is None:
            self._places = np.array(self.listed, np.int64)
        return self._places

    def add(self, place: int) -> None:
        """Add a pod at a place."""
        self.listed.append(place)
        self._places = None

    def remove(self, place: int) -> None:
        """Remove a pod from a place."""
        self.listed.remove(place)
        self._places = None


@dataclass(eq=False)
class Joined:
    """All kinds of a namespace that have one term."""

    pod: Pod
    kinds: list[Growing] = field(default_factory=list)

    @property
    def places(self) -> Numbers:
        """The places of the pods, each once per pod."""
        return np.concatenate([NOWHERE, *(each.places for each in self.kinds)])


class StandingTerms(Terms):
    """Terms of pods that come and go, kind by kind."""

    def __init__(self, told: Told) -> None:
        super().__init__(())
        self._told = told
        self._joined: dict[tuple[str, int, PodAffinityTerm], Joined] = {}

    def add(self, kind: Growing) -> None:
        """Add the terms of a new kind."""
        for weight, term in self._told(kind.pod):
            key = kind.pod.namespace, weight, term
            known = self._joined.get(key)
            if known is None:
                known = self._joined[key] = Joined(kind.pod)
                self._enter(weight, term, known)
            known.kinds.append(kind)


class Kinds:
    """The pods on the nodes, by kinds, and the terms of each kind."""

    def __init__(self, infos: Iterable[Tallied]) -> None:
        self._found: dict[object, Growing] = {}
        self._by_label: dict[tuple[str, str], list[Kind]] = {}
        self._terms: dict[object, StandingTerms] = {}
        for place, info in enumerate(infos):
            for pod in info.pods:
                self.add(pod, place)

    def all(self) -> tuple[Kind, ...]:
        """Return all kinds."""
        return tuple(self._found.values())

    def labelled(self, pair: tuple[str, str]) -> list[Kind]:
        """Return the kinds with a label."""
        return self._by_label.get(pair, [])

    def terms(self, name: object, told: Told) -> StandingTerms:
        """Return the terms of all kinds, kept up to date; `name` is the cache key of `told`."""
        known = self._terms.get(name)
        if known is None:
            known = self._terms[name] = StandingTerms(told)
            for kind in self._found.values():
                known.add(kind)
        return known

    def add(self, pod: Pod, place: int) -> None:
        """Add a pod at a place."""
        key = alike_in(pod)
        kind = self._found.get(key)
        if kind is None:
            kind = self._found[key] = Growing(pod)
            for pair in pod.labels.items():
                self._by_label.setdefault(pair, []).append(kind)
            for terms in self._terms.values():
                terms.add(kind)
        kind.add(place)

    def remove(self, pod: Pod, place: int) -> None:
        """Remove a pod from a place. A kind without pods stays, and counts nowhere."""
        self._found[alike_in(pod)].remove(place)

    @property
    def wasted(self) -> bool:
        """Whether most kinds are without pods, and many."""
        if len(self._found) < FEWEST_EMPTY:
            return False
        return 2 * sum(not kind.listed for kind in self._found.values()) > len(self._found)

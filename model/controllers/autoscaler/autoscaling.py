"""The steps of the autoscalers of a scenario, and of what beside them sets replicas or ends a start: `Autoscaling`.

Kubernetes 1.34: pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler. An autoscaler may act at any time, on any
reading that the scenario allows. A stabilization window may cover any number of the latest recommendations.

Not modelled: metrics that pods lose again; scaling to 0; several autoscalers of one workload; and what an autoscaler has
changed before in the period of a policy.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from schedcheck.model.autoscaling import Autoscaler, Scaling
from schedcheck.model.controllers.autoscaler.reading import Counts, counted, recommendations
from schedcheck.model.controllers.autoscaler.replicas import highest, limited, lowest, stabilized
from schedcheck.model.environment import PodEvent
from schedcheck.model.rollouts import Key
from schedcheck.model.scenario import APPLY, Rule, Scenario
from schedcheck.spec.objects import Pod


@dataclass(frozen=True)
class Autoscale:
    """An autoscaler sets the replicas of a workload by what it reads."""

    workload: str
    before: int
    after: int
    read: str
    earlier: bool = False
    """Whether an earlier recommendation decides."""

    def __str__(self) -> str:
        why = ", by an earlier recommendation" if self.earlier else ""
        return f"Autoscale({self.workload}: {self.before} -> {self.after} at {self.read}{why})"


@dataclass(frozen=True)
class Recommend:
    """An autoscaler recommends a number of replicas and leaves them; the recommendation may count later."""

    workload: str
    replicas: int
    read: str

    def __str__(self) -> str:
        return f"Recommend({self.workload}: {self.replicas} at {self.read})"


@dataclass(frozen=True)
class BringWithin:
    """An autoscaler brings the replicas of a workload to minReplicas or maxReplicas, without reading anything."""

    workload: str
    before: int
    after: int

    def __str__(self) -> str:
        return f"BringWithin({self.workload}: {self.before} -> {self.after})"


@dataclass(frozen=True)
class Apply:
    """The event that a manifest of a workload is applied: it sets the replicas.

    A manifest with the field `replicas` sets them to it. One without it sets them to 1 if the manifest that was applied last
    had the field, and leaves them otherwise.

    kubectl 1.34: apply on the client's side, a three-way merge (apimachinery, strategicpatch.CreateThreeWayMergePatch); the
    default of the API server is in pkg/apis/apps/v1/defaults.go.
    """

    workload: str
    before: int
    after: int

    def __str__(self) -> str:
        return f"Apply({self.workload}: {self.before} -> {self.after})"


class Settle(PodEvent):
    """The end of the start of a pod: from now on it is ready, has metrics, and uses what it uses for good."""


DEFAULT_REPLICAS = 1

Act = Autoscale | Recommend | BringWithin | Settle
Scalings = tuple[Scaling, ...]


class Autoscaling:
    """The autoscalers of a scenario, one for each of its first rollouts; `slot` are the slots of its pods."""

    def __init__(self, scenario: Scenario, slot: Mapping[Key, int]) -> None:
        self._scenario = scenario
        self._slots = [tuple(sorted(slot[key] for key in each.keys)) for each in scenario.rollouts]
        self._known: dict[tuple[int, Scaling, Counts], tuple[tuple[Act, Scaling], ...]] = {}

    def start(self) -> Scalings:
        """Return the scalings at first. Running pods have settled."""
        pairs = zip(self._scenario.rollouts, self._scenario.autoscalers, strict=False)
        return tuple(begun(autoscaler, rollout.replicas) for rollout, autoscaler in pairs)

    def steps(self, pods: tuple[Pod | None, ...], scalings: Scalings) -> Iterator[tuple[Act, Scalings]]:
        """Yield what the autoscalers may do, and the ends of starts."""
        for number, scaling in enumerate(scalings):
            there = [(pod, slot in scaling.fresh) for slot in self._slots[number] if (pod := pods[slot]) is not None]
            for act, after in self._of(number, scaling._replace(fresh=()), counted(there)):
                yield act, _put(scalings, number, after._replace(fresh=scaling.fresh))
            for slot in scaling.fresh:
                left = tuple(each for each in scaling.fresh if each != slot)
                yield Settle(str(self._scenario.pods[slot])), _put(scalings, number, scaling._replace(fresh=left))

    def applications(self, rule: Rule, scalings: Scalings) -> Iterator[tuple[Apply, Scalings]]:
        """Yield what a rule `apply` does to each of its workloads."""
        for number, scaling in enumerate(scalings):
            name = str(self._scenario.rollouts[number])
            if rule.event == APPLY and not rule.manifest and name in rule.workloads:
                default = DEFAULT_REPLICAS if scaling.given else scaling.replicas
                after = default if rule.replicas is None else rule.replicas
                made = scaling._replace(replicas=after, given=rule.replicas is not None)
                yield Apply(name, scaling.replicas, after), _put(scalings, number, made)

    def started(self, before: tuple[Pod | None, ...], pods: tuple[Pod | None, ...], scalings: Scalings) -> Scalings:
        """Return the scalings after a step that changed pods: those that it started are fresh, those that are gone are not."""
        for number, scaling in enumerate(scalings):
            running = (slot for slot in self._slots[number] if _runs(pods[slot]))
            fresh = tuple(slot for slot in running if slot in scaling.fresh or not _runs(before[slot]))
            if fresh != scaling.fresh:
                scalings = _put(scalings, number, scaling._replace(fresh=fresh))
        return scalings

    def _of(self, number: int, scaling: Scaling, counts: Counts) -> tuple[tuple[Act, Scaling], ...]:
        question = number, scaling, counts
        known = self._known.get(question)
        if known is None:
            name, autoscaler = str(self._scenario.rollouts[number]), self._scenario.autoscalers[number]
            known = self._known[question] = tuple(reconciled(name, autoscaler, scaling, counts))
        return known


def reconciled(name: str, autoscaler: Autoscaler, scaling: Scaling, counts: Counts) -> Iterator[tuple[Act, Scaling]]:
    """Yield what one reconciliation may do, if it changes something. Workloads with 0 replicas are left alone."""
    current = scaling.replicas
    if current == 0:
        return
    if not autoscaler.least <= current <= autoscaler.most:
        after = max(autoscaler.least, min(current, autoscaler.most))
        yield BringWithin(name, current, after), scaling._replace(replicas=after)
        return
    for wanted, read in recommendations(autoscaler, current, counts):
        noted = _noted(autoscaler, scaling, wanted)
        for after, earlier in _targets(autoscaler, scaling, wanted):
            if after != current:
                yield Autoscale(name, current, after, read, earlier), noted._replace(replicas=after)
            elif noted != scaling:
                yield Recommend(name, wanted, read), noted


def _targets(autoscaler: Autoscaler, scaling: Scaling, wanted: int) -> Iterable[tuple[int, bool]]:
    """Return the replicas that may be set, each with whether that is because of an earlier recommendation."""
    found = dict[int, bool]()
    for high in (wanted, *scaling.highs):
        for low in (wanted, *scaling.lows):
            after = limited(autoscaler, scaling.replicas, stabilized(autoscaler, scaling.replicas, wanted, high, low))
            found.setdefault(after, (high, low) != (wanted, wanted))
    return sorted(found.items())


def begun(autoscaler: Autoscaler, replicas: int) -> Scaling:
    """Return the scaling at first: the present replicas are the first recommendation.

    Kubernetes 1.34: horizontal.go, recordInitialRecommendation.
    """
    down, up = waits(autoscaler)
    return Scaling(replicas, autoscaler.given, (replicas,) if down else (), (replicas,) if up else ())


def _noted(autoscaler: Autoscaler, scaling: Scaling, wanted: int) -> Scaling:
    """Return the scaling after one more recommendation."""
    down, up = waits(autoscaler)
    highs = highest(scaling.highs, wanted) if down else ()
    return scaling._replace(highs=highs, lows=lowest(scaling.lows, wanted) if up else ())


def waits(autoscaler: Autoscaler) -> tuple[bool, bool]:
    """Whether scaling down, and scaling up, have a stabilization window. By default only scaling down has one."""
    behavior = autoscaler.behavior
    return (True, False) if behavior is None else (behavior.down.waits, behavior.up.waits)


def _runs(pod: Pod | None) -> bool:
    return pod is not None and pod.phase == "Running" and not pod.terminating


def _put(scalings: Scalings, number: int, scaling: Scaling) -> Scalings:
    return (*scalings[:number], scaling, *scalings[number + 1 :])

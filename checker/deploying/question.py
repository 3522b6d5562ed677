"""The cluster at the moment at which manifests are applied: `Deploying`, `deploying`.

Not modelled: anything else that happens meanwhile. Only the scheduler, the owners of pods and the kubelets act, and the
controllers that are asked for. No other pod completes or is deleted, no node changes by itself, and every bound pod on a
ready node becomes available sooner or later.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from schedcheck.checker.properties.behaviours import FAIR as KEPT_GOING
from schedcheck.checker.properties.behaviours import negated
from schedcheck.checker.relocation.questions import rests
from schedcheck.model.controllers import RECREATING
from schedcheck.model.controllers.rollouts import placed
from schedcheck.model.controllers.stateful_set import form_of
from schedcheck.model.environment import newly_arrived
from schedcheck.model.rollouts import Key, Rollout
from schedcheck.model.scenario import CONTROLLERS, Scenario
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.owners import served_kind
from schedcheck.spec.properties.kinds import Fairness, LeadsTo, Property
from schedcheck.spec.properties.of_pods import pod_waits

FAIR = Fairness(weak=KEPT_GOING)
"""The scheduler and the controllers act whenever they can all the time."""


def waits(rollout: Rollout) -> bool:
    """Whether the controller deletes pods, or looks at whether they are available."""
    former = {pod.key for pod in rollout.former}
    return rollout.rolling or rollout.ordered or len(rollout.keys - former) > rollout.replicas or former != set()


@dataclass(frozen=True)
class Deploying:
    """The scenario with its rollouts, and the pods that are created without a workload, by key.

    `others`: whether to ask that evicted pods find another place. If pods that wait already may evict some, this is no
    question about what is applied. `running`: the controllers that run as well; empty if none does.
    """

    scenario: Scenario
    singles: tuple[Key, ...]
    others: bool = True
    running: frozenset[str] = frozenset()

    @cached_property
    def forms(self) -> Mapping[Key, Pod]:
        """The pods that may be created, by key, as they are created: those that do not exist as they are to be."""
        there = {pod.key: pod for pod in self.scenario.pods if pod.key not in self.scenario.absent}
        found = {key: newly_arrived(there[key]) for key in self.singles if not there[key].node_name}
        for rollout in self.scenario.rollouts:
            for number, form in enumerate(rollout.forms):
                pod = there.get(form.key)
                if pod is None or not pod.node_name or not (rollout.updated(pod) or number < rollout.partition):
                    found[form.key] = newly_arrived(form_of(rollout, number))
            extra = (each for each in rollout.former[: rollout.replicas] if each.key not in there)
            if rollout.kind == "Deployment":
                found |= {form.key: newly_arrived(form) for form in extra}
        return found

    @cached_property
    def keys(self) -> frozenset[Key]:
        """The keys of all pods that are asked about."""
        return frozenset(self.singles).union(*(each.keys for each in self.scenario.rollouts))


def deploying(
    scenario: Scenario,
    rollouts: Iterable[Rollout],
    singles: Iterable[Key],
    unready: Iterable[Key],
    running: frozenset[str] = frozenset(),
) -> Deploying:
    """Return the question; `unready` are running pods that are not ready, which count as not started yet.

    With controllers that are `running` as well, the kubelet runs. The scenario has their configurations.

    The pods to come are absent. Every other unbound pod waits from the beginning, for nobody notices it before it is tried.
    """
    rollouts = tuple(rollouts)
    keys = frozenset[Key]().union(*(each.keys for each in rollouts))
    absent = scenario.absent & keys
    unavailable = frozenset(unready) & keys

    def at_first(pod: Pod) -> Pod:
        if pod.key in unavailable:
            return replace(pod, phase="Pending")
        return newly_arrived(pod) if pod.key in scenario.absent - keys else pod

    made = replace(
        scenario,
        pods=tuple(map(at_first, scenario.pods)),
        absent=absent,
        rules=(),
        properties=(),
        cut=scenario.cut if running else (),
        rollouts=rollouts,
        controllers=frozenset(
            {
                "owners",
                *(["disruption"] if scenario.budgets else []),
                # Without it a bound pod is as good as available, and a deleted one ends by itself.
                *(["kubelet"] if running or any(map(waits, rollouts)) else []),
                *(running & {*CONTROLLERS}),
            }
        ),
    )
    return Deploying(made, tuple(singles), running=running)


def properties(asked: Deploying) -> tuple[Property, ...]:
    """Return that each rollout completes in the end, that single pods are bound, and that other pods find a place again."""
    found = [_completes(rollout) for rollout in asked.scenario.rollouts]
    bound = {pod.key for pod in asked.scenario.pods if pod.node_name and pod.key not in asked.scenario.absent}
    others = {pod.key for pod in asked.scenario.pods
              if pod.key in bound - asked.keys and not pod.terminating and pod.owner[0] in RECREATING}  # fmt: skip
    found += [
        _bound(f"placed({'/'.join(key)})", "The pod is bound in the end.", frozenset({key})) for key in asked.singles
    ]
    if asked.running:
        return (*found, *_each_bound(asked, others), rests(FAIR))
    if others and asked.others:
        claim = "Pods that are evicted for others, and created again, are bound again in the end."
        found.append(_bound(OTHERS, claim, frozenset(others)))
    return tuple(found)


def _each_bound(asked: Deploying, keys: Collection[Key]) -> Iterator[Property]:
    """Yield for each of these pods that it is bound in the end: controllers may move them in turn, and never rest."""
    for pod in asked.scenario.pods:
        if pod.key in keys and served_kind(pod.owner[0]) != "DaemonSet":
            waits = partial(pod_waits, key=pod.key)
            claim = f"{pod} is bound in the end whenever it waits, or is gone."
            yield LeadsTo(f"{OTHERS}({pod})", claim, waits, negated(waits), FAIR, mentions=frozenset({pod.name}))


OTHERS = "others_placed"


def _completes(rollout: Rollout) -> Property:
    def complete(snapshot: Snapshot) -> bool:
        return placed(rollout, {pod.key: pod for pod in snapshot.pods if pod.key in rollout.keys})

    number = "The pod" if rollout.replicas == 1 else f"All {rollout.replicas:,} pods"
    verbs = ("follows", "is") if rollout.replicas == 1 else ("follow", "are")
    claim = f"{number} of {rollout} {verbs[0]} its template and {verbs[1]} bound in the end."
    names = frozenset(name for _, name in rollout.keys)
    return LeadsTo(
        f"complete({rollout})", claim, lambda snapshot: not complete(snapshot), complete, FAIR, mentions=names
    )  # fmt: skip


def _bound(name: str, claim: str, keys: frozenset[Key]) -> Property:
    def bound(snapshot: Snapshot) -> bool:
        return sum(pod.key in keys and pod.node_name != "" and not pod.terminating for pod in snapshot.pods) == len(
            keys
        )

    names = frozenset(name for _, name in keys)
    return LeadsTo(name, claim, lambda snapshot: not bound(snapshot), bound, FAIR, mentions=names)

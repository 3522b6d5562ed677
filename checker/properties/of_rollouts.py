"""The named property about workloads whose manifests events apply: `rollout_completes`."""

from collections.abc import Sequence

from schedcheck.checker.properties.behaviours import ENVIRONMENT, RESTING
from schedcheck.checker.properties.named import named
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.model.controllers.rollouts import placed
from schedcheck.model.rollouts import Observed, Rollout
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Fairness, LeadsTo, Premise, Property

ROLLOUT_COMPLETES = "rollout_completes"


def of_rollouts(arguments: tuple[str, ...], rollouts: Sequence[Rollout], fairness: Fairness) -> tuple[Property, ...]:
    """Return the property of the workload that the argument names, as deployment/web; without one, of all. Raises: UnknownProperty."""
    changing = [each for each in rollouts if each.before is not None]
    if not changing:
        raise UnknownProperty("needs an event apply with a manifest")
    asked = named(arguments, changing, "workload", "no event applies a manifest of")
    return tuple(_completes(each, fairness) for each in asked)


def _completes(rollout: Rollout, fairness: Fairness) -> Property:
    """Return the property that all pods of a workload follow its manifest and are bound in the end."""
    text = str(rollout)

    def complete(snapshot: Snapshot) -> bool:
        return placed(rollout, {pod.key: pod for pod in snapshot.pods if pod.key in rollout.keys})

    def under_way(snapshot: Snapshot) -> bool:
        return isinstance(snapshot, Observed) and text in snapshot.applied and not complete(snapshot)

    pods = "the pod" if rollout.replicas == 1 else f"all {rollout.replicas:,} pods"
    verbs = "follows it and is" if rollout.replicas == 1 else "follow it and are"
    claim = f"{RESTING} if the manifest of {text} was applied, {pods} {verbs} bound in the end."
    unmet = Premise(f"the manifest of {text} was never applied", when=under_way)
    names = frozenset(name for _, name in rollout.keys)
    return LeadsTo(
        f"{ROLLOUT_COMPLETES}({text})", claim, under_way, complete, fairness, ENVIRONMENT, names, (unmet,)
    )  # fmt: skip

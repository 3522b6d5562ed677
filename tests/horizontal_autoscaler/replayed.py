"""What the model says to the synchronizations of an autoscaler: `differences`.

Everything is determined here: windows and periods are measured on the clock, and each pod is of the kind that it was
drawn as. `expected` is compared with what the autoscaler did. If all pods of a kind are read alike, the steps of the
model must allow it as well.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from schedcheck.manifests import read, scenario
from schedcheck.model.autoscaling import Autoscaler, Metric
from schedcheck.model.controllers.autoscaler import autoscaling, replicas
from schedcheck.model.controllers.autoscaler.reading import Counts
from schedcheck.model.scenario import Scenario
from tests.horizontal_autoscaler.drawn import DEFAULT, reading_of, request_of

Json = dict[str, Any]
STABILIZATION: Final = 300
"""The flag --horizontal-pod-autoscaler-downscale-stabilization of kube-controller-manager, by default, in seconds."""
FRESH: Final = ("young", "unready", "missing")


@dataclass
class History:
    """What an autoscaler has done: recommendations, additions and removals of replicas, each with its time."""

    recommended: list[tuple[int, int]] = field(default_factory=list)
    added: list[tuple[int, int]] = field(default_factory=list)
    removed: list[tuple[int, int]] = field(default_factory=list)

    def changes(self, now: int) -> replicas.Changes:
        """Return what was added and removed in the last so many seconds."""

        def within(events: list[tuple[int, int]], seconds: int) -> int:
            return sum(number for at, number in events if at > now - seconds)

        return lambda seconds: (within(self.added, seconds), within(self.removed, seconds))


@dataclass(frozen=True)
class Outcome:
    """What a synchronization leads to: the replicas, the recommendation if there was one, and whether steps were compared."""

    replicas: int
    recommended: int | None = None
    compared: bool = False
    allowed: bool = True


def scenario_of(case: Json) -> Scenario:
    """Return the autoscaler of a case with its workload. Raises: InputError."""
    values = {name: [1] for name in ("cpu", "memory", "queue", "rate")}
    spec = {"controllers": ["kubelet", {"autoscaler": {"readings": [50], "values": values}}]}
    document = {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "s"}, "spec": spec}
    objects = [case["autoscaler"], case["workload"]]
    with TemporaryDirectory() as folder:
        (Path(folder) / "objects.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        (Path(folder) / "scenario.json").write_text(json.dumps(document))
        return scenario(read([Path(folder)]), frozenset())


def differences(case: Json, made: Scenario) -> list[str]:
    """Return how the synchronizations of the autoscaler, `told`, differ from the model."""
    found = []
    for sync, told, outcome in zip(case["syncs"], case["told"], outcomes(case, made), strict=True):
        if told["replicas"] != outcome.replicas:
            found.append(f"at {sync['at']} s: {told['replicas']} replicas; the model: {outcome.replicas}")
        elif not outcome.allowed:
            found.append(f"at {sync['at']} s: {told['replicas']} replicas; no step of the model leads to them")
    return found


def outcomes(case: Json, made: Scenario) -> Iterator[Outcome]:
    """Yield what each synchronization leads to by the model; the next one begins with what the autoscaler did."""
    (autoscaler,), history = made.autoscalers, History()
    current, scaling = case["replicas"], autoscaling.begun(autoscaler, case["replicas"])
    for number, (sync, told) in enumerate(zip(case["syncs"], case["told"], strict=True)):
        current = sync.get("set", current)
        if number == 0:
            history.recommended.append((sync["at"], current))
            scaling = autoscaling.begun(autoscaler, current)
        outcome = synchronized(case, sync, autoscaler, current, history)
        scaling = scaling._replace(replicas=current)
        after = scaling._replace(replicas=outcome.replicas)
        if outcome.recommended is not None:
            after = autoscaling._noted(autoscaler, scaling, outcome.recommended)._replace(replicas=outcome.replicas)
        if (counts := alike(case, sync, autoscaler, history)) is not None:
            steps = autoscaling.reconciled("web", counts[0], scaling, counts[1])
            allowed = after == scaling or any(reached == after for _, reached in steps)
            outcome = replace(outcome, compared=True, allowed=allowed)
        yield outcome
        changed = told["replicas"] - current
        if changed > 0:
            history.added.append((sync["at"], changed))
        elif changed < 0:
            history.removed.append((sync["at"], -changed))
        current, scaling = told["replicas"], after


def synchronized(case: Json, sync: Json, autoscaler: Autoscaler, current: int, history: History) -> Outcome:
    """Return the outcome of a synchronization, whose recommendation goes into the history."""
    least, most = autoscaler.least, autoscaler.most
    if current == 0:
        return Outcome(0)
    if not least <= current <= most:
        return Outcome(max(least, min(current, most)))
    proposals = [
        proposal(case, sync, each, autoscaler, current) for each in zip(metrics(case), autoscaler.metrics, strict=True)
    ]
    wanted = replicas.joined(current, proposals)
    if wanted is None:
        return Outcome(current)
    high, low = (
        pick([wanted, *number]) for pick, number in zip((max, min), windows(case, sync["at"], history), strict=True)
    )
    history.recommended.append((sync["at"], wanted))
    stable = replicas.stabilized(autoscaler, current, wanted, high, low)
    after = replicas.limited(autoscaler, current, stable, history.changes(sync["at"]))
    return Outcome(after, max(least, min(wanted, most)))


def windows(case: Json, now: int, history: History) -> tuple[list[int], list[int]]:
    """Return the earlier recommendations that count for scaling down, and those that count for scaling up."""
    behavior = case["autoscaler"]["spec"].get("behavior")
    if behavior is None:
        return [number for at, number in history.recommended if at >= now - STABILIZATION], []

    def within(direction: str, default: int) -> list[int]:
        seconds = behavior.get(direction, {}).get("stabilizationWindowSeconds", default)
        return [number for at, number in history.recommended if at > now - seconds]

    return within("scaleDown", STABILIZATION), within("scaleUp", 0)


def metrics(case: Json) -> list[Json]:
    """Return the metrics of a case as manifests."""
    return case["autoscaler"]["spec"].get("metrics", [DEFAULT])


def ready(pod: Json) -> bool:
    """Whether a pod runs and is ready."""
    said = {each["type"]: each["status"] for each in pod["status"].get("conditions", ())}
    return pod["status"]["phase"] == "Running" and said.get("Ready") == "True"


def proposal(case: Json, sync: Json, pair: tuple[Json, Metric], autoscaler: Autoscaler, current: int) -> int | None:
    """Return the replicas that a metric proposes, None if it is invalid."""
    given, metric = pair
    reading = sync["readings"][reading_of(given)]
    if metric.aim in ("Value", "ValuePerReplica"):
        if not reading["values"]:
            return None
        value = sum(reading["values"])
        if metric.aim == "ValuePerReplica":
            return replicas.by_share(sync["status"], metric.target, value, autoscaler.tolerances)
        number = sum(map(ready, sync["pods"])) if sync["pods"] else None
        return replicas.by_value(current, metric.target, value, number, autoscaler.tolerances)
    measured, missing, unready = grouped(sync, reading["pods"], metric)
    if not measured:
        return None
    return replicas.proposed(
        current, metric, in_units(case, given, metric, measured), missing, unready, autoscaler.tolerances
    )


def grouped(sync: Json, samples: Json, metric: Metric) -> tuple[list[int], int, int]:
    """Return the samples of measured pods, and the numbers of those without metrics and of those that are not ready."""
    left_out = ("pending", "unready") if metric.skips_unready else ("pending",)
    kinds = {name: kind for name, kind in sync["kinds"].items() if kind not in ("leaving", "failed")}
    unready = [name for name, kind in kinds.items() if kind in left_out]
    missing = [name for name in kinds if name not in samples and name not in unready]
    measured = [samples[name]["value"] for name in kinds if name in samples and name not in unready]
    return measured, len(missing), len(unready)


def in_units(case: Json, given: Json, metric: Metric, measured: list[int]) -> list[int]:
    """Return samples in per cent of the request, or as they are."""
    if metric.aim != "Utilization" or not metric.measurable:
        return measured
    request = request_of(given, case["workload"]["spec"]["template"]["spec"]["containers"])
    if request == 0:
        return measured
    assert all(100 * each % request == 0 for each in measured)
    return [100 * each // request for each in measured]


def alike(case: Json, sync: Json, autoscaler: Autoscaler, history: History) -> tuple[Autoscaler, Counts] | None:
    """Return the autoscaler with what it reads here, and the counts of pods; None if the model has no such reading."""
    changes, behavior = history.changes(sync["at"]), autoscaler.behavior
    policies = () if behavior is None else (*behavior.up.policies, *behavior.down.policies)
    if any(changes(policy.seconds) != (0, 0) for policy in policies):
        return None
    kinds = list(sync["kinds"].values())
    counts = Counts(
        settled=kinds.count("settled"), fresh=sum(kinds.count(each) for each in FRESH), pending=kinds.count("pending"),
        ended=kinds.count("ended"), leaving=kinds.count("leaving"), others=kinds.count("failed"),
    )  # fmt: skip
    readings, starting, own = set[int](), set[int](), list[Metric]()
    for given, metric in zip(metrics(case), autoscaler.metrics, strict=True):
        made = _alike(case, sync, given, metric, counts)
        if made is None:
            return None
        own.append(made[0])
        readings, starting = readings | made[1], starting | made[2]
    return replace(autoscaler, metrics=tuple(own), readings=tuple(readings), starting=tuple(starting)), counts


def _alike(
    case: Json, sync: Json, given: Json, metric: Metric, counts: Counts
) -> tuple[Metric, set[int], set[int]] | None:
    """Return a metric with the values that are read, and the utilizations of pods that have settled, and of others."""
    reading = sync["readings"][reading_of(given)]
    if metric.aim in ("Value", "ValuePerReplica"):
        running = [each for each in sync["pods"] if sync["kinds"][each["metadata"]["name"]] in ("settled", *FRESH)]
        as_said = sync["status"] == counts.active if metric.aim == "ValuePerReplica" else all(map(ready, running))
        values = tuple({sum(reading["values"])}) if reading["values"] else ()
        return (replace(metric, values=values), set(), set()) if values and as_said else None
    samples = {name: each["value"] for name, each in reading["pods"].items()}
    settled, young = (
        {samples[name] for name, kind in sync["kinds"].items() if kind in some and name in samples}
        for some in (("settled",), FRESH)
    )
    if metric.aim != "Utilization":
        settled |= young
        return (replace(metric, values=tuple(settled)), set(), set()) if len(settled) == 1 else None
    if len(settled) > 1 or len(young) > 1 or not metric.measurable:
        return None if metric.measurable else (metric, set(), set())
    shares = [set(in_units(case, given, metric, sorted(each))) for each in (settled, young)]
    return metric, shares[0], shares[1]

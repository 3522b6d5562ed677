"""Random cases for the live witness, by family, as the API server stores them: `cases`, `FAMILIES`.

A case has the form of the recorded ones: lists of objects by kind, the pending pod, and sometimes a configuration. The
same family, seed and size give the same cases.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing import questions
from schedcheck.checker.drawing.kinds import KINDS, Asked, guarded, reduced
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.quick.questions import contest, question
from schedcheck.checker.drawing.volumes import Question
from schedcheck.manifests.devices import KINDS as OF_DEVICES
from schedcheck.manifests.snapshots import stored_objects
from schedcheck.manifests.storage import KINDS as OF_STORAGE
from schedcheck.testing.drawn_configurations import random_configuration
from tests.live.claiming import claiming

Json = dict[str, Any]
EVERY: Final = frozenset(KINDS)
LISTS: Final = {
    "Node": "nodes",
    "Pod": "pods",
    "Namespace": "namespaces",
    "PodDisruptionBudget": "pdbs",
    "Service": "services",
    "ReplicaSet": "replicaSets",
    "StatefulSet": "statefulSets",
    "ReplicationController": "replicationControllers",
    **OF_STORAGE,
    **OF_DEVICES,
}
"""The field of a case that lists the objects of a kind."""
STARTS: Final = ("2024-01-02T00:00:00Z", "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z")
CONFIGURED = "configured"
CLAIMING = "claiming"
QUICKLY_CONFIGURED = "quickly configured"
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class Case:
    """A case with its family and its place among the cases of a seed."""

    family: str
    seed: int
    place: int
    content: Json

    @property
    def name(self) -> str:
        """The name under which the case is found again."""
        return f"{self.family.replace(' ', '-')}-{self.seed}-{self.place}"


def _stored(question: Question) -> Asked:
    return reduced(*question[:2], EVERY)


STRATEGIES: Final[dict[str, st.SearchStrategy[Question]]] = {
    **{name: guarded(family) if "contests" in name else family for name, family in questions.FAMILIES.items()},
    "spread over hosts": questions.spread_over_hosts(),
    CLAIMING: st.one_of(questions.FAMILIES["contests"], questions.FAMILIES["questions"]),
    CONFIGURED: st.one_of(*(questions.FAMILIES[name] for name in sorted(questions.FAMILIES))),
}
"""Families that Hypothesis draws. Pods of `CLAIMING` get resource claims, questions of `CONFIGURED` a configuration."""

QUICK: Final[dict[str, Callable[[Chance], Question]]] = {
    "quick contests": contest,
    "quick questions": question,
    QUICKLY_CONFIGURED: lambda chance: contest(chance) if chance.often(0.3) else question(chance),
}
"""Families with random subsets of the features, drawn in a tenth of the time; the last have a configuration."""

FAMILIES: Final = (*STRATEGIES, *QUICK)


def cases(family: str, start: int, size: int) -> Iterator[Case]:
    """Yield up to `size` cases of a family, drawn from the seed `start`."""
    if family in QUICK:
        yield from quick_cases(family, start, size)
        return
    drawn: list[tuple[Asked, int]] = []

    @seed(start)
    @settings(
        max_examples=size, database=None, deadline=None, derandomize=False, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), verbosity=Verbosity.quiet,
    )  # fmt: skip
    @given(STRATEGIES[family].map(_stored), st.integers(0, LARGEST_SEED))
    def draw(asked: Asked, chance: int) -> None:
        drawn.append((asked, chance))

    draw()
    for place, (asked, chance) in enumerate(drawn[:size]):
        if family == CLAIMING:
            yield Case(family, start, place, content(claiming(asked, Random(chance))))
            continue
        yield Case(family, start, place, content(asked, configuration(chance) if family == CONFIGURED else None))


def quick_cases(family: str, start: int, size: int) -> Iterator[Case]:
    """Yield `size` cases of a family of `QUICK`."""
    for place in range(size):
        chance = Chance.of(f"{family} {start} {place}")
        asked = _stored(QUICK[family](chance))
        configured = configuration(chance.randrange(LARGEST_SEED)) if family == QUICKLY_CONFIGURED else None
        yield Case(family, start, place, content(asked, configured))


def configuration(chance: int) -> Json:
    """Return a random configuration; the same number gives the same one."""
    return random_configuration(Random(chance))


def content(asked: Asked, configured: Json | None = None) -> Json:
    """Return the question in the form of a case; with several profiles the pod asks for one of them."""
    pod, snapshot = asked
    if configured is not None:
        names = [each["schedulerName"] for each in configured["profiles"]]
        mine = replace(pod, scheduler_name=names[len(json.dumps(configured)) % len(names)])
        pods = tuple(mine if each.key == pod.key else each for each in snapshot.pods)
        pod, snapshot = mine, replace(snapshot, pods=pods)
    made: Json = {"nodes": [], "pods": []}
    for each in stored_objects(snapshot):
        about = each["metadata"]
        if each["kind"] == "Pod" and (about["namespace"], about["name"]) == pod.key:
            made["pod"] = each
        else:
            made.setdefault(LISTS[each["kind"]], []).append(each)
    legal(made)
    return made if configured is None else {**made, "configuration": configured}


def legal(made: Json) -> None:
    """Add to volumes and storage classes what the API demands and no scheduler reads, and to running pods a start.

    A pod without a start counts as started at the moment of each comparison, so that the order of two is chance.
    """
    for pod in (*made["pods"], made["pod"]):
        for owner in pod["metadata"].get("ownerReferences", ()):
            owner["uid"] = owner.get("uid") or f"uid-of-{owner['name']}"
        for toleration in pod["spec"].get("tolerations", ()):
            if toleration.get("effect") != "NoExecute":
                toleration.pop("tolerationSeconds", None)
        if "nodeName" in pod["spec"]:
            pod["status"].setdefault("startTime", STARTS[sum(map(ord, pod["metadata"]["name"])) % len(STARTS)])
        for volume in pod["spec"].get("volumes", ()):
            if "ephemeral" in volume:
                wanted = volume["ephemeral"]["volumeClaimTemplate"]["spec"]
                wanted.setdefault("accessModes", ["ReadWriteOnce"])
                wanted.setdefault("resources", {}).setdefault("requests", {}).setdefault("storage", "1Gi")
            if "image" in volume:
                # 1.34 demands it, but gives no default, as image volumes are off there.
                volume["image"].setdefault("pullPolicy", "IfNotPresent")
    for each in made.get("persistentVolumes", ()):
        _legal_source(each["spec"], each["metadata"]["name"])
    for each in made.get("storageClasses", ()):
        terms = each.get("allowedTopologies", [])
        each["allowedTopologies"] = [term for place, term in enumerate(terms) if term not in terms[:place]]


def _legal_source(spec: Json, name: str) -> None:
    """Add what the source of a volume demands; only volumes of CSI have a class of attributes."""
    if "csi" not in spec:
        spec.pop("volumeAttributesClassName", None)
    elif not spec["csi"].get("volumeHandle"):
        spec["csi"]["volumeHandle"] = f"handle-of-{name}"
    if "azureFile" in spec:
        spec["azureFile"].setdefault("secretName", "secret")

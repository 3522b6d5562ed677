"""Record what kube-scheduler makes of configurations, for tests without Go: `python -m tests.live.configurations`

adapters/kube-scheduler/configurations is built with the module of each patch level. tests/data/configurations has the
configurations once, the first one empty, and for each version the answers in their order: the numbers, and for each
profile plugins with weights and arguments, or that kube-scheduler refuses to start. `read` and `recorded` give both in
one form; the arguments are those that a decision depends on.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, Final

from schedcheck.errors import InputError
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import POINTS, Plugins
from schedcheck.testing.drawn_configurations import GROUP, random_configuration
from tests.live.building import SOURCES
from tests.live.recording import DATA, lines, write
from tests.live.versions import DEPARTURES, KNOWN, read_configuration

Json = Any
FOLDER: Final = DATA / "configurations"
ASKED: Final = FOLDER / "asked.jsonl.gz"
SEED: Final = 23
RANDOM: Final = 120
EMPTY: Final = {"apiVersion": GROUP, "kind": "KubeSchedulerConfiguration"}
REFUSED: Final = "refused"


def at(document: Json, *path: Any) -> Json:
    """Return the map or list at this path; what is missing is made."""
    for key in path:
        document = document[key] if isinstance(document, list) else document.setdefault(key, {})
    return document


def _enabled(document: Json, point: str, *entries: Json) -> None:
    chosen = at(document, "profiles", 0, "plugins", point)
    chosen["enabled"] = [*chosen.get("enabled", ()), *entries]


def _disabled(document: Json, point: str, *names: str) -> None:
    chosen = at(document, "profiles", 0, "plugins", point)
    chosen["disabled"] = [*chosen.get("disabled", ()), *({"name": name} for name in names)]


def _arguments(document: Json, name: str, **fields: Json) -> None:
    profile = at(document, "profiles", 0)
    others = [each for each in profile.get("pluginConfig", ()) if each["name"] != name]
    args = {"apiVersion": GROUP, "kind": f"{name}Args", **fields}
    profile["pluginConfig"] = [*others, {"name": name, "args": args}]


def _doubled(document: Json) -> None:
    document["profiles"].append(deepcopy(document["profiles"][0]))


def _twice(document: Json) -> None:
    profile = at(document, "profiles", 0)
    profile["pluginConfig"] = [{"name": "NodeAffinity"}, {"name": "NodeAffinity"}]


Change = Callable[[Json], None]
CHANGES: Final[Mapping[str, Change]] = {
    "percentage of 101": lambda given: given.update(percentageOfNodesToScore=101),
    "percentage of -1": lambda given: given.update(percentageOfNodesToScore=-1),
    "percentage of 100": lambda given: given.update(percentageOfNodesToScore=100),
    "percentage of a profile": lambda given: at(given, "profiles", 0).update(percentageOfNodesToScore=101),
    "no parallelism": lambda given: given.update(parallelism=0),
    "parallelism of a text": lambda given: given.update(parallelism="1"),
    "no initial backoff": lambda given: given.update(podInitialBackoffSeconds=0),
    "initial backoff": lambda given: given.update(podInitialBackoffSeconds=4),
    "initial backoff above the most": lambda given: given.update(podInitialBackoffSeconds=20),
    "backoffs": lambda given: given.update(podInitialBackoffSeconds=20, podMaxBackoffSeconds=20),
    "unknown field": lambda given: given.update(noSuchField=1),
    "unknown version": lambda given: given.update(apiVersion="kubescheduler.config.k8s.io/v2"),
    "a profile twice": _doubled,
    "a name that is missing": lambda given: at(given, "profiles", 0).update(schedulerName=""),
    "an unknown plugin": lambda given: _enabled(given, "filter", {"name": "NoSuchPlugin"}),
    "an unknown plugin everywhere": lambda given: _enabled(given, "multiPoint", {"name": "NoSuchPlugin"}),
    "an unknown plugin disabled": lambda given: _disabled(given, "filter", "NoSuchPlugin"),
    "a plugin where it has no point": lambda given: _enabled(given, "filter", {"name": "ImageLocality"}),
    "a plugin twice": lambda given: _enabled(given, "filter", {"name": "NodeName"}, {"name": "NodeName"}),
    "a plugin twice everywhere": lambda given: _enabled(given, "multiPoint", {"name": "NodeName"}, {"name": "NodeName"}),
    "the newest plugin": lambda given: _enabled(given, "filter", {"name": "NodeDeclaredFeatures"}),
    "a weight": lambda given: _enabled(given, "score", {"name": "ImageLocality", "weight": 7}),
    "a weight everywhere": lambda given: _enabled(given, "multiPoint", {"name": "ImageLocality", "weight": 7}),
    "a weight that overflows": lambda given: _enabled(given, "score", {"name": "ImageLocality", "weight": 2**31}),
    "all filters disabled": lambda given: _disabled(given, "filter", "*"),
    "everything disabled": lambda given: _disabled(given, "multiPoint", "*"),
    "no queue": lambda given: _disabled(given, "queueSort", "*"),
    "no binding": lambda given: _disabled(given, "bind", "*"),
    "no default binder": lambda given: _disabled(given, "multiPoint", "DefaultBinder"),
    "arguments twice": _twice,
    "hard weight of 101": lambda given: _arguments(given, "InterPodAffinity", hardPodAffinityWeight=101),
    "hard weight of 100": lambda given: _arguments(given, "InterPodAffinity", hardPodAffinityWeight=100),
    "candidates of 101 percent": lambda given: _arguments(
        given, "DefaultPreemption", minCandidateNodesPercentage=101
    ),
    "no candidates": lambda given: _arguments(
        given, "DefaultPreemption", minCandidateNodesPercentage=0, minCandidateNodesAbsolute=0
    ),
    "a few candidates": lambda given: _arguments(
        given, "DefaultPreemption", minCandidateNodesPercentage=0, minCandidateNodesAbsolute=3
    ),
    "a shape": lambda given: _arguments(
        given, "VolumeBinding", shape=[{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
    ),
    "a shape that falls": lambda given: _arguments(
        given, "VolumeBinding", shape=[{"utilization": 100, "score": 0}, {"utilization": 0, "score": 10}]
    ),
    "a strategy": lambda given: _arguments(
        given, "NodeResourcesFit", scoringStrategy={"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 3}]}
    ),
    "an unknown strategy": lambda given: _arguments(given, "NodeResourcesFit", scoringStrategy={"type": "Best"}),
    "a weight of a resource": lambda given: _arguments(
        given, "NodeResourcesFit",
        scoringStrategy={"type": "LeastAllocated", "resources": [{"name": "cpu", "weight": 101}]},
    ),
    "a weight to balance": lambda given: _arguments(
        given, "NodeResourcesBalancedAllocation", resources=[{"name": "cpu", "weight": 2}]
    ),
    "constraints of the system": lambda given: _arguments(
        given, "PodTopologySpread", defaultingType="System",
        defaultConstraints=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}],
    ),
    "arguments with an unknown field": lambda given: _arguments(given, "NodeAffinity", noSuchField=1),
    "arguments of no plugin": lambda given: _arguments(given, "NoSuchPlugin"),
}  # fmt: skip
"""Changes at the boundaries of what is accepted, and of what a field decides."""


def asked() -> list[Json]:
    """Return the configurations: the empty one, each change of it, random ones, and random ones with a change."""
    chance = Random(SEED)
    plain = [random_configuration(chance) for _ in range(RANDOM)]
    changed = [{**EMPTY, "profiles": [{"schedulerName": "default-scheduler"}]} for _ in CHANGES]
    for document, change in zip(changed, CHANGES.values(), strict=True):
        change(document)
    both = deepcopy(plain[: 2 * len(CHANGES)])
    for document, change in zip(both, (*CHANGES.values(), *CHANGES.values()), strict=False):
        change(document)
    return [EMPTY, *changed, *plain, *both]


def told(version: str, documents: list[Json]) -> list[Json]:
    """Return the answers of a patch level."""
    command = ["go", "run", f"-modfile=versions/{version}.mod", "./configurations"]
    text = "".join(json.dumps(each) + "\n" for each in documents)
    done = subprocess.run(command, cwd=SOURCES, input=text, stdout=subprocess.PIPE, text=True, check=True)
    return [_answer(json.loads(line)) for line in done.stdout.splitlines()]


def _answer(given: Json) -> Json:
    """Return an answer of the program as it is kept."""
    if "error" in given:
        return REFUSED
    common = given["percentageOfNodesToScore"]
    return {
        "parallelism": given["parallelism"],
        "backoff": [given["podInitialBackoffSeconds"], given["podMaxBackoffSeconds"]],
        "profiles": [_profile(each, common) for each in given["profiles"]],
    }


def _profile(given: Json, common: int) -> Json:
    own = given["percentageOfNodesToScore"]
    points = {f"{name[0].lower()}{name[1:]}": each["Enabled"] or [] for name, each in given["points"].items()}
    return {
        "name": given["schedulerName"],
        "percentage": common if own is None else own,
        "points": {point: [one["Name"] for one in points[point]] for point in POINTS if points[point]},
        "weights": {one["Name"]: one["Weight"] for one in points["score"]},
        "arguments": _real_arguments(given["arguments"]),
    }


def _real_arguments(given: Json) -> Json:
    """Return the arguments of kube-scheduler that a decision depends on, by plugin; it has them for enabled plugins."""
    return {name: forms(given[name]) for name, forms in FORMS.items() if name in given}


def _fit(given: Json) -> Json:
    strategy = given["ScoringStrategy"]
    ratio = strategy["RequestedToCapacityRatio"] or {}
    return {
        "ignored": [sorted(given["IgnoredResources"] or []), sorted(given["IgnoredResourceGroups"] or [])],
        "strategy": [strategy["Type"], _pairs(strategy["Resources"], "Name", "Weight")],
        "shape": _pairs(ratio.get("Shape"), "Utilization", "Score"),
    }


def _spread(given: Json) -> Json:
    constraints = given["DefaultConstraints"] or []
    system = given["DefaultingType"] == "System"
    return None if system else [[each["topologyKey"], each["maxSkew"]] for each in constraints]


def _added(given: Json) -> Json:
    added = given["AddedAffinity"] or {}
    required = added.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    preferred = added.get("preferredDuringSchedulingIgnoredDuringExecution") or []
    return [len(required.get("nodeSelectorTerms", [])), len(preferred)]


FORMS: Final[Mapping[str, Callable[[Json], Json]]] = {
    "NodeResourcesFit": _fit,
    "NodeResourcesBalancedAllocation": lambda given: [each["Name"] for each in given["Resources"] or []],
    "PodTopologySpread": _spread,
    "InterPodAffinity": lambda given: [given["HardPodAffinityWeight"], given["IgnorePreferredTermsOfExistingPods"]],
    "DefaultPreemption": lambda given: [given["MinCandidateNodesPercentage"], given["MinCandidateNodesAbsolute"]],
    "NodeAffinity": _added,
    "VolumeBinding": lambda given: _pairs(given["Shape"], "Utilization", "Score"),
}
"""What is kept of the arguments of each plugin."""


def _pairs(entries: Json, first: str, second: str) -> list[Json]:
    return [[each[first], each[second]] for each in entries or []]


def read(document: Json, version: str) -> Json:
    """Return what the configuration of schedcheck comes to under a patch level, in the form that is kept."""
    try:
        made = read_configuration(version, document)
    except InputError:
        return REFUSED
    profiles = [each.departing(DEPARTURES[version]) for each in made.profiles]
    return {
        "parallelism": made.parallelism,
        "backoff": [made.pod_initial_backoff, made.pod_max_backoff],
        "profiles": [_read_profile(each) for each in profiles],
    }


def _read_profile(given: Plugins) -> Json:
    return {
        "name": given.scheduler_name,
        "percentage": given.percentage_of_nodes_to_score,
        "points": {point: list(given.at(point)) for point in POINTS if given.at(point)},
        "weights": {name: given.weights[name] for name in given.at("score")},
        "arguments": _read_arguments(given),
    }


def _read_arguments(given: Plugins) -> Json:
    it, strategy = given.arguments, given.arguments.scoring_strategy
    constraints = it.default_constraints
    kept = {
        "NodeResourcesFit": {
            "ignored": [sorted(it.ignored_resources), sorted(it.ignored_groups)],
            "strategy": [strategy.kind, strategy.resources],
            "shape": strategy.shape,
        },
        "NodeResourcesBalancedAllocation": it.balanced,
        "PodTopologySpread": None
        if constraints is None
        else [[each.topology_key, each.max_skew] for each in constraints],
        "InterPodAffinity": [it.hard_pod_affinity_weight, it.ignore_preferred_terms_of_existing_pods],
        "DefaultPreemption": [it.min_candidate_nodes_percentage, it.min_candidate_nodes_absolute],
        "NodeAffinity": [len(it.added_affinity.required or ()), len(it.added_affinity.preferred)],
        "VolumeBinding": [] if Departure.STORAGE_CAPACITY_UNRATED in given.departures else it.storage_shape,
    }
    return json.loads(json.dumps(kept))


def told_alone(mine: Json, real: Json) -> Json:
    """Return what schedcheck reads without the arguments of plugins for which kube-scheduler keeps none."""
    if REFUSED in (mine, real) or len(mine["profiles"]) != len(real["profiles"]):
        return mine
    pairs = zip(mine["profiles"], real["profiles"], strict=True)
    return {
        **mine,
        "profiles": [
            {**one, "arguments": {name: one["arguments"][name] for name in other["arguments"]}} for one, other in pairs
        ],
    }


def file(version: str) -> Path:
    """Return the file of a patch level."""
    return FOLDER / f"{version}.jsonl.gz"


def recorded(version: str) -> list[tuple[Json, Json]]:
    """Return each configuration with the answer of a patch level."""
    return list(zip(lines(ASKED), lines(file(version)), strict=True))


def main() -> int:
    """Record every patch level."""
    documents = asked()
    write(ASKED, documents)
    for version in KNOWN:
        answers = told(version, documents)
        write(file(version), answers)
        print(f"{version}: {len(answers)} configurations, {answers.count(REFUSED)} of them refused", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

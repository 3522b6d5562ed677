"""Random valid KubeSchedulerConfigurations: `configurations`, `random_configuration`, `profiles_of`.

At every extension point that matters for decisions, plugins are enabled, disabled and reordered, directly and through
multiPoint; scores have weights, plugins arguments; there are up to three profiles.
"""

import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.manifests.configuration import configuration
from schedcheck.manifests.plugin_arguments import ACTIONS, INCLUSION, STRATEGIES
from schedcheck.manifests.plugin_sets import DEFAULT_ORDER, EVERY
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins

Json = dict[str, Any]
GROUP = "kubescheduler.config.k8s.io/v1"
KEYS = ("zone", "app", HOSTNAME)
VALUES = ("a", "b", "1", "10")
RESOURCES = ("cpu", "memory", "ephemeral-storage", "example.com/gpu", "pods", "unknown")
POINTS = ("preEnqueue", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "preBind")
"""The configured points; queueSort and bind keep their only plugin, permit and postBind have none."""
SCHEDULERS = ("default-scheduler", "second", "third")
WEIGHTLESS = ("SchedulingGates", "PrioritySort", "DefaultBinder")
"""The plugins that stay enabled if multiPoint is written completely."""


def configurations() -> st.SearchStrategy[Json]:
    """A valid KubeSchedulerConfiguration, as a JSON document, with one to three profiles."""
    return st.randoms(use_true_random=False).map(random_configuration)


def random_configuration(chance: Random) -> Json:
    """The configuration, as a JSON document."""
    names = SCHEDULERS[: chance.choice((1, 1, 1, 2, 3))]
    return {
        "apiVersion": GROUP,
        "kind": "KubeSchedulerConfiguration",
        **_rarely(chance, "percentageOfNodesToScore", lambda: chance.randint(0, 100)),
        **_rarely(chance, "parallelism", lambda: chance.randint(1, 32)),
        "profiles": [
            {
                "schedulerName": name,
                **_rarely(chance, "percentageOfNodesToScore", lambda: chance.randint(0, 100)),
                "plugins": _plugin_sets(chance),
                "pluginConfig": _plugin_config(chance),
            }
            for name in names
        ],
    }


def profiles_of(document: Json) -> tuple[Plugins, ...]:
    """The profiles of a configuration, read from a file.

    Raises: InputError.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "configuration.json"
        file.write_text(json.dumps(document))
        return configuration(file).profiles


def _rarely(chance: Random, key: str, value: Any, often: float = 0.3) -> Json:
    return {key: value()} if chance.random() < often else {}


def _plugin_sets(chance: Random) -> Json:
    """A few of the points, and sometimes multiPoint, which decides most of them."""
    points = chance.sample(POINTS, chance.choice((0, 1, 1, 2, 3, len(POINTS))))
    sets = {point: _plugin_set(chance, DEFAULT_PLUGINS.at(point), point == "score") for point in points}
    return {**sets, **_rarely(chance, "multiPoint", lambda: _multi_point(chance), 0.4)}


def _plugin_set(chance: Random, offered: tuple[str, ...], weighed: bool) -> Json:
    """Some or all plugins of the point disabled, and some enabled again, in any order."""
    disabled = [EVERY] if chance.random() < 0.3 else chance.sample(offered, chance.randint(0, min(2, len(offered))))
    again = chance.sample(offered, chance.choice((0, 0, 0, 1, 2, len(offered)))) if len(offered) > 1 else []
    return {
        "disabled": [{"name": name} for name in disabled],
        "enabled": [_entry(chance, name, weighed) for name in again],
    }


def _multi_point(chance: Random) -> Json:
    """A few plugins disabled everywhere; or all, and most of them enabled again in another order."""
    if chance.random() < 0.6:
        removable = [name for name in DEFAULT_ORDER if name not in WEIGHTLESS]
        return {
            "disabled": [{"name": name} for name in chance.sample(removable, chance.randint(0, 2))],
            "enabled": [_entry(chance, name, True) for name in chance.sample(removable, chance.randint(0, 2))],
        }
    kept = [name for name in DEFAULT_ORDER if name in WEIGHTLESS or chance.random() < 0.9]
    chance.shuffle(kept)
    return {"disabled": [{"name": EVERY}], "enabled": [_entry(chance, name, True) for name in kept]}


def _entry(chance: Random, name: str, weighed: bool) -> Json:
    return {"name": name, **(_rarely(chance, "weight", lambda: chance.choice((0, 1, 2, 5, 100))) if weighed else {})}


def _plugin_config(chance: Random) -> list[Json]:
    chosen = [(name, made) for name, made in ARGUMENTS.items() if chance.random() < 0.3]
    return [
        {"name": name, "args": {"apiVersion": GROUP, "kind": f"{name}Args", **made(chance)}} for name, made in chosen
    ]


def _node_affinity(chance: Random) -> Json:
    required = {"nodeSelectorTerms": [_node_term(chance) for _ in range(chance.randint(1, 2))]}
    preferred = [{"weight": chance.randint(1, 100), "preference": _node_term(chance)}]
    return {
        "addedAffinity": {
            **_rarely(chance, "requiredDuringSchedulingIgnoredDuringExecution", lambda: required, 0.5),
            **_rarely(chance, "preferredDuringSchedulingIgnoredDuringExecution", lambda: preferred, 0.7),
        }
    }


def _node_term(chance: Random) -> Json:
    operator = chance.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt"))
    values = {"In": list(VALUES[:2]), "NotIn": [chance.choice(VALUES)], "Gt": ["4"]}.get(operator, [])
    return {"matchExpressions": [{"key": chance.choice(KEYS), "operator": operator, "values": values}]}


def _fit(chance: Random) -> Json:
    kind = chance.choice(STRATEGIES)
    points = sorted(chance.sample(range(101), chance.randint(1, 4)))
    shape = [{"utilization": point, "score": chance.randint(0, 10)} for point in points]
    strategy = {
        "type": kind,
        "resources": _resources(chance, 100),
        **({"requestedToCapacityRatio": {"shape": shape}} if kind == "RequestedToCapacityRatio" else {}),
    }
    return {
        **_rarely(chance, "ignoredResources", lambda: ["example.com/gpu"]),
        **_rarely(chance, "ignoredResourceGroups", lambda: [chance.choice(("example.com", "other.com"))]),
        **_rarely(chance, "scoringStrategy", lambda: strategy, 0.8),
    }


def _resources(chance: Random, highest: int) -> list[Json]:
    names = chance.sample(RESOURCES, chance.randint(0, len(RESOURCES)))
    return [{"name": name, "weight": chance.randint(1, highest)} for name in names]


def _balanced(chance: Random) -> Json:
    return {"resources": _resources(chance, 1)}


def _spread(chance: Random) -> Json:
    wanted = [(key, action) for key in KEYS for action in ACTIONS]
    constraints = [
        {
            "maxSkew": chance.randint(1, 3),
            "topologyKey": key,
            "whenUnsatisfiable": action,
            **_rarely(chance, "minDomains", lambda: chance.randint(1, 3)),
            **_rarely(chance, "nodeAffinityPolicy", lambda: chance.choice(INCLUSION)),
            **_rarely(chance, "nodeTaintsPolicy", lambda: chance.choice(INCLUSION)),
        }
        for key, action in chance.sample(wanted, chance.randint(0, 3))
    ]
    return {"defaultingType": "List", "defaultConstraints": constraints}


def _inter_pod(chance: Random) -> Json:
    return {
        **_rarely(chance, "hardPodAffinityWeight", lambda: chance.choice((0, 1, 7, 100)), 0.7),
        **_rarely(chance, "ignorePreferredTermsOfExistingPods", lambda: chance.random() < 0.5, 0.7),
    }


def _preemption(chance: Random) -> Json:
    return {"minCandidateNodesPercentage": chance.randint(0, 100), "minCandidateNodesAbsolute": chance.randint(1, 100)}


def _volumes(chance: Random) -> Json:
    return {"bindTimeoutSeconds": chance.randint(0, 600)}


ARGUMENTS = {
    "NodeAffinity": _node_affinity,
    "NodeResourcesFit": _fit,
    "NodeResourcesBalancedAllocation": _balanced,
    "PodTopologySpread": _spread,
    "InterPodAffinity": _inter_pod,
    "DefaultPreemption": _preemption,
    "VolumeBinding": _volumes,
}
"""The plugins that have arguments, each with a random generator of them."""

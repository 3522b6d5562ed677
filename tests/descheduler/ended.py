"""Random clusters with pods that have ended, and policies that look at the statuses of pods: `drawn_ended`."""

from random import Random
from typing import Any, Final

from tests.descheduler.drawn import drawn

Json = dict[str, Any]
ENDED: Final = ("PodLifeTime", "RemoveFailedPods")
WAITING: Final = ("CrashLoopBackOff", "ImagePullBackOff", "ContainerCreating")
TERMINATED: Final = ("Error", "OOMKilled", "Completed")
REASONS: Final = ("Evicted", "NodeLost", "Shutdown", "NodeAffinity")
LONG_AGO: Final = "2021-01-01T00:00:00Z"


def drawn_ended(seed: int) -> Json:
    """Return a cluster and a policy with one of these plugins, or both, and sometimes another one beside them."""
    chance = Random(seed)
    plugins = chance.choice(((ENDED[0],), (ENDED[0],), (ENDED[1],), (ENDED[1],), ENDED, ENDED[::-1]))
    case = drawn(seed, ["PodLifeTime"])
    for each in case["objects"]:
        if each["kind"] == "Pod" and each["spec"].get("nodeName"):
            each["status"] = _status(chance)
    (profile,) = case["policy"]["profiles"]
    arguments = {ENDED[0]: _life_time, ENDED[1]: _failed_pods}
    of_evictor = [each for each in profile["pluginConfig"] if each["name"] == "DefaultEvictor"]
    profile["pluginConfig"] = [*of_evictor, *({"name": name, "args": arguments[name](chance)} for name in plugins)]
    profile["plugins"] = {"deschedule": {"enabled": [*plugins]}}
    return case | {"id": f"ended-{seed}", "ended": True}


def _status(chance: Random) -> Json:
    phase = chance.choice(("Running", "Pending", "Succeeded", "Failed", "Failed", "Failed"))
    reason = {"reason": chance.choice(REASONS)} if chance.random() < 0.3 else {}
    return {
        "phase": phase,
        "startTime": LONG_AGO,
        **reason,
        "containerStatuses": _containers(chance),
        "initContainerStatuses": _containers(chance),
        "ephemeralContainerStatuses": _containers(chance) if chance.random() < 0.3 else [],
        "conditions": [_condition(chance) for _ in range(chance.choice((0, 1, 2)))],
    }


def _containers(chance: Random) -> list[Json]:
    return [
        {"name": f"c{number}", "image": "i", "imageID": "", "restartCount": 0, "state": _state(chance)}
        for number in range(chance.choice((0, 1, 1, 2)))
    ]


def _state(chance: Random) -> Json:
    kind = chance.choice(("running", "waiting", "terminated", "terminated"))
    if kind == "waiting":
        return {"waiting": {"reason": chance.choice(WAITING)}}
    if kind == "terminated":
        return {"terminated": {"reason": chance.choice(TERMINATED), "exitCode": chance.choice((0, 1, 137))}}
    return {"running": {}}


def _condition(chance: Random) -> Json:
    dated = {"lastTransitionTime": LONG_AGO} if chance.random() < 0.7 else {}
    reason = {"reason": chance.choice(("PodFailed", "PodCompleted"))} if chance.random() < 0.5 else {}
    kind = chance.choice(("Ready", "Initialized", "DisruptionTarget"))
    return {"type": kind, "status": chance.choice(("True", "False")), **dated, **reason}


def _some(chance: Random, often: float, given: Json) -> Json:
    return given if chance.random() < often else {}


def _life_time(chance: Random) -> Json:
    states = chance.sample(
        ("Failed", "Succeeded", "Running", *WAITING, *TERMINATED, *REASONS), chance.choice((1, 2, 4))
    )
    criteria: dict[str, Json] = {
        "states": {"states": states},
        "conditions": {"conditions": [_filter(chance) for _ in range(chance.choice((1, 2)))]},
        "exitCodes": {"exitCodes": chance.sample((0, 1, 137), chance.choice((1, 2)))},
        "limit": {"maxPodLifeTimeSeconds": 86400},
    }
    args: Json = {}
    for name in chance.sample(sorted(criteria), chance.choice((1, 1, 1, 2))):
        args |= criteria[name]
    args |= _some(chance, 0.4, {"includingInitContainers": True}) | _some(
        chance, 0.3, {"includingEphemeralContainers": True}
    )
    return args | _some(chance, 0.2, {"ownerKinds": {chance.choice(("include", "exclude")): ["ReplicaSet"]}})


def _filter(chance: Random) -> Json:
    found = _some(chance, 0.7, {"type": chance.choice(("Ready", "Initialized", "DisruptionTarget"))})
    found |= _some(chance, 0.5, {"status": chance.choice(("True", "False"))})
    found |= _some(chance, 0.3, {"reason": "PodFailed"})
    return found | (
        _some(chance, 0.2, {"minTimeSinceLastTransitionSeconds": 60})
        if found
        else {"minTimeSinceLastTransitionSeconds": 60}
    )


def _failed_pods(chance: Random) -> Json:
    args = _some(chance, 0.2, {"minPodLifetimeSeconds": 60})
    args |= _some(chance, 0.3, {"reasons": chance.sample((*TERMINATED, *WAITING, *REASONS), chance.choice((2, 4)))})
    args |= _some(chance, 0.3, {"exitCodes": chance.sample((0, 1, 137), chance.choice((1, 2)))})
    args |= _some(chance, 0.4, {"includingInitContainers": True})
    return args | _some(chance, 0.2, {"excludeOwnerKinds": [chance.choice(("ReplicaSet", "Job"))]})

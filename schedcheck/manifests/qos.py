"""The QoS class of a pod: `qos_class`."""

from collections.abc import Iterable
from typing import Final

from schedcheck.manifests.fields import Field

CLASSES: Final = ("BestEffort", "Burstable", "Guaranteed")
"""The classes from the least important on."""


def qos_class(spec: Field, status: Field) -> int:
    """Return the place in `CLASSES` of a pod's class: that of its status, else that of its requests and limits.

    descheduler 0.36: pkg/utils/qos.go, GetPodQOS. Raises: InputError.
    """
    if status["qosClass"]:
        return CLASSES.index(status["qosClass"].one_of(CLASSES) or CLASSES[0])
    containers = (*spec["containers"].items(), *spec["initContainers"].items())
    requests, limits = _totals(containers, "requests"), _totals(containers, "limits")
    if not requests and not limits:
        return 0
    limited = all(set(_totals([each], "limits")) == {"cpu", "memory"} for each in containers)
    return 2 if limited and requests == limits else 1


def _totals(containers: Iterable[Field], kind: str) -> dict[str, int]:
    """Return the sums of cpu and memory that are more than 0, in billionths."""
    found: dict[str, int] = {}
    for each in containers:
        for name, amount in each["resources"][kind].quantities().items():
            if name in ("cpu", "memory") and amount > 0:
                found[name] = found.get(name, 0) + amount
    return found

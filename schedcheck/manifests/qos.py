"""The QoS class of a pod: `qos_class`."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from schedcheck.spec.quantities import QuantityError, billionths

CLASSES: Final = ("BestEffort", "Burstable", "Guaranteed")
"""The classes from the least important on."""


def qos_class(spec: Mapping[str, Any], status: Mapping[str, Any]) -> int:
    """Return the place in `CLASSES` of a pod's class: that of its status, else that of its requests and limits.

    descheduler 0.36: pkg/utils/qos.go, GetPodQOS.
    """
    recorded = status.get("qosClass")
    if recorded in CLASSES:
        return CLASSES.index(recorded)
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    given = [each.get("resources") or {} for each in containers]
    requests, limits = _totals(given, "requests"), _totals(given, "limits")
    if not requests and not limits:
        return 0
    limited = all(set(_totals([each], "limits")) == {"cpu", "memory"} for each in given)
    return 2 if limited and requests == limits else 1


def _totals(given: Iterable[Mapping[str, Any]], kind: str) -> dict[str, int]:
    """Return the sums of cpu and memory that are more than 0, in billionths."""
    found: dict[str, int] = {}
    for each in given:
        for name, quantity in (each.get(kind) or {}).items():
            amount = _billionths(quantity)
            if name in ("cpu", "memory") and amount > 0:
                found[name] = found.get(name, 0) + amount
    return found


def _billionths(quantity: object) -> int:
    """Return a quantity in billionths; 0 if it is none."""
    try:
        return billionths(str(quantity).strip())
    except QuantityError:
        return 0

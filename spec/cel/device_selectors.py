"""Whether a device satisfies the expressions of a class or request: `selected`.

Kubernetes 1.37: DeviceMatches in k8s.io/dynamic-resource-allocation/cel/compile.go.
"""

from functools import lru_cache
from typing import Any

from schedcheck.spec.cel.evaluation import evaluated, unsupported
from schedcheck.spec.cel.syntax import SyntaxFault, Unsupported
from schedcheck.spec.cel.values import Amount, CelError, Defaulted, Version, version
from schedcheck.spec.device_objects import Attribute, Device

TOO_DEEP = "a CEL expression that is nested so deeply"
HINT = ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields"
"""What kube-scheduler 1.37 adds to the error of a missing key."""


def unmodelled_part(expression: str) -> str:
    """Return the part of CEL that the expression uses and that is not modelled; empty if all of it is modelled."""
    from schedcheck.spec.cel.parsing import parsed

    try:
        return unsupported(parsed(expression))
    except Unsupported as error:
        return str(error)
    except RecursionError:
        return TOO_DEEP
    except SyntaxFault as error:
        return f"an expression that is not valid CEL ({error})"


def unmodelled_on(expression: str, driver: str, device: Device) -> str:
    """Return the part of CEL that the evaluation for a device of this driver needs and that is not modelled, or empty."""
    try:
        selected(expression, driver, device)
    except Unsupported as error:
        return str(error)
    except (CelError, SyntaxFault):
        pass
    return ""


@lru_cache(maxsize=65536)
def selected(expression: str, driver: str, device: Device) -> bool:
    """Whether a device of this driver satisfies the expression.

    Raises: CelError for an error at runtime; Unsupported for a part of CEL that is not modelled; SyntaxFault for a text
    that is no expression.
    """
    from schedcheck.spec.cel.parsing import parsed

    try:
        value = evaluated(parsed(expression), {"device": _variable(driver, device)})
    except RecursionError as error:
        raise Unsupported(TOO_DEEP) from error
    if not isinstance(value, bool):
        raise CelError("type conversion error")
    return value


def enhanced(error: CelError) -> str:
    """Return the message of an error of an evaluation. Kubernetes 1.37: EnhanceRuntimeError in cel/errors.go."""
    return f"{error}{HINT if 'no such key:' in str(error) else ''}"


def _variable(driver: str, device: Device) -> dict[str, Any]:
    """Return the variable `device` of an expression: maps of attributes and of capacities by domain and name."""
    attributes, capacity = Defaulted(), Defaulted()
    for name, attribute in device.attributes.items():
        domain, own = _qualified(name, driver)
        attributes.setdefault(domain, {})[own] = _value(attribute)
    for name, billionths in device.capacity.items():
        domain, own = _qualified(name, driver)
        capacity.setdefault(domain, {})[own] = Amount(billionths)
    return {
        "driver": driver,
        "attributes": attributes,
        "capacity": capacity,
        "allowMultipleAllocations": device.multiple,
    }


def _qualified(name: str, driver: str) -> tuple[str, str]:
    domain, slash, own = name.partition("/")
    return (domain, own) if slash else (driver, name)


def _value(attribute: Attribute) -> bool | int | str | Version:
    if attribute.type != "version":
        return attribute.value
    found = version(str(attribute.value))
    if found is None:
        raise CelError("parse semantic version")
    return found

"""The capacity that a share of a device takes: `share_of`.

Kubernetes 1.37: k8s.io/dynamic-resource-allocation/structured/internal/incubating/consumable_capacity.go.
"""

from collections.abc import Mapping

from schedcheck.spec.device_objects import Device, Policy, Request


def share_of(request: Request, device: Device) -> dict[str, int] | None:
    """Return what the request takes of each capacity of the device; None if the device cannot serve it at all."""
    wanted: Mapping[str, int] = request.capacity or {}
    if any(name not in device.capacity for name in wanted):
        return None
    found: dict[str, int] = {}
    for name, size in device.capacity.items():
        policy = device.policies.get(name)
        taken = _rounded(wanted[name], policy) if name in wanted else _default(size, policy)
        if policy is not None and not _permitted(taken, policy):
            return None
        found[name] = taken
    return found


def _default(size: int, policy: Policy | None) -> int:
    return size if policy is None or policy.default is None else policy.default


def _rounded(wanted: int, policy: Policy | None) -> int:
    """Round up to the next value that the policy allows, if there is one."""
    if policy is None:
        return wanted
    if policy.minimum is not None:
        if wanted <= policy.minimum:
            return policy.minimum
        if policy.step is None:
            return wanted
        steps, rest = divmod(wanted - policy.minimum, policy.step)
        return policy.minimum + (steps + (rest > 0)) * policy.step
    for value in policy.values:
        if value >= wanted:
            return value
    return wanted


def _permitted(taken: int, policy: Policy) -> bool:
    if taken == policy.default:
        return True
    if policy.minimum is None:
        return not policy.values or taken in policy.values
    if policy.maximum is not None and taken > policy.maximum:
        return False
    return policy.step is None or (taken - policy.minimum) % policy.step == 0

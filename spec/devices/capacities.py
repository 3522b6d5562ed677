"""What an allocation consumes of the capacities of a device: `consumption`, `acceptable`.

A device with allowMultipleAllocations is allocated as long as its capacities suffice. Of any other device the requested
capacity must exist, and be enough.

Kubernetes 1.37: k8s.io/dynamic-resource-allocation/structured/internal/incubating/consumable_capacity.go. Amounts are
compared in thousandths, as kube-scheduler does where all amounts of a range are whole thousandths.
"""

from frozendict import frozendict

from schedcheck.spec.device_objects import Device, Policy, Request
from schedcheck.spec.values import NO_AMOUNTS, Amounts

MILLI = 10**6
"""Billionths in a thousandth."""


def consumption(request: Request, device: Device) -> Amounts:
    r"""Return what an allocation for the request consumes of each capacity of the device.

    TLA+: NoPolicy == [Default |-> Null, Values |-> {}, Minimum |-> Null, Maximum |-> Null, Step |-> Null]

    TLA+: Consumption(Part, Device) ==
            [Name \in DOMAIN Device.Capacity |->
              Consumed(IF Name \in DOMAIN Part.Capacity THEN Part.Capacity[Name] ELSE Null,
                       Device.Capacity[Name],
                       IF Name \in DOMAIN Device.Policies THEN Device.Policies[Name] ELSE NoPolicy)]
    """
    asked = request.capacity or NO_AMOUNTS
    return frozendict(
        {
            name: consumed(asked.get(name), value, device.policies.get(name, Policy()))
            for name, value in device.capacity.items()
        }
    )


def consumed(asked: int | None, value: int, policy: Policy) -> int:
    r"""Return what a request for a capacity of this size consumes; `asked` None: the request does not name it.

    TLA+: Consumed(Asked_, Size, Policy) ==
            LET Enough == {Value \in Policy.Values : Value >= Asked_}
            IN IF Asked_ = Null THEN IF Policy.Default = Null THEN Size ELSE Policy.Default
               ELSE IF Policy.Minimum = Null THEN IF Enough = {} THEN Asked_ ELSE Min(Enough)
               ELSE IF Policy.Step = Null \/ Asked_ < Policy.Minimum THEN Max({Asked_, Policy.Minimum})
               ELSE Policy.Minimum - ((Policy.Minimum - Asked_) \div Policy.Step) * Policy.Step
    """
    if asked is None:
        return value if policy.default is None else policy.default
    if policy.minimum is not None:
        if asked < policy.minimum or policy.step is None:
            return max(asked, policy.minimum)
        return policy.minimum - (policy.minimum - asked) // policy.step * policy.step
    return next((each for each in policy.values if each >= asked), asked)


def acceptable(request: Request, device: Device) -> bool:
    r"""Whether the device has each requested capacity, and what would be consumed follows its policies.

    TLA+: Acceptable(Part, Device) ==
            /\ DOMAIN Part.Capacity \subseteq DOMAIN Device.Capacity
            /\ \A Name \in DOMAIN Device.Capacity \intersect DOMAIN Device.Policies :
                 AmountAllowed(Consumption(Part, Device)[Name], Device.Policies[Name])
    """
    asked = request.capacity or NO_AMOUNTS
    return set(asked) <= set(device.capacity) and all(
        allowed(amount, device.policies[name])
        for name, amount in consumption(request, device).items()
        if name in device.policies
    )


def allowed(amount: int, policy: Policy) -> bool:
    r"""Whether the policy allows an allocation to consume this amount.

    TLA+: AmountAllowed(Amount, Policy) ==
            IF Policy.Default # Null /\ Amount = Policy.Default THEN TRUE
            ELSE IF Policy.Minimum = Null THEN Policy.Values = {} \/ Amount \in Policy.Values
            ELSE /\ Policy.Maximum = Null \/ Amount <= Policy.Maximum
                 /\ Policy.Step = Null \/ (Amount - Policy.Minimum) % Policy.Step = 0
    """
    if amount == policy.default:
        return True
    if policy.minimum is not None:
        within = policy.maximum is None or amount <= policy.maximum
        return within and (policy.step is None or (amount - policy.minimum) % policy.step == 0)
    return policy.values == () or amount in policy.values


def fine(policy: Policy) -> bool:
    """Whether an amount of the policy is not a whole number of thousandths."""
    amounts = (policy.minimum, policy.maximum, policy.step)
    return any(each is not None and each % MILLI != 0 for each in amounts)

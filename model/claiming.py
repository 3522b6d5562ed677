"""Resource claims in the states of a scenario, as texts: `claim_text`, `devices_of`."""

from collections.abc import Iterable

from schedcheck.spec.device_objects import ResourceClaim


def claim_text(claim: ResourceClaim) -> str:
    """Return a text of everything about a claim that may change."""
    held = claim.allocation.results if claim.allocation is not None else None
    devices = "-" if held is None else ",".join("/".join((each.request, *each.id)) for each in held)
    return f"{claim}:{devices}:{','.join(each.uid for each in claim.reserved_for)}"


def devices_of(claims: Iterable[ResourceClaim], before: Iterable[ResourceClaim]) -> tuple[str, ...]:
    """Return the devices that the claims have and did not have before, as `claim: device`."""
    had = {each.key for each in before if each.allocation is not None}
    new = [each for each in claims if each.allocation is not None and each.key not in had]
    return tuple(
        f"{each}: {' '.join(result.device for result in each.allocation.results)}"
        for each in new
        if each.allocation is not None
    )

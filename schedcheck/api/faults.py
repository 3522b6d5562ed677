"""The faults of the published model that are put in or repaired, and the profile that they imply."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from schedcheck.api.values import Observer, Profile
from schedcheck.checker.limits.parameters import parameter

if TYPE_CHECKING:
    from schedcheck.manifests import Cluster
    from schedcheck.model.scenario import Scenario


def known_faults() -> frozenset[str]:
    """Return the names of all faults."""
    from schedcheck.spec.faults import Fault

    return frozenset(fault.value for fault in Fault)


def meant_profile(profile: str | None, cluster: "Cluster", faults: Iterable[str]) -> str:
    """Return the profile that is asked for; an empty name leaves it to the scenario.

    A fault is the published model's, so that where no profile is named it asks for `corrected`.
    """
    named = profile or (cluster.scenario is not None and cluster.scenario["spec"]["profile"].text())
    return profile or ("corrected" if tuple(faults) and not named else "")


def with_faults(made: "Scenario", cluster: "Cluster", profile: Profile, observer: Observer) -> "Scenario":
    """Return the scenario with the faults and repairs of the profile; note faults of its own that are dropped.

    Raises: InputError for a fault that there is not, that is not on, or that the profile cannot have.
    """
    from schedcheck.errors import InputError
    from schedcheck.spec.schedulers import profiles_where

    asked = [
        *(("profile.faults", name) for name in profile.faults),
        *(("profile.repairs", name) for name in profile.repairs),
    ]
    for place, name in asked:
        _known(place, name)
        if not made.scheduler.has_faults:
            having = profiles_where(lambda each: each.has_faults)
            belongs = f"belongs to {parameter('profile')} {' or '.join(having)}, not to {made.profile}"
            raise InputError(belongs, path=parameter(place), value=name)
    spec = cluster.scenario["spec"] if cluster.scenario is not None else None
    if spec is not None and spec["faults"] and not made.scheduler.has_faults:
        observer.note(f"the scenario's faults are those of the published model; the profile {made.profile} has none")
    on = made.faults | {name for place, name in asked if place == "profile.faults"}
    for name in profile.repairs:
        if name not in on:
            raise InputError(
                f"this fault is not on in the profile {made.profile}", path=parameter("profile.repairs"), value=name
            )
    return replace(made, faults=on - frozenset(profile.repairs))


def _known(place: str, name: str) -> None:
    """Raises: InputError with the nearest fault if none has this name."""
    from schedcheck.errors import InputError
    from schedcheck.manifests.fields import nearest

    if name not in known_faults():
        raise InputError(f"no fault has this name{nearest(name, known_faults())}", path=parameter(place), value=name)

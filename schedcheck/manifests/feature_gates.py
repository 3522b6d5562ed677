"""The feature gates of kube-scheduler that a user switches: `switched`, `Switched`, `with_gangs`.

The gates are written as the component takes them: `NodeDeclaredFeatures=false,VolumeLimitScaling=true`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.fields import nearest
from schedcheck.manifests.gate_defaults import OTHERS, READ
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.plugins import Plugins

WITHOUT: Mapping[str, tuple[Departure, tuple[str, ...]]] = frozendict(
    {
        "NodeDeclaredFeatures": (Departure.DECLARED_FEATURES_IGNORED, ("1.36", "1.37")),
        "VolumeLimitScaling": (Departure.MISSING_DRIVERS_IGNORED, ("1.36", "1.37")),
        "StorageCapacityScoring": (Departure.STORAGE_CAPACITY_UNRATED, ("1.34", "1.35", "1.36", "1.37")),
    }
)
"""The gates that can be switched: the departure while one is off, and the versions in which it is specified."""

GANGS = ("GenericWorkload", "GangScheduling")
"""The gates of gang scheduling: the second adds the plugin, and depends on the first."""

WITH_GANGS = ("1.35",)
"""The versions in which gang scheduling is specified; 1.36 and 1.37 schedule a group in one cycle."""

SPELLINGS: Mapping[str, bool] = frozendict(
    {
        **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
        **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
    }
)
"""The truth values as Go reads them."""


@dataclass(frozen=True)
class Switched:
    """What the gates of a user change: departures that end, departures that begin, and whether gangs are scheduled."""

    ended: Departures = NO_DEPARTURES
    begun: Departures = NO_DEPARTURES
    gangs: bool = False


def switched(given: Iterable[str], version: str, place: str) -> Switched:
    """Return what gates change in a version, such as 1.36; of one gate given twice the last counts.

    Raises: InputError for a text that is none, a gate that is unknown, locked or not modelled; `place` names it.
    """
    minor = ".".join(version.split(".")[:2])
    wanted = {name: on for text in given for name, on in _read(text, place)}
    ended: set[Departure] = set()
    begun: set[Departure] = set()
    for name, on in wanted.items():
        if _by_default(name, on, minor, place):
            continue
        if name in GANGS:
            if minor not in WITH_GANGS:
                only = f"gang scheduling is modelled for {', '.join(WITH_GANGS)} only"
                raise InputError(f"the feature gate {name}={_text(on)} is not modelled for {minor}; {only}", path=place)
            continue
        if name not in WITHOUT or minor not in WITHOUT[name][1]:
            raise InputError(f"the feature gate {name}={_text(on)} is not modelled for {minor}", path=place)
        (ended if on else begun).add(WITHOUT[name][0])
    generic, gangs = (wanted.get(name, False) and name in READ and minor in READ[name] for name in GANGS)
    if gangs and not generic:
        raise InputError("the feature gate GangScheduling=true needs GenericWorkload=true", path=place)
    return Switched(frozenset(ended), frozenset(begun), gangs)


def with_gangs(plugins: Plugins) -> Plugins:
    """Return the profile with the plugin of gang scheduling, which comes last at each of its extension points.

    Kubernetes 1.35: applyGangScheduling in pkg/scheduler/apis/config/v1/default_plugins.go.
    """
    added = {point: (*plugins.at(point), "GangScheduling") for point in ("preEnqueue", "reserve", "permit")}
    return replace(plugins, points=plugins.points | added)


def _read(text: str, place: str) -> Iterator[tuple[str, bool]]:
    for item in filter(None, text.split(",")):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or value not in SPELLINGS:
            raise InputError("expected a list such as NodeDeclaredFeatures=false", path=place, value=item)
        if name in ("AllAlpha", "AllBeta"):
            raise InputError(f"name each feature gate; {name} is not modelled", path=place)
        if name not in READ and name not in OTHERS:
            raise InputError(f"no feature gate has this name{nearest(name, (*READ, *OTHERS))}", path=place, value=name)
        yield name, SPELLINGS[value]


def _by_default(name: str, on: bool, minor: str, place: str) -> bool:
    """Whether the gate has this value anyway, or no decision depends on it. Raises: InputError if it is locked."""
    if name in OTHERS:
        return True
    default = READ[name].get(minor)
    if default is None:
        raise InputError(f"kube-scheduler {minor} has no feature gate of this name", path=place, value=name)
    if (default.rstrip("!") == "on") == on:
        return True
    if default.endswith("!"):
        raise InputError(
            f"cannot be {_text(on)}, as it is locked to {_text(not on)} in {minor}", path=place, value=name
        )
    return False


def _text(on: bool) -> str:
    return "true" if on else "false"

"""The feature gates of kube-scheduler that a user switches: `switched`, `Switched`.

The gates are written as the component takes them: `NodeDeclaredFeatures=false,VolumeLimitScaling=true`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.fields import nearest
from schedcheck.manifests.gate_defaults import OTHERS, READ
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure, Departures

WITHOUT: Mapping[str, tuple[Departure, tuple[str, ...]]] = frozendict(
    {
        "NodeDeclaredFeatures": (Departure.DECLARED_FEATURES_IGNORED, ("1.36", "1.37")),
        "VolumeLimitScaling": (Departure.MISSING_DRIVERS_IGNORED, ("1.36", "1.37")),
        "StorageCapacityScoring": (Departure.STORAGE_CAPACITY_UNRATED, ("1.34", "1.35", "1.36", "1.37")),
    }
)
"""The gates that can be switched: the departure while one is off, and the versions in which it is specified."""

SPELLINGS: Mapping[str, bool] = frozendict(
    {
        **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
        **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
    }
)
"""The truth values as Go reads them."""


@dataclass(frozen=True)
class Switched:
    """What the gates of a user change: departures that end, and departures that begin."""

    ended: Departures = NO_DEPARTURES
    begun: Departures = NO_DEPARTURES


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
        if name not in WITHOUT or minor not in WITHOUT[name][1]:
            raise InputError(f"the feature gate {name}={_text(on)} is not modelled for {minor}", path=place)
        (ended if on else begun).add(WITHOUT[name][0])
    return Switched(frozenset(ended), frozenset(begun))


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

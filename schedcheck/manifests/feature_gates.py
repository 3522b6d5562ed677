"""The feature gates of kube-scheduler that a user switches: `switched`, `Switched`, `with_gangs`.

The gates are written as the component takes them: `VolumeLimitScaling=false,StorageCapacityScoring=true`.
Kubernetes: component-base/cli/flag/colon_separated_multimap_string_string.go, Set; component-base/compatibility/
registry.go, Set; component-base/featuregate/feature_gate.go, Set and unsafeSetFromMap.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.fields import nearest
from schedcheck.manifests.gate_defaults import GATES, QUEUE, READ, Gate, needs
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.plugins import Plugins

WITHOUT: Mapping[str, tuple[Departure, tuple[str, ...]]] = frozendict(
    {
        "NodeDeclaredFeatures": (Departure.DECLARED_FEATURES_IGNORED, ("1.36.4", "1.37.2")),
        "InPlacePodLevelResourcesVerticalScaling": (Departure.POD_LEVEL_STATUS_IGNORED, ("1.36.4", "1.37.2")),
        "VolumeLimitScaling": (Departure.MISSING_DRIVERS_IGNORED, ("1.36.4", "1.37.2")),
        "StorageCapacityScoring": (
            Departure.STORAGE_CAPACITY_UNRATED, ("1.34.1", "1.34.9", "1.35.8", "1.36.4", "1.37.2"),
        ),
    }
)  # fmt: skip
"""The gates that can be switched: the departure while one is off, and the versions in which it is specified."""

GANGS = ("GenericWorkload", "GangScheduling")
"""The gates of gang scheduling. In 1.35 and 1.36 the second adds the plugin, and depends on the first; in 1.37 the first."""

ONE_BY_ONE = ("preEnqueue", "reserve", "permit")
IN_ONE_CYCLE = ("preEnqueue", "permit", "placementFeasible")
BY_PERMIT = ("preEnqueue", "permit")

WITH_GANGS: Mapping[str, tuple[str, tuple[str, ...]]] = frozendict(
    {
        "1.35.8": ("GangScheduling", ONE_BY_ONE),
        "1.36.4": ("GangScheduling", BY_PERMIT),
        "1.37.2": ("GenericWorkload", IN_ONE_CYCLE),
    }
)
"""The versions in which gang scheduling is specified: the gate that adds the plugin, and the points at which it is."""

WITHOUT_PLUGIN = frozenset({"1.36.4"})
"""The versions that try the pods of a PodGroup in one cycle without the plugin too, which is not modelled."""

BATCHING = "OpportunisticBatching"
"""The gate that lets a pod take a node left over from an earlier pod. It can be switched, but not be modelled."""

STAGES: Mapping[str, str] = frozendict({"AllAlpha": "ALPHA", "AllBeta": "BETA"})
"""The gates that switch all gates of a stage which are not named themselves."""

SPELLINGS: Mapping[str, bool] = frozendict(
    {
        **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
        **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
    }
)
"""The truth values as Go reads them."""

COMPONENT = "kube"
"""The component of gates without a prefix."""


@dataclass(frozen=True)
class Switched:
    """What the gates of a user change: departures that end, and departures that begin.

    `queue`: gates that were switched and change only when a pod is tried, sorted.
    `batching`: whether OpportunisticBatching is on then. `gangs`: the points at which the plugin of gangs is, if any.
    """

    ended: Departures = NO_DEPARTURES
    begun: Departures = NO_DEPARTURES
    queue: tuple[str, ...] = ()
    batching: bool = False
    gangs: tuple[str, ...] = ()


def switched(given: Iterable[str], patch: str, place: str) -> Switched:
    """Return what gates change in a version, such as 1.36.4; of one gate given twice the last counts.

    Raises: InputError for gates that the component refuses or that are not modelled; `place` names them.
    """
    known = {name: versions[patch] for name, versions in GATES.items() if patch in versions}
    wanted = named_gates(given, place)
    now = enabled(wanted, known, patch, place)
    changed = {name: on for name, on in sorted(now.items()) if on != known[name].on}
    ended: set[Departure] = set()
    begun: set[Departure] = set()
    for name, on in changed.items():
        if name not in READ or name == BATCHING:
            continue
        if name in GANGS and patch in WITH_GANGS:
            continue
        if name not in WITHOUT or patch not in WITHOUT[name][1]:
            raise _not_modelled(name, on, wanted, known, patch, place)
        (ended if on else begun).add(WITHOUT[name][0])
    queue = tuple(name for name in changed if name in QUEUE)
    adding, points = WITH_GANGS.get(patch, ("", ()))
    gangs = points if now.get(adding, False) else ()
    if patch in WITHOUT_PLUGIN and now["GenericWorkload"] and not gangs:
        raise InputError(
            f"without GangScheduling=true it is not modelled for {_minor(patch)}",
            path=place,
            value="GenericWorkload=true",
        )
    return Switched(frozenset(ended), frozenset(begun), queue, now.get(BATCHING, False), gangs)


def gated(plugins: Plugins, gates: Switched, *, configured: bool = False) -> Plugins:
    """Return the profile with these gates; a configured one has the plugin of gang scheduling where it says so."""
    made = replace(plugins, gates_on=gates.ended, gates_off=gates.begun)
    return with_gangs(made, gates.gangs) if gates.gangs and not configured else made


def with_gangs(plugins: Plugins, points: Iterable[str] = ONE_BY_ONE) -> Plugins:
    """Return the profile with the plugin of gang scheduling, which comes last at each of its extension points.

    Kubernetes 1.35, 1.36 and 1.37: applyGangScheduling in pkg/scheduler/apis/config/v1/default_plugins.go.
    """
    added = {point: (*plugins.at(point), "GangScheduling") for point in points}
    return replace(plugins, points=plugins.points | added)


def enabled(wanted: Mapping[str, bool], known: Mapping[str, Gate], patch: str, place: str) -> Mapping[str, bool]:
    """Return the value of every gate of a version. Raises: InputError for what the component refuses."""
    for name, on in wanted.items():
        if name not in known and name not in STAGES:
            raise _unknown(name, patch, place)
        if name in known and known[name].locked and known[name].on != on:
            said = f"cannot be {_text(on)}, as it is locked to {_text(not on)} in {_minor(patch)}"
            raise InputError(said, path=place, value=name)
    stages = {STAGES[name]: on for name, on in wanted.items() if name in STAGES}
    now = {name: wanted.get(name, stages.get(gate.stage, gate.on)) for name, gate in known.items()}
    missing = [(name, gate) for name, on in sorted(now.items()) if on for gate in needs(name, patch) if not now[gate]]
    for off in sorted({gate for _, gate in missing}):
        held = ", ".join(name for name, gate in missing if gate == off)
        raise InputError(
            f"would be off in {_minor(patch)}, and these that are on need it: {held}", path=place, value=off
        )
    return now


def named_gates(given: Iterable[str], place: str) -> Mapping[str, bool]:
    """Return the gates that are named, with their values. Raises: InputError for what is not written like a gate."""
    items = list(_items(given))
    for prefix, item in items:
        if prefix not in ("", COMPONENT):
            raise InputError("kube-scheduler has no other component than kube", path=place, value=f"{prefix}:{item}")
    for _, item in items if len({prefix for prefix, _ in items}) > 1 else ():
        raise InputError("expected all gates with the prefix kube:, or none", path=place, value=item)
    found: dict[str, bool] = {}
    for item in (item for _, item in items if item):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or value not in SPELLINGS:
            raise InputError("expected a list such as VolumeLimitScaling=false", path=place, value=item)
        found[name] = SPELLINGS[value]
    return found


def _items(given: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each gate as it is written, with the component before it."""
    for item in (each for text in given for each in text.split(",") if each):
        prefix, colon, rest = item.partition(":")
        yield (prefix.strip(), rest.strip()) if colon else ("", item.strip())


def _unknown(name: str, patch: str, place: str) -> InputError:
    if name in GATES:
        return InputError(f"kube-scheduler {_minor(patch)} has no feature gate of this name", path=place, value=name)
    return InputError(f"no feature gate has this name{nearest(name, (*GATES, *STAGES))}", path=place, value=name)


def _not_modelled(
    name: str, on: bool, wanted: Mapping[str, bool], known: Mapping[str, Gate], patch: str, place: str
) -> InputError:
    of_stage = {stage: each for each, stage in STAGES.items()}
    by = "" if name in wanted else f", which {of_stage[known[name].stage]} switches,"
    only = f"; gang scheduling is modelled for {' and '.join(map(_minor, WITH_GANGS))} only" if name in GANGS else ""
    return InputError(f"the feature gate {name}={_text(on)}{by} is not modelled for {_minor(patch)}{only}", path=place)


def _minor(patch: str) -> str:
    return ".".join(patch.split(".")[:2])


def _text(on: bool) -> str:
    return "true" if on else "false"

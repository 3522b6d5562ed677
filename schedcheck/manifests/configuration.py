"""KubeSchedulerConfiguration files to a `Configuration`: `configuration`.

A file is read and refused as kube-scheduler does, unknown fields included. Fields that affect no decision, such as
leader election, are only validated. Versions before v1 are converted, with one note.
Kubernetes 1.34: pkg/scheduler/apis/config/validation/validation.go, pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Final

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.configuration_versions import (
    GROUP,
    STRATEGIES,
    Version,
    limits,
    strategy,
    version,
    without_limits,
)
from schedcheck.manifests.documents import Document, documents
from schedcheck.manifests.durations import duration
from schedcheck.manifests.extenders import conversions, extenders, ignored_resources
from schedcheck.manifests.fields import INT32, Field, frozen, nearest
from schedcheck.manifests.gang_plugin import named, settled, with_default
from schedcheck.manifests.plugin_arguments import INT64
from schedcheck.manifests.plugin_sets import (
    DEFAULT_ORDER,
    EVERY,
    GONE,
    NO_OTHERS,
    Others,
    Sets,
    default_sets,
    expanded,
    plugin_sets,
    weights,
)
from schedcheck.spec.kubernetes.configuration import Configuration
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.gangs import NAME as GANG_SCHEDULING
from schedcheck.spec.kubernetes.plugins import (
    DEFAULT_PLUGINS,
    POINTS,
    Arguments,
    OwnArguments,
    Plugins,
)
from schedcheck.spec.kubernetes.versions import NEWEST

KIND: Final = "KubeSchedulerConfiguration"
LEADER_FIELDS: Final = (
    "leaderElect", "leaseDuration", "renewDeadline", "retryPeriod", "resourceLock", "resourceName",
    "resourceNamespace",
)  # fmt: skip
CLIENT_FIELDS: Final = ("kubeconfig", "acceptContentTypes", "contentType", "qps", "burst")
LEASE: Final = 15 * 10**9
RENEWAL: Final = 10 * 10**9
RETRY: Final = 2 * 10**9


def configuration(
    *files: str | Path,
    others: Others = NO_OTHERS,
    departures: Departures = NEWEST.departures,
    gangs: tuple[str, ...] = (),
) -> Configuration:
    """Return the one configuration in the files, as the version with these departures reads it.

    It may name the out-of-tree plugins `others`. `gangs` are the points of GangScheduling if its feature gate is on.

    Raises: InputError also if the files hold no configuration, or more than one.
    """
    found = [Field(document, document.value) for document in documents(files)]
    for field in found:
        if field["kind"].text() != KIND:
            raise field["kind"].error(f"expected {KIND}")
    for field in found[1:]:
        raise field["kind"].error("expected no more than one configuration")
    for note in found[0].document.notes:
        raise InputError(f"{note}; kube-scheduler refuses such a file")
    return _configuration(found[0], others, departures, gangs)


def read_configuration(document: Document, others: Others) -> Configuration:
    """Return the configuration in one document. Raises: InputError at the first field that is refused."""
    field = Field(document, document.value)
    if field["kind"].text() != KIND:
        raise field["kind"].error(f"expected {KIND}")
    return _configuration(field, others)


def _configuration(
    field: Field, others: Others, departures: Departures = NEWEST.departures, gangs: tuple[str, ...] = ()
) -> Configuration:
    read_as = replace(version(field), others=named(others, departures), defaults=DEFAULT_PLUGINS.departing(departures))
    if not read_as.older:
        read_as = replace(read_as, sets=default_sets(read_as.defaults))
    if gangs:
        read_as = replace(read_as, sets=with_default(read_as.sets))
    field.only(*read_as.fields)
    _leader_election(field["leaderElection"])
    _client_connection(field["clientConnection"])
    for name in ("enableProfiling", "enableContentionProfiling", "delayCacheUntilActive"):
        field[name].boolean()
    asked = extenders(field["extenders"], read_as.older)
    initial = _integer(field["podInitialBackoffSeconds"], 1, 1, INT64 - 1)
    profiles = _profiles(field, read_as, ignored_resources(asked))
    if GANG_SCHEDULING not in others:
        profiles = tuple(settled(each, gangs, field["profiles"]) for each in profiles)
    return Configuration(
        profiles=profiles,
        extenders=asked,
        parallelism=_integer(field["parallelism"], 16, 1),
        pod_initial_backoff=initial,
        pod_max_backoff=_max_backoff(field["podMaxBackoffSeconds"], initial),
        notes=(*_notes(field, read_as), *_unbinding(field["profiles"], profiles)),
    )


def _integer(field: Field, default: int, low: int, high: int = INT32 - 1) -> int:
    return field.integer(low, high) if field else default


def _max_backoff(field: Field, initial: int) -> int:
    seconds = _integer(field, 10, -INT64, INT64 - 1)
    if seconds < initial:
        raise field.error(f"expected at least the {initial} of podInitialBackoffSeconds")
    return seconds


def _leader_election(field: Field) -> None:
    field.only(*LEADER_FIELDS)
    elected = field["leaderElect"].boolean() or not field["leaderElect"]
    lease, renewal = duration(field["leaseDuration"]) or LEASE, duration(field["renewDeadline"]) or RENEWAL
    retry = duration(field["retryPeriod"]) or RETRY
    for name, length in (("leaseDuration", lease), ("renewDeadline", renewal), ("retryPeriod", retry)):
        if elected and length < 0:
            raise field[name].error("expected a duration that is not negative")
    if elected and lease <= renewal:
        raise field["leaseDuration"].error("expected more than renewDeadline")
    lock = field["resourceLock"].text() or "leases"
    if elected and lock != "leases":
        raise field["resourceLock"].error("expected leases")
    field["resourceName"].text()
    field["resourceNamespace"].text()


def _client_connection(field: Field) -> None:
    field.only(*CLIENT_FIELDS)
    for name in ("kubeconfig", "acceptContentTypes", "contentType"):
        field[name].text()
    qps = field["qps"].value
    if qps is not None and (isinstance(qps, bool) or not isinstance(qps, (int, float))):
        raise field["qps"].error("expected a number")
    _integer(field["burst"], 0, 0)


def _profiles(field: Field, read_as: Version, ignored: frozenset[str]) -> tuple[Plugins, ...]:
    """Return the profiles, or the default profile if there is none."""
    items = field["profiles"].items() or [Field(field.document, {}, Field(field.document, None, field, "profiles"), 0)]
    names = [_scheduler_name(item, len(items)) for item in items]
    for place, item in enumerate(items):
        if names[place] in names[:place]:
            raise item["schedulerName"].error("expected each schedulerName once")
    percentage = _integer(field["percentageOfNodesToScore"], 0, 0, 100)
    made = tuple(
        replace(_profile(item, read_as, ignored), scheduler_name=name) for item, name in zip(items, names, strict=True)
    )
    _common_queue_sort(items, read_as)
    return tuple(
        replace(
            plugins, percentage_of_nodes_to_score=_integer(item["percentageOfNodesToScore"], percentage, 0, 100)
        )
        for item, plugins in zip(items, made, strict=True)
    )  # fmt: skip


def _scheduler_name(field: Field, profiles: int) -> str:
    """Return the scheduler name, which may be absent only in a single profile."""
    if profiles == 1 and not field["schedulerName"]:
        return "default-scheduler"
    return field["schedulerName"].required("a name")


def _profile(field: Field, read_as: Version, ignored: frozenset[str]) -> Plugins:
    """Return the plugins of a profile; resources that extenders have ignored replace those in the arguments."""
    field.only("schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig")
    configs = _configs(field["pluginConfig"], read_as)
    arguments = Arguments()
    for name, args in configs.items():
        if name in read_as.readers:
            _type_meta(args, name, read_as)
            arguments = read_as.readers[name](arguments, args)
            unrated = Departure.STORAGE_CAPACITY_UNRATED in read_as.defaults.departures
            if name == "VolumeBinding" and unrated and args["shape"].value is not None:
                raise args["shape"].error("expected no shape, as the feature gate StorageCapacityScoring is off")
        elif name in read_as.others:
            arguments = replace(arguments, own=arguments.own.set(name, _own(args)))
    sets = plugin_sets(field["plugins"], read_as.sets)
    if read_as.older:
        sets, scoring = strategy(without_limits(sets), configs)
        arguments = arguments if scoring is None else replace(arguments, scoring_strategy=scoring)
    if ignored:
        arguments = replace(arguments, ignored_resources=ignored)
    return _made(field["plugins"], sets, arguments, read_as)


def _own(args: Field) -> OwnArguments:
    """Return the arguments of an out-of-tree plugin as they are written; their fields are not known here."""
    return frozendict({key: frozen(each.value) for key, each in args.entries()})


def _made(field: Field, sets: Sets, arguments: Arguments, read_as: Version) -> Plugins:
    others, defaults = read_as.others, read_as.defaults
    points = {point: names for point in POINTS if (names := expanded(point, sets, others, defaults))}
    if len(points.get("queueSort", ())) != 1:
        raise field["queueSort"].error("expected one plugin to sort the queue by")
    if "bind" not in points:
        raise field["bind"].error("expected at least one plugin to bind with")
    scoring = weights(sets, others, defaults)
    rated = frozendict({name: scoring[name] for name in points.get("score", ())})
    return Plugins(frozendict(points), rated, arguments, defaults.departures)


def _configs(field: Field, read_as: Version) -> Mapping[str, Field]:
    """Return the arguments by the name of the plugin; each plugin may have them once."""
    found: dict[str, Field] = {}
    for item in field.items():
        item.only("name", "args")
        name = item["name"].required("the name of a plugin")
        if name in found:
            raise item["name"].error("expected the arguments of each plugin once")
        if name in GONE and name not in read_as.readers:
            raise item["name"].error(GONE[name])
        found[name] = item["args"]
    return found


def _type_meta(args: Field, name: str, read_as: Version) -> None:
    """Raises: InputError if apiVersion or kind of the arguments names another version or plugin."""
    for key, expected in (("apiVersion", f"{GROUP}/{read_as.name}"), ("kind", f"{name}Args")):
        if args[key].text() not in ("", expected):
            raise args[key].error(f"expected {expected}")


def _common_queue_sort(items: list[Field], read_as: Version) -> None:
    """Raises: InputError if a profile does not sort the queue as the first one does."""
    first, *others = items
    same = _queue_sort(first, read_as)
    for item in others:
        if _queue_sort(item, read_as) != same:
            raise item["plugins"]["queueSort"].error("expected the same in every profile")


def _queue_sort(field: Field, read_as: Version) -> object:
    """Return the configuration of queueSort as upstream compares it: as written, without the arguments' defaults."""
    merged = plugin_sets(field["plugins"], read_as.sets)["queueSort"]
    args = [item["args"].value for item in field["pluginConfig"].items() if item["name"].text() == "PrioritySort"]
    return [(each.name, each.weight) for each in merged.enabled], merged.disabled, args


def _notes(field: Field, read_as: Version) -> Iterator[str]:
    """Yield a note on the conversion of an older version, and one for each unknown plugin name."""
    if read_as.older:
        said = [*conversions(field["extenders"]), *_left_out(field, read_as)]
        yield _note(field["apiVersion"], "; ".join(["is converted to v1", *said]))
    for profile in field["profiles"].items():
        for point in ("multiPoint", *POINTS):
            for item in profile["plugins"][point]["disabled"].items():
                name = item["name"].text()
                if name not in (EVERY, *DEFAULT_ORDER, *GONE, *read_as.others):
                    yield _note(item["name"], f"no plugin has this name{nearest(name, DEFAULT_ORDER)}")
        for item in profile["pluginConfig"].items():
            name = item["name"].text()
            if name not in (*DEFAULT_ORDER, *STRATEGIES, *read_as.others):
                yield _note(item["name"], f"no plugin has this name{nearest(name, DEFAULT_ORDER)}; ignored")


def _unbinding(field: Field, profiles: tuple[Plugins, ...]) -> Iterator[str]:
    """Yield a note for each plugin enabled at an extension point of binding but not at one that prepares it.

    kube-scheduler then fails to bind every pod of that profile.
    """
    for plugins, name in product(profiles, ("VolumeBinding", "DynamicResources")):
        points = [point for point in ("preFilter", "reserve", "preBind") if name in plugins.at(point)]
        prepares = ("preFilter", "reserve") if name == "VolumeBinding" and "preBind" in points else ("preFilter",)
        missing = [point for point in prepares if point not in points]
        if points and missing:
            yield str(
                InputError(
                    f"{name} of {plugins.scheduler_name} is enabled at {points[-1]} and not at {missing[0]}, so that"
                    " kube-scheduler fails to bind the pods of this profile; this is not modelled",
                    **field.place(),
                )
            )


def _note(field: Field, said: str) -> str:
    return str(field.error(said))


def _left_out(field: Field, read_as: Version) -> Iterator[str]:
    for profile in field["profiles"].items():
        yield from limits(plugin_sets(profile["plugins"], read_as.sets))

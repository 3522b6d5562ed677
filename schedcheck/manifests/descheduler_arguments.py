"""The arguments of the descheduler's plugins: `evictor`, and `ARGUMENTS`, a reader for each plugin.

descheduler 0.36: types.go and validation.go of each plugin in pkg/framework/plugins.
"""

from collections.abc import Callable, Mapping
from typing import Final

from frozendict import frozendict

from schedcheck.manifests.affinity import PREFERRED, REQUIRED
from schedcheck.manifests.descheduler_reading import TYPE_META, Reading, either, namespaces, selector
from schedcheck.manifests.fields import INT32, Field, nearest
from schedcheck.manifests.label_texts import selector_of
from schedcheck.model.descheduling import (
    DEFAULT_PROTECTIONS,
    EXTRA_PROTECTIONS,
    PHASES,
    SYSTEM_CRITICAL,
    Arguments,
    ConditionFilter,
    Evictor,
    InterPodAntiAffinity,
    NodeAffinity,
    NodeTaints,
    PodLifeTime,
    RemoveDuplicates,
    RemoveFailedPods,
    Thresholds,
    TooManyRestarts,
    TopologySpread,
    Utilization,
)
from schedcheck.spec.terms import LabelSelector

EVICTOR: Final = "DefaultEvictor"
UINT32: Final = 2**32 - 1
UINT64: Final = 2**64 - 1

FORMER: Final = {
    "evictLocalStoragePods": "PodsWithLocalStorage",
    "evictDaemonSetPods": "DaemonSetPods",
    "evictSystemCriticalPods": "SystemCriticalPods",
    "evictFailedBarePods": "FailedBarePods",
    "ignorePvcPods": "PodsWithPVC",
    "ignorePodsWithoutPDB": "PodsWithoutPDB",
}
"""The deprecated switches, each with the protection that it turns off or, for the last two, on."""


def evictor(args: Field, said: Reading) -> Evictor:
    """Read the arguments of DefaultEvictor."""
    said.unknown.only(
        args, *TYPE_META, "nodeSelector", "labelSelector", "namespaceLabelSelector", "priorityThreshold", "nodeFit",
        "minReplicas", "minPodAge", "noEvictionPolicy", "podProtections", *FORMER,
    )  # fmt: skip
    if args["minPodAge"]:
        raise args["minPodAge"].error("not modelled: the age of pods")
    protections, classes = _protections(args, said)
    policy = args["noEvictionPolicy"].one_of(("Preferred", "Mandatory"))
    return Evictor(
        protections=protections,
        protected_classes=classes,
        threshold=_threshold(args["priorityThreshold"], said),
        node_fit=args["nodeFit"].boolean(),
        node_selector=selector_text(args["nodeSelector"]),
        label_selector=selector(args["labelSelector"], said),
        namespace_selector=selector(args["namespaceLabelSelector"], said),
        min_replicas=count(args["minReplicas"]) or 0,
        no_eviction_mandatory=policy == "Mandatory",
    )


def _protections(args: Field, said: Reading) -> tuple[frozenset[str], frozenset[str]]:
    """Return the protections that are on, and the storage classes that one of them protects.

    descheduler 0.36: getEffectivePodProtections in pkg/framework/plugins/defaultevictor/defaultevictor.go.
    """
    given = args["podProtections"]
    said.unknown.only(given, "extraEnabled", "defaultDisabled", "config")
    said.unknown.only(given["config"], "PodsWithPVC")
    said.unknown.only(given["config"]["PodsWithPVC"], "protectedStorageClasses")
    classes = given["config"]["PodsWithPVC"]["protectedStorageClasses"].items()
    for each in classes:
        said.unknown.only(each, "name")
    names = frozenset(each["name"].required("a storage class") for each in classes)
    more = _each_once(given["extraEnabled"], EXTRA_PROTECTIONS)
    fewer = _each_once(given["defaultDisabled"], DEFAULT_PROTECTIONS)
    former = {kind for switch, kind in FORMER.items() if args[switch].boolean()}
    if not more and not fewer:
        return frozenset(DEFAULT_PROTECTIONS) ^ former, names
    for switch in (switch for switch in FORMER if args[switch].value):
        raise args[switch].error("not possible together with podProtections")
    return (frozenset(DEFAULT_PROTECTIONS) - fewer) | more, names


def _each_once(field: Field, known: tuple[str, ...]) -> frozenset[str]:
    found: set[str] = set()
    for item in field.items():
        name = item.one_of(known, "") or item.required(f"one of {', '.join(known)}")
        if name in found:
            raise item.error("expected each protection once")
        found.add(name)
    return frozenset(found)


def _threshold(field: Field, said: Reading) -> int:
    """Return the priority from which pods are protected: a value, or that of a PriorityClass."""
    said.unknown.only(field, "value", "name")
    name = field["name"].text()
    if field["value"] and name:
        raise field.error("expected a value or a name, not both")
    if field["value"]:
        return field["value"].integer(-INT32, SYSTEM_CRITICAL)
    if not name:
        return SYSTEM_CRITICAL
    if name not in said.classes:
        raise field["name"].error(f"no PriorityClass of the input has this name{nearest(name, said.classes)}")
    if said.classes[name] > SYSTEM_CRITICAL:
        raise field["name"].error(f"expected a PriorityClass of at most {SYSTEM_CRITICAL}")
    return said.classes[name]


def remove_duplicates(args: Field, said: Reading) -> RemoveDuplicates:
    """Read the arguments of RemoveDuplicates."""
    said.unknown.only(args, *TYPE_META, "namespaces", "excludeOwnerKinds")
    return RemoveDuplicates(namespaces(args["namespaces"], said), frozenset(args["excludeOwnerKinds"].texts()))


def node_affinity(args: Field, said: Reading) -> NodeAffinity:
    """Read the arguments of RemovePodsViolatingNodeAffinity."""
    said.unknown.only(args, *TYPE_META, "namespaces", "labelSelector", "nodeAffinityType")
    kinds = {REQUIRED: "required", PREFERRED: "preferred"}
    if not args["nodeAffinityType"].items():
        raise args["nodeAffinityType"].error(f"expected {REQUIRED} or {PREFERRED}")
    for item in args["nodeAffinityType"].items():
        if item.text() not in kinds:
            raise item.error(f"expected {REQUIRED} or {PREFERRED}")
    given = tuple(kinds[each] for each in args["nodeAffinityType"].texts())
    return NodeAffinity(given, namespaces(args["namespaces"], said), selector(args["labelSelector"], said))


def node_taints(args: Field, said: Reading) -> NodeTaints:
    """Read the arguments of RemovePodsViolatingNodeTaints."""
    said.unknown.only(
        args, *TYPE_META, "namespaces", "labelSelector", "includePreferNoSchedule", "excludedTaints", "includedTaints"
    )
    excluded, included = args["excludedTaints"].texts(), args["includedTaints"].texts()
    if excluded and included:
        raise args["includedTaints"].error("expected includedTaints or excludedTaints, not both")
    return NodeTaints(
        namespaces(args["namespaces"], said),
        selector(args["labelSelector"], said),
        args["includePreferNoSchedule"].boolean(),
        frozenset(excluded),
        frozenset(included) if args["includedTaints"] else None,
    )


def anti_affinity(args: Field, said: Reading) -> InterPodAntiAffinity:
    """Read the arguments of RemovePodsViolatingInterPodAntiAffinity."""
    said.unknown.only(args, *TYPE_META, "namespaces", "labelSelector")
    return InterPodAntiAffinity(namespaces(args["namespaces"], said), selector(args["labelSelector"], said))


def topology_spread(args: Field, said: Reading) -> TopologySpread:
    """Read the arguments of RemovePodsViolatingTopologySpreadConstraint."""
    said.unknown.only(args, *TYPE_META, "namespaces", "labelSelector", "constraints", "topologyBalanceNodeFit")
    actions = ("DoNotSchedule", "ScheduleAnyway")
    for item in args["constraints"].items():
        if item.text() not in actions:
            raise item.error(f"expected one of {', '.join(actions)}")
    return TopologySpread(
        namespaces(args["namespaces"], said),
        selector(args["labelSelector"], said),
        frozenset(args["constraints"].texts()) or frozenset({"DoNotSchedule"}),
        not args["topologyBalanceNodeFit"] or args["topologyBalanceNodeFit"].boolean(),
    )


STATES: Final = frozenset(
    {
        *PHASES, "NodeAffinity", "NodeLost", "Shutdown", "UnexpectedAdmissionError", "PodInitializing", "ContainerCreating",
        "ImagePullBackOff", "CrashLoopBackOff", "CreateContainerConfigError", "ErrImagePull", "CreateContainerError",
        "InvalidImageName", "OOMKilled", "Error", "Completed", "DeadlineExceeded", "Evicted", "ContainerCannotRun", "StartError",
    }
)  # fmt: skip
"""The states that PodLifeTime takes: phases, reasons of pods, and reasons for which containers wait or have ended."""


def pod_life_time(args: Field, said: Reading) -> PodLifeTime:
    """Read the arguments of PodLifeTime."""
    criteria = ("states", "conditions", "exitCodes")
    said.unknown.only(
        args, *TYPE_META, "namespaces", "labelSelector", "ownerKinds", "maxPodLifeTimeSeconds", *criteria,
        "includingInitContainers", "includingEphemeralContainers",
    )  # fmt: skip
    for item in args["states"].items():
        if item.text() not in STATES:
            raise item.error(f"expected one of {', '.join(sorted(STATES))}")
    limit = args["maxPodLifeTimeSeconds"]
    if not limit and not any(args[name].items() for name in criteria):
        raise limit.error(f"expected this or one of {', '.join(criteria)}")
    if limit:
        limit.integer(0, UINT64)
    included, excluded = either(args["ownerKinds"], said)
    return PodLifeTime(
        namespaces(args["namespaces"], said),
        selector(args["labelSelector"], said),
        included,
        excluded,
        aged=bool(limit),
        states=frozenset(args["states"].texts()),
        conditions=tuple(_condition(item, said) for item in args["conditions"].items()),
        exit_codes=_exit_codes(args["exitCodes"]),
        with_init_containers=args["includingInitContainers"].boolean(),
        with_ephemeral_containers=args["includingEphemeralContainers"].boolean(),
        ended=True,
    )


def _condition(field: Field, said: Reading) -> ConditionFilter:
    """Return a condition that PodLifeTime looks for."""
    least = "minTimeSinceLastTransitionSeconds"
    said.unknown.only(field, "type", "status", "reason", least)
    if field[least]:
        field[least].integer(0, UINT64)
    found = ConditionFilter(field["type"].text(), field["status"].text(), field["reason"].text(), bool(field[least]))
    if found == ConditionFilter():
        raise field.error(f"expected at least one of type, status, reason, {least}")
    return found


def _exit_codes(field: Field) -> frozenset[int]:
    return frozenset(item.integer() for item in field.items())


def failed_pods(args: Field, said: Reading) -> RemoveFailedPods:
    """Read the arguments of RemoveFailedPods."""
    said.unknown.only(
        args, *TYPE_META, "namespaces", "labelSelector", "excludeOwnerKinds", "minPodLifetimeSeconds", "reasons", "exitCodes",
        "includingInitContainers",
    )  # fmt: skip
    least = args["minPodLifetimeSeconds"]
    if least:
        least.integer(0, UINT64)
    return RemoveFailedPods(
        namespaces(args["namespaces"], said),
        selector(args["labelSelector"], said),
        frozenset(args["excludeOwnerKinds"].texts()),
        frozenset(args["reasons"].texts()),
        _exit_codes(args["exitCodes"]),
        args["includingInitContainers"].boolean(),
        bool(least),
    )


def too_many_restarts(args: Field, said: Reading) -> TooManyRestarts:
    """Read the arguments of RemovePodsHavingTooManyRestarts."""
    said.unknown.only(
        args, *TYPE_META, "namespaces", "labelSelector", "podRestartThreshold", "includingInitContainers", "states"
    )
    for item in args["states"].items():
        item.one_of(("Running", "CrashLoopBackOff"), "") or item.required("Running or CrashLoopBackOff")
        raise args["states"].error("not modelled: the status of pods and containers")
    return TooManyRestarts(
        args["podRestartThreshold"].integer(1),
        namespaces(args["namespaces"], said),
        selector(args["labelSelector"], said),
        args["includingInitContainers"].boolean(),
    )


def high_node_utilization(args: Field, said: Reading) -> Utilization:
    """Read the arguments of HighNodeUtilization."""
    said.unknown.only(args, *TYPE_META, "thresholds", "numberOfNodes", "evictionModes", "evictableNamespaces")
    mode = "OnlyThresholdingResources"
    for item in args["evictionModes"].items():
        if item.text() != mode:
            raise item.error(f"expected {mode}")
    return Utilization(
        True,
        _thresholds(args["thresholds"]),
        number=_number_of_nodes(args),
        excluded=_excluded(args["evictableNamespaces"], said),
        only_thresholding=bool(args["evictionModes"].items()),
    )


def low_node_utilization(args: Field, said: Reading) -> Utilization:
    """Read the arguments of LowNodeUtilization."""
    said.unknown.only(
        args, *TYPE_META, "thresholds", "targetThresholds", "numberOfNodes", "evictableNamespaces", "evictionLimits",
        "useDeviationThresholds", "metricsUtilization",
    )  # fmt: skip
    said.unknown.only(args["evictionLimits"], "node")
    for name in ("useDeviationThresholds", "metricsUtilization"):
        if args[name].value:
            raise args[name].error("not modelled: anything but thresholds of requests")
    low, targets = _thresholds(args["thresholds"]), _thresholds(args["targetThresholds"])
    if set(low) != set(targets):
        raise args["targetThresholds"].error("expected the resources of thresholds")
    for name, most in low.items():
        if most > targets[name]:
            raise args["targetThresholds"][name].error(f"expected at least the {most:g} of thresholds")
    return Utilization(
        False,
        low,
        targets,
        _number_of_nodes(args),
        _excluded(args["evictableNamespaces"], said),
        most=count(args["evictionLimits"]["node"]),
    )


def _number_of_nodes(args: Field) -> int:
    return args["numberOfNodes"].integer() if args["numberOfNodes"] else 0


def _thresholds(field: Field) -> Thresholds:
    """Return percentages by resource; there must be one."""
    found = frozendict({name: _percentage(each) for name, each in field.entries()})
    if not found:
        raise field.error("expected a percentage of some resource")
    return found


def _percentage(field: Field) -> float:
    value = field.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise field.error("expected a percentage from 0 to 100")
    return float(value)


def _excluded(field: Field, said: Reading) -> frozenset[str]:
    found = namespaces(field, said)
    if found.include:
        raise field["include"].error("expected exclude alone, which this plugin supports")
    return found.exclude


def selector_text(field: Field) -> LabelSelector:
    """Return a selector of nodes that is written as one text; it selects all if it is absent or empty."""
    if not field.text():
        return LabelSelector()
    selector = selector_of(field.text())
    if selector is None:
        raise field.error("expected labels, as zone=a,disk!=hdd or 'zone in (a,b)'")
    return selector


def count(field: Field) -> int | None:
    """Return a number that is not negative; None if it is absent."""
    return field.integer(0, UINT32) if field else None


ARGUMENTS: Final[Mapping[str, tuple[str, Callable[[Field, Reading], Arguments]]]] = {
    "HighNodeUtilization": ("balance", high_node_utilization),
    "LowNodeUtilization": ("balance", low_node_utilization),
    "PodLifeTime": ("deschedule", pod_life_time),
    "RemoveDuplicates": ("balance", remove_duplicates),
    "RemoveFailedPods": ("deschedule", failed_pods),
    "RemovePodsHavingTooManyRestarts": ("deschedule", too_many_restarts),
    "RemovePodsViolatingInterPodAntiAffinity": ("deschedule", anti_affinity),
    "RemovePodsViolatingNodeAffinity": ("deschedule", node_affinity),
    "RemovePodsViolatingNodeTaints": ("deschedule", node_taints),
    "RemovePodsViolatingTopologySpreadConstraint": ("balance", topology_spread),
}
"""The extension point and the reader of the arguments of each plugin that is modelled."""

NOT_MODELLED: Final[Mapping[str, str]] = {}
"""The extension points of the plugins that are not modelled."""

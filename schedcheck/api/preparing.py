"""The scenario of a question, made from a cluster and a profile: `prepared`, `Prepared`."""

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from schedcheck.api.values import SILENT, Observer, Profile
from schedcheck.checker.limits.parameters import parameter

if TYPE_CHECKING:
    from schedcheck.api.extensions import Extensions
    from schedcheck.errors import InputError
    from schedcheck.manifests import Cluster
    from schedcheck.manifests.feature_gates import Switched
    from schedcheck.manifests.fields import Field
    from schedcheck.manifests.looked_at import Unseen
    from schedcheck.model.production.extenders.as_read import AsRead
    from schedcheck.model.scenario import Scenario
    from schedcheck.spec.classic.policy import Classic
    from schedcheck.spec.extender_configuration import Extender
    from schedcheck.spec.extenders import Extender as Value
    from schedcheck.spec.kubernetes.departures import Departures
    from schedcheck.spec.kubernetes.plugins import Plugins


SPREAD = "Pod.spec.topologySpreadConstraints"
"""A field of pods that the early scheduler ignores unless its Policy names EvenPodsSpread or EvenPodsSpreadPriority."""


@dataclass(frozen=True)
class Given:
    """The profiles of a KubeSchedulerConfiguration, and the profile of schedcheck that it implies; None without one.

    `place` is the parameter that implies it. `batching`: the gate OpportunisticBatching is on.
    """

    plugins: "tuple[Plugins, ...]"
    profile: Literal["kubernetes"] | None = None
    place: str = "profile.config"
    batching: bool = False

    @property
    def schedulers(self) -> frozenset[str]:
        """Return the scheduler names of the profiles."""
        return frozenset(each.scheduler_name for each in self.plugins)


def configured(
    profile: Profile,
    extended: "Extensions | None",
    ask_extenders: bool,
    observer: Observer,
    read: "AsRead | None" = None,
    *,
    gangs: bool = False,
) -> Given:
    """Return the profiles of the configuration file, or the default one; note what is not read as written.

    They have the feature gates of `profile`, the plugins and rules of `extended`, and the extenders of the file, asked
    or not. Those that are asked get pods and nodes as they were `read`.

    Raises: InputError.
    """
    given = _configured(profile, extended, ask_extenders, observer, read)
    if profile.feature_gates:
        place = "profile.feature_gates" if given.profile is None else given.place
        given = Given(with_gates(given.plugins, profile, gangs=gangs), "kubernetes", place)
    gates = _switched(profile)
    for name in gates.queue:
        observer.note(f"the feature gate {name} changes no decision; the production scheduler runs with its default")
    return replace(given, batching=gates.batching)


def departures_of(profile: Profile) -> "Departures":
    """Return the departures of the version of kube-scheduler that a profile names, by default the newest, with its gates.

    Raises: InputError for a gate that is unknown, locked or not modelled.
    """
    from schedcheck.spec.schedulers import VARIANTS

    variant = VARIANTS[profile.name or "kubernetes"]
    gates = _switched(profile)
    meant = (variant if variant.scheduler.has_plugins else VARIANTS["kubernetes"]).departures
    return (meant - gates.ended) | gates.begun


def with_gates(profiles: "tuple[Plugins, ...]", profile: Profile, *, gangs: bool = False) -> "tuple[Plugins, ...]":
    """Return the profiles with the feature gates of `profile`; `gangs` says whether the question knows gang scheduling.

    Raises: InputError for a gate that is unknown, locked or not modelled.
    """
    from schedcheck.errors import InputError
    from schedcheck.manifests.feature_gates import gated

    gates = _switched(profile)
    if gates.gangs and not gangs:
        raise InputError(
            f"the feature gate {_of_gangs(gates)}=true is modelled in explain, compare, diff, optimum, tla export and in check of a "
            "whole scenario only",
            path=parameter("profile.feature_gates"),
        )
    if gates.gangs and any(each.extenders or each.unasked for each in profiles):
        raise InputError(
            f"the feature gate {_of_gangs(gates)}=true is not modelled together with the extenders of {profile.config}",
            path=parameter("profile.feature_gates"),
        )
    return tuple(gated(each, gates, configured=profile.config is not None) for each in profiles)


def _of_gangs(gates: "Switched") -> str:
    """Return the gate that adds the plugin of gangs at these points."""
    from schedcheck.manifests.feature_gates import WITH_GANGS

    return next(gate for gate, points in WITH_GANGS.values() if points == gates.gangs)


def _switched(profile: Profile) -> "Switched":
    from schedcheck.manifests.feature_gates import switched
    from schedcheck.spec.schedulers import VARIANTS

    version = VARIANTS[profile.name or "kubernetes"].patch or VARIANTS["kubernetes"].patch
    return switched(profile.feature_gates, version, parameter("profile.feature_gates"))


def _configured(
    profile: Profile,
    extended: "Extensions | None",
    ask_extenders: bool,
    observer: Observer,
    read: "AsRead | None",
) -> Given:
    from schedcheck.errors import InputError
    from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS

    file = profile.config
    if ask_extenders and file is None:
        belongs = f"belongs to {parameter('profile.config')} or {parameter('profile.policy')}"
        raise InputError(belongs, path=parameter("profile.ask_extenders"))
    if file is None:
        if extended is None or not (extended.plugins or extended.rules):
            return Given((DEFAULT_PLUGINS,))
        return Given(
            extended.joined([extended.enabled()]),
            "kubernetes",
            "profile.plugins" if extended.plugins else "profile.rules",
        )
    from schedcheck.manifests.configuration import configuration
    from schedcheck.manifests.plugin_sets import NO_OTHERS
    from schedcheck.report.text.terminal import counted

    made = configuration(
        file,
        others=NO_OTHERS if extended is None else extended.offered,
        departures=departures_of(profile),
        gangs=_switched(profile).gangs,
    )
    for note in made.notes:
        observer.note(note)
    if made.extenders and not ask_extenders:
        observer.note(f"not asked: {counted(len(made.extenders), 'extender')} of {file}")
    profiles = made.profiles if extended is None else extended.joined(made.profiles)
    return Given(with_extenders(profiles, made.extenders, ask_extenders, read), "kubernetes")


def with_extenders(
    profiles: "tuple[Plugins, ...]", extenders: "tuple[Extender, ...]", ask: bool, read: "AsRead | None" = None
) -> "tuple[Plugins, ...]":  # fmt: skip
    """Return the profiles with the extenders of their configuration, which are asked only if `ask`.

    Raises: InputError where an extender cannot be reached as its configuration says.
    """
    if not ask:
        return tuple(replace(each, unasked=extenders) for each in profiles)
    values = values_of(extenders, read)
    return tuple(replace(each, extenders=values) for each in profiles)


def values_of(extenders: "tuple[Extender, ...]", read: "AsRead | None" = None) -> "tuple[Value, ...]":
    """Return the extenders as values that ask the processes behind them, with pods and nodes as they were `read`.

    Raises: InputError where an extender cannot be reached as its configuration says.
    """
    from schedcheck.checker.extenders.conversation import asked
    from schedcheck.errors import InputError
    from schedcheck.model.production.extenders.as_read import NOT_READ
    from schedcheck.model.production.framework.extender import ExtenderError

    try:
        return asked(extenders, inconsistent=InputError, read=NOT_READ if read is None else read)
    except ExtenderError as error:
        raise InputError(str(error)) from None


@dataclass(frozen=True)
class Prepared:
    """A question's input: all of the cluster, the part that the schedulers see, and the scenario that is made of it.

    `given` has the profiles of kube-scheduler, `extensions` the out-of-tree plugins and rules; None without any.
    """

    whole: "Cluster"
    cluster: "Cluster"
    scenario: "Scenario"
    given: Given
    extensions: "Extensions | None"


def prepared(
    cluster: "Cluster", profile: Profile, observer: Observer, *, gangs: bool = False, scaled: bool = False
) -> Prepared:
    """Return the scenario of a cluster under a profile, and tell the observer what is to note.

    `gangs`: the question knows gang scheduling, so that its feature gate may be on. `scaled`: it knows autoscalers.

    Raises: InputError. Unanswerable where kube-scheduler cannot count the amounts.
    """
    profile = of_scenario(cluster, profile)
    more = extended(profile)
    ask = profile.ask_extenders and (profile.config is not None or profile.policy is None)
    given = configured(profile, more, ask, observer, cluster.whole, gangs=gangs)
    _note_groups(cluster, given, observer)
    cluster = of_version(cluster, given)
    name = profile.name or given.profile
    visible = visible_part(cluster, name, given, observer)
    made = scenario_of(visible, replace(profile, name=name), given, observer, scaled=scaled)
    scenario = early_scheduler(made, profile, observer, cluster.whole)
    return Prepared(cluster, visible, scenario, given, more)


def of_scenario(cluster: "Cluster", profile: Profile) -> Profile:
    """Return the profile with the name and the feature gates of the cluster's scenario, where it has none of its own.

    A configuration is about kube-scheduler, even with a scenario of another scheduler (docs/decisions/defaults.md).

    Raises: InputError for a scenario whose profile or gates are wrong.
    """
    from schedcheck.api.faults import meant_profile
    from schedcheck.manifests.scenarios import gates_of, named_profile
    from schedcheck.spec.schedulers import VARIANTS

    if cluster.scenario is None:
        return profile
    name = meant_profile(profile.name, cluster, profile.faults) or named_profile(cluster.scenario["spec"])
    if profile.config is not None and profile.name is None and not VARIANTS[name].scheduler.has_plugins:
        return profile
    gates = profile.feature_gates or gates_of(cluster.scenario, name)
    return replace(profile, name=name, feature_gates=gates)


def of_kube_scheduler(cluster: "Cluster", profile: Profile) -> Profile:
    """Return `of_scenario` with a name, which is that of a profile of kube-scheduler.

    Raises: InputError for another profile; it names the field of the scenario if the scenario asks for it.
    """
    from schedcheck.spec.schedulers import VARIANTS

    meant = of_scenario(cluster, profile)
    named = VARIANTS[meant.name or "kubernetes"]
    if profile.name is None and cluster.scenario is not None and not named.scheduler.has_plugins:
        raise not_of_scenario(cluster.scenario, "another profile of kube-scheduler")
    return replace(meant, name=of_plugins(meant))


def not_of_scenario(scenario: "Field", others: str) -> "InputError":
    """Return the error that a scenario is about a scheduler of which this cannot be asked, with what can be named."""
    spec = scenario["spec"]
    expected = f"expected kubernetes or {others}, unless {parameter('profile')} names one of them"
    return (spec["profile"] or spec).error(expected)


def _note_groups(cluster: "Cluster", given: Given, observer: Observer) -> None:
    """Note the pods whose pod groups are not looked at, as no profile schedules gangs, or those of another version.

    The API server drops the fields while the feature gate GenericWorkload is off.
    """
    from schedcheck.manifests.missing import named
    from schedcheck.spec.kubernetes.gangs import one_by_one
    from schedcheck.spec.kubernetes.pod_groups import in_one_cycle

    waiting = [pod for pod in cluster.pods if not pod.node_name]
    by_workload, by_group = any(map(one_by_one, given.plugins)), any(map(in_one_cycle, given.plugins))
    off = "the feature gates GenericWorkload and GangScheduling are off"
    grouped = [pod for pod in waiting if pod.workload is not None]
    if grouped and not by_workload:
        why = "kube-scheduler knows it in 1.35 alone" if by_group else off
        observer.note(f"not looked at: spec.workloadRef of {named(grouped)}, as {why}")
    grouped = [pod for pod in waiting if pod.scheduling_group]
    if grouped and not by_group:
        why = "kube-scheduler knows it since 1.36" if by_workload else "the feature gate GenericWorkload is off"
        observer.note(f"not looked at: spec.schedulingGroup of {named(grouped)}, as {why}")


def of_version(cluster: "Cluster", given: Given) -> "Cluster":
    """Return the cluster whose pods refer to pod groups as the version whose gangs are scheduled knows it, if any are."""
    from schedcheck.spec.kubernetes.gangs import one_by_one
    from schedcheck.spec.kubernetes.pod_groups import in_one_cycle

    if any(map(in_one_cycle, given.plugins)):
        pods = tuple(replace(pod, workload=None) for pod in cluster.pods)
    elif any(map(one_by_one, given.plugins)):
        pods = tuple(replace(pod, scheduling_group="") for pod in cluster.pods)
    else:
        return cluster
    of_groups = frozenset(pod.key for pod in pods if pod.workload is not None or pod.scheduling_group)
    return replace(cluster, pods=pods, grouped=of_groups)


def of_plugins(profile: Profile) -> str:
    """Return the name of the profile of kube-scheduler, by default "kubernetes". Raises: InputError for any other."""
    from schedcheck.errors import InputError
    from schedcheck.spec.schedulers import OF_PLUGINS

    name = profile.name or "kubernetes"
    if name not in OF_PLUGINS:
        raise InputError(f"expected {' or '.join(OF_PLUGINS)}", path=parameter("profile"), value=name)
    return name


def extended(profile: Profile) -> "Extensions | None":
    """Return the out-of-tree plugins and the rules of a profile; None for none.

    A rule stands for a plugin that was not given, as no production scheduler runs.

    Raises: InputError.
    """
    if not profile.plugins and not profile.rules:
        return None
    from schedcheck.api.extensions import extensions

    return extensions(profile.plugins, profile.rules, standing=True)


def visible_part(cluster: "Cluster", profile: str | None, given: Given, observer: Observer) -> "Cluster":
    """Return the part of the cluster that the schedulers see, and tell the observer what they do not see.

    Pods that have ended, or are on nodes that the input lacks, are left to a scenario that speaks of them.
    """
    from schedcheck.manifests import seen
    from schedcheck.spec.schedulers import as_printed

    visible = seen(cluster, given.schedulers, placed=cluster.scenario is None and not as_printed(profile))
    for note in visible.notes:
        observer.note(note)
    return visible


def ignored(cluster: "Cluster", profile: str, given: Given) -> "tuple[Unseen, ...]":
    """Return what the profile ignores of the cluster, though it could change the answer."""
    from schedcheck.manifests.looked_at import not_looked_at

    return (*not_looked_at(cluster, profile), *left_over(cluster, profile, given))


def left_over(cluster: "Cluster", profile: str, given: Given) -> "tuple[Unseen, ...]":
    """Return the pods that may get a node left over from an earlier pod, as something that is ignored."""
    from schedcheck.manifests.feature_gates import BATCHING
    from schedcheck.manifests.gate_defaults import GATES
    from schedcheck.manifests.left_over import FIELD, may_take_left_over
    from schedcheck.manifests.looked_at import named
    from schedcheck.spec.schedulers import VARIANTS

    variant = VARIANTS[profile]
    if not given.batching or not variant.scheduler.has_plugins or variant.patch not in GATES[BATCHING]:
        return ()
    found = named(FIELD, map(str, may_take_left_over(cluster.pods, given.plugins)))
    return (found,) if found[1] and len(cluster.nodes) > 1 else ()


def scenario_of(
    cluster: "Cluster", profile: Profile, given: Given, observer: Observer, *, scaled: bool = False
) -> "Scenario":  # fmt: skip
    """Return the scenario of the input, with the profile, the faults and the repairs that are asked for.

    Raises: InputError. Unanswerable where kube-scheduler cannot count the amounts.
    """
    from schedcheck.api.faults import known_faults, meant_profile, with_faults
    from schedcheck.api.formulas import with_guards
    from schedcheck.errors import InputError
    from schedcheck.manifests import scenario
    from schedcheck.manifests.int64 import refuse_beyond_int64
    from schedcheck.spec.schedulers import OF_PLUGINS

    meant = meant_profile(profile.name, cluster, profile.faults)
    read = scenario(cluster, known_faults(), meant, given.schedulers, scaled=scaled)
    seen = (*read.not_looked_at, *left_over(cluster, read.profile, given))
    made = replace(read, plugins=given.plugins, not_looked_at=seen)
    if given.profile is not None and made.profile not in OF_PLUGINS:
        belongs = f"belongs to {parameter('profile')} {' or '.join(OF_PLUGINS)}, not to {made.profile}"
        raise InputError(belongs, path=parameter(given.place))
    if made.scheduler.int64:
        refuse_beyond_int64(made.pods, made.nodes)
    return with_guards(with_faults(made, cluster, profile, observer), cluster)


def early_scheduler(
    scenario: "Scenario", profile: Profile, observer: Observer = SILENT, read: "AsRead | None" = None
) -> "Scenario":  # fmt: skip
    """Return the scenario with the Policy, the environment and the choice of resources of the early scheduler.

    The extenders of the Policy are asked if the profile says so, and get pods and nodes as they were `read`.

    Raises: InputError also where its profile is another.
    """
    from schedcheck.errors import InputError
    from schedcheck.spec.schedulers import profiles_where

    if not scenario.scheduler.has_policy:
        belongs = f"belongs to {parameter('profile')} {' or '.join(profiles_where(lambda each: each.has_policy))}"
        early_alone = {"profile.policy": profile.policy is not None, "profile.by_allocatable": profile.by_allocatable}
        for place in (name for name, given in early_alone.items() if given):
            raise InputError(belongs, path=parameter(place))
        return scenario
    from schedcheck.manifests.policy import policy, spreads
    from schedcheck.report.text.terminal import counted

    said = policy(profile.policy) if profile.policy is not None else scenario.policy
    _refuse_unknown_controllers(scenario, said)
    if said.unasked and profile.ask_extenders:
        said = replace(said, unasked=(), extenders=values_of(said.unasked, read))
    elif said.unasked:
        observer.note(f"not asked: {counted(len(said.unasked), 'extender')} of {profile.policy}")
    if spreads(said):
        seen = tuple(each for each in scenario.not_looked_at if each[0] != SPREAD)
        scenario = replace(scenario, not_looked_at=seen)
    most_volumes = os.environ.get("KUBE_MAX_PD_VOLS", "")
    return replace(scenario, policy=replace(said, by_allocatable=profile.by_allocatable, most_volumes=most_volumes))


def _refuse_unknown_controllers(scenario: "Scenario", policy: "Classic") -> None:
    """Raises: InputError where nodes avoid pods by the uids of controllers, and such a uid is not known."""
    from schedcheck.errors import InputError
    from schedcheck.spec.classic.priorities.node_prefer_avoid_pods import controlled

    if not any(each.name == "NodePreferAvoidPodsPriority" for each in policy.priorities):
        return
    avoiding = next((node for node in scenario.nodes if node.avoids), None)
    unknown = next((pod for pod in scenario.pods if controlled(pod) and pod.owner_uid == ""), None)
    if avoiding is not None and unknown is not None:
        raise InputError(
            "names NodePreferAvoidPodsPriority, which compares the uids of controllers where a node has the annotation "
            f"scheduler.alpha.kubernetes.io/preferAvoidPods, as {avoiding} has; that of {unknown} is not in the input",
            path=parameter("profile.policy"),
        )

"""The options that several commands share, and the scenario that they make of the input."""

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

if TYPE_CHECKING:
    from schedcheck.commands.extensions import Extensions
    from schedcheck.manifests import Cluster
    from schedcheck.model.scenario import Scenario
    from schedcheck.spec.kubernetes.configuration import Extender
    from schedcheck.spec.kubernetes.plugins import Plugins
    from schedcheck.spec.objects import Pod

PodName = Annotated[str, Parameter(name="POD", help="The pod, as NAMESPACE/NAME, or NAME in the namespace default.")]
Files = Annotated[
    str, Parameter(name="FILES", required=True, help="Manifests: files, folders, or - for standard input.")
]
Format = Annotated[Literal["text", "json"], Parameter(help="How to write the answer.")]
ProfileName = Annotated[
    Literal["article", "corrected", "classic", "kubernetes", "kubernetes-documented"] | None,
    Parameter(
        help="The printed model with all its faults, or all of them corrected; the scheduler of early Kubernetes; or"
        " kube-scheduler 1.34, as it is or as its documentation says. Default: the scenario's, else kubernetes."
    ),
]
PolicyFile = Annotated[
    str | None,
    Parameter(
        help="With the profile classic: the Policy file that names its predicates and priorities. KUBE_MAX_PD_VOLS in the"
        " environment says how many volumes a node takes."
    ),
]
ByAllocatable = Annotated[
    bool,
    Parameter(
        negative="", help="With the profile classic: compare requests with what is allocatable, not with the capacity."
    ),
]
ConfigFile = Annotated[
    str | None,
    Parameter(help="With the profiles of kube-scheduler: its KubeSchedulerConfiguration."),
]
FaultNames = Annotated[
    tuple[str, ...],
    Parameter(
        name="--fault", negative="", show_default=False, help="Put in a fault of the printed model. May be repeated."
    ),
]
RepairNames = Annotated[
    tuple[str, ...],
    Parameter(name="--repair", negative="", show_default=False, help="Repair a fault that is on. May be repeated."),
]
PluginNames = Annotated[
    tuple[str, ...],
    Parameter(
        name="--plugin",
        negative="",
        show_default=False,
        help="Register a plugin of your own: package.module:Factory. Without --config it is enabled at every point that it"
        " has. May be repeated.",
    ),
]
RuleNames = Annotated[
    tuple[str, ...],
    Parameter(
        name="--rule",
        negative="",
        show_default=False,
        help="Add a rule to the specification: package.module:function, a filter, a score or a property, or package.module"
        " for all that it has. May be repeated.",
    ),
]
AskExtenders = Annotated[
    bool,
    Parameter(
        negative="",
        help="Ask the extenders of the --config where they answer; else nothing is said that depends on their answers.",
    ),
]
UNKNOWN = 2
"""The exit code of an answer that depends on what was not asked."""

POSITIVE = Number(gte=1)
Depth = Annotated[int | None, Parameter(validator=POSITIVE, help="Stop after so many levels.")]
MaxStates = Annotated[int | None, Parameter(validator=POSITIVE, help="Stop at so many distinct states.")]
Seconds = Annotated[float | None, Parameter(name="--time", validator=Number(gt=0), help="Stop after so many seconds.")]
Memory = Annotated[float | None, Parameter(validator=Number(gt=0), help="Stop at so many GiB of memory.")]
Quiet = Annotated[bool, Parameter(negative="", help="Show no progress line.")]

PdbStatus = Annotated[
    Literal["recorded", "recomputed"],
    Parameter(help="Where the disruptions that budgets allow are from: their status, or counted anew."),
]


@dataclass(frozen=True)
class Given:
    """What a configuration of kube-scheduler says: its profiles, and the one of ours that it asks for; None without it.

    `option` is by what it was given.
    """

    plugins: "tuple[Plugins, ...]"
    profile: Literal["kubernetes"] | None = None
    option: str = "--config"

    @property
    def schedulers(self) -> frozenset[str]:
        """The scheduler names of the profiles."""
        return frozenset(each.scheduler_name for each in self.plugins)


def configured(file: str | None = None, extended: "Extensions | None" = None, ask_extenders: bool = False) -> Given:
    """What the configuration in a file says, or without one the default; what there is to note is told.

    Its profiles have the plugins and the rules that `extended` holds, and its extenders, asked or not.

    Raises: InputError.
    """
    from schedcheck.manifests import InputError
    from schedcheck.manifests.configuration import configuration
    from schedcheck.manifests.plugin_sets import NO_OTHERS
    from schedcheck.report.text.terminal import counted, tell
    from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS

    if ask_extenders and file is None:
        raise InputError("belongs to --config", path="--ask-extenders")
    if file is None:
        if extended is None or not (extended.plugins or extended.rules):
            return Given((DEFAULT_PLUGINS,))
        return Given(extended.joined([extended.enabled()]), "kubernetes", "--plugin" if extended.plugins else "--rule")
    made = configuration(file, others=NO_OTHERS if extended is None else extended.offered)
    for note in made.notes:
        tell(f"note: {note}")
    if made.extenders and not ask_extenders:
        tell(f"note: not asked: {counted(len(made.extenders), 'extender')} of {file}")
    profiles = made.profiles if extended is None else extended.joined(made.profiles)
    return Given(with_extenders(profiles, made.extenders, ask_extenders), "kubernetes")


def with_extenders(
    profiles: "tuple[Plugins, ...]", extenders: "tuple[Extender, ...]", ask: bool
) -> "tuple[Plugins, ...]":  # fmt: skip
    """The profiles with the extenders of their configuration, which are asked where they answer, or not at all.

    Raises: InputError where an extender cannot be reached as its configuration says.
    """
    from schedcheck.manifests import InputError

    if not ask:
        return tuple(replace(each, unasked=extenders) for each in profiles)
    from schedcheck.checker.extenders.conversation import asked
    from schedcheck.model.production.framework.extender import ExtenderError

    try:
        values = asked(extenders, inconsistent=InputError)
    except ExtenderError as error:
        raise InputError(str(error)) from None
    return tuple(replace(each, extenders=values) for each in profiles)


def extended(plugins: tuple[str, ...], rules: tuple[str, ...]) -> "Extensions | None":
    """The plugins and rules that the command line names, where no production scheduler runs; None for none.

    Raises: InputError.
    """
    from schedcheck.commands.extensions import extensions

    return extensions(plugins, rules, standing=True) if plugins or rules else None


def cluster_of(
    files: Iterable[str],
    profile: str | None = None,
    pdb_status: str = "recorded",
    schedulers: Collection[str] | None = None,
) -> "Cluster":
    """What the files hold and a scheduler sees; what of it is not read, or not seen, is told on standard error."""
    return clusters_of(files, profile, pdb_status, schedulers)[1]


def clusters_of(
    files: Iterable[str],
    profile: str | None = None,
    pdb_status: str = "recorded",
    schedulers: Collection[str] | None = None,
) -> tuple["Cluster", "Cluster"]:
    """All that the files hold, and what of it a scheduler sees.

    Pods that have ended, or are on nodes that the input lacks, are left to a scenario that speaks of them.
    """
    from schedcheck.checker.limits.timer import doing
    from schedcheck.cli import STANDARD_INPUT
    from schedcheck.manifests import read, seen
    from schedcheck.manifests.seen import OURS
    from schedcheck.report.text.terminal import tell

    doing("reading the input")
    cluster = read(("-" if file == STANDARD_INPUT else file for file in files), pdb_status)
    _something(cluster)
    ours = OURS if schedulers is None else schedulers
    visible = seen(cluster, ours, placed=cluster.scenario is None and profile != "article")
    for note in visible.notes:
        tell(f"note: {note}")
    return cluster, visible


def _something(cluster: "Cluster") -> None:
    """Raises: InputError if the input has nothing that a scheduler looks at: neither pods or what makes them, nor nodes."""
    from schedcheck.manifests import InputError
    from schedcheck.manifests.workloads import KINDS
    from schedcheck.report.text.terminal import joined

    if cluster.kinds.isdisjoint({"Pod", "Node", *KINDS}):
        others = f", only {joined(sorted(cluster.kinds))}" if cluster.kinds else ""
        raise InputError(f"expected pods, nodes, or workloads that make pods; the input has none of these{others}")


def scenario_of(
    cluster: "Cluster",
    profile: str | None,
    faults: Collection[str] = (),
    repairs: Collection[str] = (),
    given: Given | None = None,
) -> "Scenario":
    """The scenario of the input, with the profile, the faults and the repairs that the command line asks for.

    Raises: InputError. Unanswerable where kube-scheduler cannot count the amounts.
    """
    from schedcheck.commands.faults import known_faults, meant_profile, with_faults
    from schedcheck.manifests import InputError, scenario
    from schedcheck.manifests.int64 import refuse_beyond_int64
    from schedcheck.spec.profiles import KUBERNETES

    given = given or configured()
    meant = meant_profile(profile, cluster, faults)
    made = replace(scenario(cluster, known_faults(), meant, given.schedulers), plugins=given.plugins)
    if given.profile is not None and made.profile not in KUBERNETES:
        raise InputError(f"belongs to --profile {' or '.join(KUBERNETES)}", path=given.option)
    if made.profile in KUBERNETES:
        refuse_beyond_int64(made.pods, made.nodes)
    return with_faults(made, cluster, tuple(faults), tuple(repairs))


def early_scheduler(scenario: "Scenario", policy: str | None, by_allocatable: bool) -> "Scenario":
    """The scenario with what the early scheduler goes by: a Policy, the environment, and which resources count.

    Raises: InputError also where its profile is another.
    """
    from schedcheck.manifests import InputError
    from schedcheck.manifests.policy import policy as read
    from schedcheck.spec.profiles import CLASSIC

    if scenario.profile != CLASSIC:
        for option, given in (("--policy", policy is not None), ("--by-allocatable", by_allocatable)):
            if given:
                raise InputError(f"belongs to --profile {CLASSIC}", path=option)
        return scenario
    said = read(policy) if policy is not None else scenario.policy
    avoiding = next((node for node in scenario.nodes if node.avoids), None)
    if avoiding is not None and any(each.name == "NodePreferAvoidPodsPriority" for each in said.priorities):
        raise InputError(
            "names NodePreferAvoidPodsPriority, which compares UIDs of controllers where a node has the annotation "
            f"scheduler.alpha.kubernetes.io/preferAvoidPods, as {avoiding} has; these are not read",
            path="--policy",
        )
    most_volumes = os.environ.get("KUBE_MAX_PD_VOLS", "")
    return replace(scenario, policy=replace(said, by_allocatable=by_allocatable, most_volumes=most_volumes))


def named(text: str, cluster: "Cluster") -> "Pod":
    """The pod of this name. Raises: InputError with the nearest one if there is none."""
    from schedcheck.manifests import InputError
    from schedcheck.manifests.fields import nearest

    namespace, _, name = text.rpartition("/")
    pods = {pod.key: pod for pod in cluster.pods}
    pod = pods.get((namespace or "default", name))
    if pod is None:
        names = {str(each) for each in cluster.pods}
        raise InputError(f"no pod has this name{nearest(text, names)}", path="POD", value=text)
    return pod

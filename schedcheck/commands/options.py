"""The options that several commands share."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter, Token, convert
from cyclopts.validators import Number

from schedcheck.commands.groups import BOUNDS, CLUSTER, OTHERS, OUTPUT, QUESTION

DASH = "\0-"
"""Stands for the argument '-', which would be read as an option; no argument can hold its first character."""


def whole(type_: Any, tokens: Sequence[Token]) -> Any:
    """Return the value of an option; cyclopts alone would round 2.5 to the integer 2, and read 0x10 as 16.

    Raises: ValueError for an integer that is not decimal digits, with a sign or without one.
    """
    if type_ is int and not re.fullmatch(r"[+-]?[0-9]+", tokens[0].value):
        raise ValueError(f"expected an integer, found {tokens[0].value!r}")
    return convert(type_, tokens)


def repeatable(group: Group, name: str, text: str) -> Parameter:
    """Return an option that may be given several times, and has no value by default."""
    return Parameter(group=group, name=name, negative="", show_default=False, help=text)


PodName = Annotated[
    str,
    Parameter(
        name="POD",
        help="The pod as kubectl names it (web-1, pod/web-1, shop/web-1), or a workload (deploy/web): its first pending pod,"
        " else its first.",
    ),
]
PodAndFiles = Annotated[
    str,
    Parameter(
        name="POD FILES",
        help="The pod as kubectl names it (web-1, pod/web-1, shop/web-1), or a workload (deploy/web): its first pending pod,"
        " else its first; none with --selector. Then manifests: files, folders, or - for standard input.",
    ),
]
Namespace = Annotated[
    str | None,
    Parameter(group=QUESTION, name=("--namespace", "-n"), help="The namespace of what is named without one."),
]
EachSelector = Annotated[
    str | None,
    Parameter(
        group=QUESTION,
        name=("--selector", "-l"),
        help="Ask it of each pod with these labels, as kubectl takes them: app=web,tier!=test, 'tier in (a,b)'.",
    ),
]
AllNamespaces = Annotated[
    bool,
    Parameter(
        group=QUESTION,
        name=("--all-namespaces", "-A"),
        negative="",
        help="With --selector: the pods of all namespaces.",
    ),
]
Selector = Annotated[
    str | None,
    Parameter(
        group=QUESTION,
        name=("--selector", "-l"),
        help="Only pods with these labels, as kubectl takes them: app=web,tier!=test, 'tier in (a,b)'.",
    ),
]
Inside = Annotated[
    str | None, Parameter(group=QUESTION, name=("--namespace", "-n"), help="Only pods of this namespace.")
]
Files = Annotated[
    str, Parameter(name="FILES", required=True, help="Manifests: files, folders, or - for standard input.")
]
Format = Annotated[Literal["text", "json"], Parameter(group=OUTPUT, help="The format of the answer.")]
Wide = Literal["text", "json", "junit", "sarif", "github"]
WideFormat = Annotated[
    Wide,
    Parameter(
        group=OUTPUT,
        help="The format of the answer; junit, sarif and github are for continuous integration (docs/ci.md).",
    ),
]
KubeName = Literal[
    "kubernetes",
    "kubernetes-documented",
    "kubernetes-1.37",
    "kubernetes-1.36",
    "kubernetes-1.35",
    "kubernetes-1.34",
    "kubernetes-1.34.1",
]
"""The profiles of kube-scheduler."""

ProfileName = Annotated[
    Literal["article", "corrected", "classic", KubeName] | None,
    Parameter(
        group=CLUSTER,
        help="The published model as printed (article) or corrected, early Kubernetes (classic), kube-scheduler of the"
        " newest version (kubernetes), of another one, or as documented. Default: the scenario's, else kubernetes.",
    ),
]
KubeProfile = Annotated[
    KubeName | None,
    Parameter(
        group=CLUSTER,
        help="kube-scheduler of the newest version (kubernetes), of another one, or as documented. Default: the"
        " scenario's, else kubernetes.",
    ),
]
KubeVersion = Annotated[
    KubeName,
    Parameter(
        group=CLUSTER, help="kube-scheduler of the newest version (kubernetes), of another one, or as documented."
    ),
]
OWN_FILES = (
    "its name, descheduler=FILE with its DeschedulerPolicy, nodePools=FILE with its NodePools, or karpenter=FILE with its"
    " NodePools and InstanceTypes."
)
ControllerNames = Annotated[
    tuple[str, ...],
    repeatable(
        CLUSTER,
        "--controllers",
        f"Let this controller run besides those of the scenario: {OWN_FILES} autoscaler=20,50,90 lets the"
        " HorizontalPodAutoscalers of the input read these utilizations. May be repeated.",
    ),
]
MeanwhileNames = Annotated[
    tuple[str, ...],
    repeatable(CLUSTER, "--controllers", f"Let this controller act meanwhile: {OWN_FILES} May be repeated."),
]
PolicyFile = Annotated[
    str | None,
    Parameter(
        group=OTHERS,
        help="With the profile classic: the Policy file with its predicates and priorities. KUBE_MAX_PD_VOLS in the"
        " environment is the most volumes of a node.",
    ),
]
ByAllocatable = Annotated[
    bool,
    Parameter(
        group=OTHERS,
        negative="",
        help="With the profile classic: compare requests with the allocatable amounts, not with the capacity.",
    ),
]
ConfigFile = Annotated[
    str | None,
    Parameter(group=CLUSTER, help="With the profiles of kube-scheduler: the file of its KubeSchedulerConfiguration."),
]
FeatureGates = Annotated[
    tuple[str, ...],
    repeatable(
        CLUSTER,
        "--feature-gates",
        "With the profiles of kube-scheduler: its feature gates, as it takes them (VolumeLimitScaling=false,...).",
    ),
]
FaultNames = Annotated[
    tuple[str, ...],
    repeatable(OTHERS, "--fault", "Switch on a fault of the published model. May be repeated."),
]
RepairNames = Annotated[
    tuple[str, ...],
    repeatable(OTHERS, "--repair", "Switch off a fault of the published model. May be repeated."),
]
PluginNames = Annotated[
    tuple[str, ...],
    repeatable(
        CLUSTER,
        "--plugin",
        "Register an out-of-tree plugin: package.module:Factory. Without --config it is enabled at every extension"
        " point that it implements. May be repeated.",
    ),
]
RuleNames = Annotated[
    tuple[str, ...],
    repeatable(
        CLUSTER,
        "--rule",
        "Add a rule (a filter, a score or a property) to the specification: package.module:function, or package.module"
        " for all its rules. May be repeated.",
    ),
]
AskExtenders = Annotated[
    bool,
    Parameter(
        group=CLUSTER,
        negative="",
        help="Ask the extenders of --config or --policy over HTTP. Otherwise what depends on their answers is unknown.",
    ),
]
UNKNOWN = 2
"""The exit code of an answer that depends on what was not asked."""

POSITIVE = Number(gte=1)
Depth = Annotated[int | None, Parameter(group=BOUNDS, validator=POSITIVE, help="Stop after this number of levels.")]
MaxStates = Annotated[
    int | None, Parameter(group=BOUNDS, validator=POSITIVE, help="Stop at this number of distinct states.")
]
Seconds = Annotated[
    float | None,
    Parameter(group=BOUNDS, name="--time", validator=Number(gt=0), help="Stop after this number of seconds."),
]
Memory = Annotated[
    float | None, Parameter(group=BOUNDS, validator=Number(gt=0), help="Stop at this number of GiB of memory.")
]
Quiet = Annotated[bool, Parameter(group=OUTPUT, negative="", help="Show no progress line.")]

PdbStatus = Annotated[
    Literal["recorded", "recomputed"],
    Parameter(
        group=CLUSTER, help="The disruptions that budgets allow: those of their status (recorded), or recomputed."
    ),
]

PropertyNames = Annotated[
    tuple[str, ...],
    repeatable(
        QUESTION,
        "--property",
        "Check this property instead of the scenario's: one that `schedcheck properties` lists, a TLA+ formula, or "
        "FILE.tla!NAME. May be repeated.",
    ),
]

Fair = Annotated[
    Literal["none", "weak", "strong"] | None,
    Parameter(
        group=QUESTION,
        help="The fairness of the scheduler and the controllers in properties of whole behaviours. Default: the"
        " scenario's, else weak.",
    ),
]

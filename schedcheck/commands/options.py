"""The options that several commands share."""

from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

DASH = "\0-"
"""Stands for the argument '-', which would be read as an option; no argument can hold its first character."""

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
    Parameter(help="Where the disruptions that budgets allow are from: their status, or computed again."),
]

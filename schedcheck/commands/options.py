"""The options that several commands share, and the scenario that they make of the input."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

if TYPE_CHECKING:
    from schedcheck.cluster import Cluster
    from schedcheck.model.scenario import Scenario

Files = Annotated[
    str, Parameter(name="FILES", required=True, help="Manifests: files, folders, or - for standard input.")
]
Format = Annotated[Literal["text", "json"], Parameter(help="How to write the answer.")]
ProfileName = Annotated[
    Literal["article", "corrected", "kubernetes", "kubernetes-documented"] | None,
    Parameter(
        help="The printed model with all its faults, or all of them corrected; or kube-scheduler 1.34, as it is or as its"
        " documentation says. Default: the scenario's."
    ),
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


PdbStatus = Annotated[
    Literal["recorded", "recomputed"],
    Parameter(help="Where the disruptions that budgets allow are from: their status, or counted anew."),
]


def cluster_of(files: Iterable[str], profile: str | None = None, pdb_status: str = "recorded") -> "Cluster":
    """What the files hold and a scheduler sees; what of it is not read, or not seen, is told on standard error."""
    return clusters_of(files, profile, pdb_status)[1]


def clusters_of(
    files: Iterable[str], profile: str | None = None, pdb_status: str = "recorded"
) -> tuple["Cluster", "Cluster"]:
    """All that the files hold, and what of it a scheduler sees.

    Pods that have ended, or are on nodes that the input lacks, are left to a scenario that speaks of them.
    """
    from schedcheck.cli import STANDARD_INPUT
    from schedcheck.cluster import read, seen
    from schedcheck.report.terminal import tell

    cluster = read(("-" if file == STANDARD_INPUT else file for file in files), pdb_status)
    visible = seen(cluster, placed=cluster.scenario is None and profile != "article")
    for note in visible.notes:
        tell(f"note: {note}")
    return cluster, visible


def scenario_of(
    cluster: "Cluster", profile: str | None, faults: Iterable[str] = (), repairs: Iterable[str] = ()
) -> "Scenario":
    """The scenario of the input, with the profile, the faults and the repairs that the command line asks for.

    Raises: InputError.
    """
    from schedcheck.cluster import InputError, scenario
    from schedcheck.spec.faults import Fault

    known = frozenset(fault.value for fault in Fault)
    made = scenario(cluster, known, profile or "")
    on = made.faults | {_known("--fault", name, known) for name in faults}
    for name in repairs:
        if _known("--repair", name, known) not in on:
            raise InputError(f"this fault is not on in the profile {made.profile}", path="--repair", value=name)
    return replace(made, faults=on - frozenset(repairs))


def _known(option: str, name: str, known: frozenset[str]) -> str:
    """The name of a fault. Raises: InputError with the nearest one if it is none."""
    from schedcheck.cluster import InputError
    from schedcheck.cluster.fields import nearest

    if name not in known:
        raise InputError(f"no fault has this name{nearest(name, known)}", path=option, value=name)
    return name

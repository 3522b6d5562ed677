"""`schedcheck smallest`: the smallest cluster on which greedy preemption does worse than necessary."""

from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.groups import BOUNDS, CLUSTER
from schedcheck.commands.options import KubeName, Memory, Quiet, Seconds

POSITIVE = Number(gte=1)


def smallest(
    *,
    profile: Annotated[
        Literal["corrected"] | KubeName,
        Parameter(group=CLUSTER, help="The profile whose feasibility, order of reprieve and casualty are used."),
    ] = "kubernetes",
    objects: Annotated[int, Parameter(group=BOUNDS, validator=POSITIVE, help="The most objects of a cluster.")] = 5,
    total: Annotated[
        int, Parameter(group=BOUNDS, validator=POSITIVE, help="The greatest sum of quantities of a cluster.")
    ] = 12,
    budget: Annotated[
        bool, Parameter(group=BOUNDS, help="Whether one of the objects may be a disruption budget.")
    ] = True,
    time: Seconds = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Find the smallest cluster on which reprieve evicts more, or worse, than necessary, and write it as YAML.

    Every cluster of one node, a pod that does not fit, other pods and at most one budget is tried: fewest objects first,
    then the least sum of cpus, priorities and allowed disruptions. The victims are printed to standard error.
    """
    import schedcheck
    from schedcheck.report.files.verdict import yaml_text
    from schedcheck.report.text.terminal import output, tell
    from schedcheck.report.text.victims import figures, names

    found = schedcheck.smallest(
        profile=profile, objects=objects, total=total, budget=budget, limits=schedcheck.Limits(time, memory)
    )
    if found.found is None:
        tell(f"no such cluster has at most {objects} objects whose quantities sum to at most {total}")
        return 0
    output().out(yaml_text(found.manifests), highlight=False, end="")
    for way, (victims, casualty) in found.ways.items():
        tell(f"{way}: {names(victims)} ({figures(casualty)})")
    return 0

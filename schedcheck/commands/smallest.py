"""`schedcheck smallest`: the smallest cluster on which greedy preemption does worse than necessary."""

from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.options import Memory, Quiet, Seconds

POSITIVE = Number(gte=1)


def smallest(
    *,
    profile: Annotated[
        Literal["corrected", "kubernetes", "kubernetes-documented"],
        Parameter(help="Whose feasibility, order of reprieve and casualty."),
    ] = "kubernetes",
    objects: Annotated[int, Parameter(validator=POSITIVE, help="Look at no more objects.")] = 5,
    total: Annotated[int, Parameter(validator=POSITIVE, help="Look at no greater sum of quantities.")] = 12,
    budget: Annotated[bool, Parameter(help="Whether one of the objects may be a disruption budget.")] = True,
    time: Seconds = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Find the smallest cluster on which reprieve evicts more, or worse, than necessary, and write it as YAML.

    Every cluster of one node, a pod that finds no room, others and at most one budget is tried: fewest objects first,
    then the least sum of cpus, priorities and allowed disruptions. What is evicted is said on standard error.
    """
    from schedcheck.checker.victims.judges import of_model
    from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
    from schedcheck.checker.victims.smallest import smallest as found_smallest
    from schedcheck.report.files.verdict import yaml_text
    from schedcheck.report.json.answers import snapshot_json
    from schedcheck.report.text.terminal import output, tell
    from schedcheck.report.text.victims import figures, names
    from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
    from schedcheck.spec.profiles import CORRECTED, KUBERNETES

    of_scheduler = profile in KUBERNETES
    judge = of_kubernetes(DEFAULT_PLUGINS.departing(KUBERNETES[profile])) if of_scheduler else of_model(CORRECTED)
    found = found_smallest(judge, objects, total, budget=budget)
    if found is None:
        tell(f"there is none of at most {objects} objects whose quantities sum to at most {total}")
        return 0
    output().out(yaml_text(snapshot_json(found.cluster.snapshot)), highlight=False, end="")
    for way, victims, casualty in zip(
        ("reprieve", "least"), (found.reprieved, found.least), found.casualties, strict=True
    ):
        tell(f"{way}: {names(victims)} ({figures(casualty)})")
    return 0

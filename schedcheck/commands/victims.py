"""`schedcheck victims`: the pods to evict for a pod, by three strategies, with a proof of the least set."""

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.api.values import GIGABYTES, ROUNDS, SECONDS
from schedcheck.commands.groups import BOUNDS, QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    AskExtenders,
    ByAllocatable,
    ConfigFile,
    FaultNames,
    FeatureGates,
    Files,
    Format,
    Namespace,
    PdbStatus,
    PodName,
    PolicyFile,
    ProfileName,
    Quiet,
)

Rounds = Annotated[
    int, Parameter(group=BOUNDS, validator=Number(gte=1), help="Stop at this number of proposals of the solver.")
]
Time = Annotated[float, Parameter(group=BOUNDS, validator=Number(gt=0), help="Stop after this number of seconds.")]
Memory = Annotated[float, Parameter(group=BOUNDS, validator=Number(gt=0), help="Stop at this number of GiB of memory.")]


def victims(
    pod: PodName,
    /,
    *files: Files,
    namespace: Namespace = None,
    node: Annotated[str | None, Parameter(group=QUESTION, help="Consider only this node.")] = None,
    all: Annotated[bool, Parameter(group=QUESTION, negative="", help="Show every least set of victims.")] = False,
    format: Format = "text",
    profile: ProfileName = None,
    fault: FaultNames = (),
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    ask_extenders: AskExtenders = False,
    policy: PolicyFile = None,
    by_allocatable: ByAllocatable = False,
    pdb_status: PdbStatus = "recorded",
    rounds: Rounds = ROUNDS,
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    quiet: Quiet = False,
) -> int:
    """Show which pods to evict for a pod: in ascending priority, by reprieve, and with the least casualty.

    Every object in the files counts as existing. A bound pod is treated as if it were pending.
    """
    import schedcheck
    from schedcheck.report.text import published_explanation
    from schedcheck.report.text import victims as text_form
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    found = schedcheck.victims(
        cluster_of(files, pdb_status, whole=ask_extenders),
        pod,
        namespace=namespace,
        profile=schedcheck.Profile(
            name=profile,
            config=config,
            ask_extenders=ask_extenders,
            faults=fault,
            policy=policy,
            by_allocatable=by_allocatable,
            feature_gates=feature_gates,
        ),
        node=node,
        every=all,
        limits=schedcheck.Limits(time, memory, rounds=rounds),
        observer=observer(),
    )
    if format == "json":
        output().out(found.text(), highlight=False)
    elif found.answer is None:
        published_explanation.show_completed(found.pod, output())
    else:
        text_form.show(found.answer, output())
        show_left_aside(found.prepared.scenario, output())
    return found.exit_code

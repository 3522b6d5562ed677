"""`schedcheck capacity`: how many more pods like one fit, and what stops the next one."""

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.api.values import GIGABYTES, SECONDS
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import ConfigFile, Format, KubeProfile, Quiet
from schedcheck.commands.victims import Memory, Time
from schedcheck.errors import InputError

Words = Annotated[
    str,
    Parameter(
        name="POD FILES",
        help="The pod or workload as kubectl names it (web-1, pod/web-1, deploy/web, shop/web-1), unless --pod-file is"
        " given; then manifests: files, folders, or - for standard input.",
    ),
]


def capacity(
    *words: Words,
    namespace: Annotated[str | None, Parameter(name=("--namespace", "-n"), help="The namespace of POD.")] = None,
    pod_file: Annotated[str | None, Parameter(help="A file with a single pod or workload, instead of POD.")] = None,
    count: Annotated[int | None, Parameter(validator=Number(gte=1), help="Ask whether so many more fit.")] = None,
    format: Format = "text",
    profile: KubeProfile = "kubernetes",
    config: ConfigFile = None,
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    quiet: Quiet = False,
) -> int:
    """Say how many more pods like this one fit, and what stops the next one, node by node.

    Two numbers: what the scheduler places, one pod after another and without preemption, and the best that any choice
    of nodes could do. Everything in the files counts as being there; other pods that wait are not placed first.
    With --count the exit code is 0 if so many fit, and 1 if not.
    """
    import schedcheck
    from schedcheck.report.text.capacity import show
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    pod, files = ("", words) if pod_file is not None else (words[0] if words else "", words[1:])
    if not files:
        raise InputError("expected POD and then FILES" if pod_file is None else "expected FILES", path="FILES")
    found = schedcheck.capacity(
        cluster_of(files),
        pod,
        namespace=namespace,
        pod_file=pod_file,
        count=count,
        profile=schedcheck.Profile(name=profile, config=config),
        limits=schedcheck.Limits(time, memory),
        observer=observer(),
    )
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        show(found.made, found.of, found.ready.profile, found.beside, output())
        show_left_aside(found.ready.aside, output())
    return found.exit_code

"""`schedcheck conformance`: whether the specification gives the answers that kube-scheduler gave."""

from typing import Annotated, Literal

from cyclopts import Parameter

from schedcheck.commands.groups import CLUSTER
from schedcheck.commands.input import observer
from schedcheck.commands.options import ConfigFile, Format, Memory, Quiet, Seconds

RecordedFiles = Annotated[
    str, Parameter(name="FILES", required=True, help="Recorded answers, one JSON object a line, plain or gzip.")
]


def conformance(
    *files: RecordedFiles,
    profile: Annotated[
        Literal["kubernetes", "kubernetes-documented"],
        Parameter(group=CLUSTER, help="kube-scheduler 1.34 as it is, or as documented."),
    ] = "kubernetes",
    format: Format = "text",
    config: ConfigFile = None,
    time: Seconds = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Compare recorded answers of kube-scheduler 1.34 with those of the specification, family by family."""
    import schedcheck
    from schedcheck.report.text import agreement
    from schedcheck.report.text.terminal import output

    found = schedcheck.conformance(
        *files,
        profile=schedcheck.Profile(profile, config),
        limits=schedcheck.Limits(time, memory),
        observer=observer(),
    )
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        agreement.show(found.agreement, output())
    return found.exit_code

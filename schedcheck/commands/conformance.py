"""`schedcheck conformance`: whether the specification gives the answers that kube-scheduler gave."""

from typing import Annotated, Literal

from cyclopts import Parameter

from schedcheck.commands.options import ConfigFile, Memory, Quiet, Seconds, configured

GAVE_UP = 2

RecordedFiles = Annotated[
    str, Parameter(name="FILES", required=True, help="Recorded answers, one JSON object a line, plain or gzip.")
]


def conformance(
    *files: RecordedFiles,
    profile: Annotated[
        Literal["kubernetes", "kubernetes-documented"],
        Parameter(help="kube-scheduler 1.34 as it is, or as its documentation says."),
    ] = "kubernetes",
    config: ConfigFile = None,
    time: Seconds = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Compare recorded answers of kube-scheduler 1.34 with those of the specification, family by family."""
    from itertools import chain

    from schedcheck.oracle.conformance import conformance as compared
    from schedcheck.oracle.recorded import recorded
    from schedcheck.report.text import agreement
    from schedcheck.report.text.terminal import output
    from schedcheck.spec.profiles import KUBERNETES

    plugins = tuple(each.departing(KUBERNETES[profile]) for each in configured(config).plugins)
    made = compared(chain.from_iterable(map(recorded, files)), *plugins)
    agreement.show(made, output())
    return 1 if made.differences else GAVE_UP if made.stopped else 0

"""`schedcheck conformance`: whether the specification gives the answers that kube-scheduler gave."""

from typing import Annotated

from cyclopts import Parameter

RecordedFiles = Annotated[
    str, Parameter(name="FILES", required=True, help="Recorded answers, one JSON object a line, plain or gzip.")
]


def conformance(*files: RecordedFiles) -> int:
    """Compare recorded answers of kube-scheduler 1.34 with those of the specification, family by family."""
    from itertools import chain

    from schedcheck.oracle.conformance import conformance as compared
    from schedcheck.oracle.recorded import recorded
    from schedcheck.report import agreement
    from schedcheck.report.terminal import output
    from schedcheck.spec.plugins import DEFAULT_PLUGINS

    made = compared(chain.from_iterable(map(recorded, files)), DEFAULT_PLUGINS)
    agreement.show(made, output())
    return 1 if made.differences else 0

"""`schedcheck conformance`: whether the specification gives the answers that kube-scheduler gave."""

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from schedcheck.commands.input import observer
from schedcheck.commands.options import ConfigFile, Format, Memory, Quiet, Seconds

if TYPE_CHECKING:
    from schedcheck.oracle.conformance import Agreement

VIOLATED, GAVE_UP = 1, 2

RecordedFiles = Annotated[
    str, Parameter(name="FILES", required=True, help="Recorded answers, one JSON object a line, plain or gzip.")
]


def conformance(
    *files: RecordedFiles,
    profile: Annotated[
        Literal["kubernetes", "kubernetes-documented"],
        Parameter(help="kube-scheduler 1.34 as it is, or as its documentation says."),
    ] = "kubernetes",
    format: Format = "text",
    config: ConfigFile = None,
    time: Seconds = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Compare recorded answers of kube-scheduler 1.34 with those of the specification, family by family."""
    from itertools import chain

    from schedcheck.api.preparing import configured
    from schedcheck.oracle.conformance import conformance as compared
    from schedcheck.oracle.recorded import recorded
    from schedcheck.report.json import pieces
    from schedcheck.report.json.agreement import agreement_json
    from schedcheck.report.text import agreement
    from schedcheck.report.text.terminal import output
    from schedcheck.spec.profiles import KUBERNETES

    plugins = tuple(each.departing(KUBERNETES[profile]) for each in configured(config, None, False, observer()).plugins)
    made = compared(chain.from_iterable(map(recorded, files)), *plugins)
    verdict, code = _verdict(made)
    if format == "json":
        output().out(pieces.text(agreement_json(made, profile, verdict, code)), highlight=False)
    else:
        agreement.show(made, output())
    return code


def _verdict(made: "Agreement") -> tuple[str, int]:
    """What is to be said of all records, and the exit code; what was not compared is unknown, as far as nothing differs."""
    if made.differences:
        return "violated", VIOLATED
    if made.stopped:
        return "gave up", GAVE_UP
    return ("holds", 0) if made.whole else ("unknown", GAVE_UP)

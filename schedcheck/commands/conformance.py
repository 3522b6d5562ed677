"""`schedcheck conformance`: whether the specification gives the answers that kube-scheduler gave."""

from typing import Annotated

from cyclopts import Parameter

from schedcheck.commands.input import observer
from schedcheck.commands.options import ConfigFile, FeatureGates, Format, KubeVersion, Memory, Quiet, Seconds

RecordedFiles = Annotated[
    str, Parameter(name="FILES", required=True, help="Recorded answers, one JSON object a line, plain or gzip.")
]


def conformance(
    *files: RecordedFiles,
    profile: KubeVersion = "kubernetes",
    format: Format = "text",
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    time: Seconds = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Compare recorded answers of kube-scheduler with those of the specification, family by family."""
    import schedcheck
    from schedcheck.report.text import agreement
    from schedcheck.report.text.terminal import output

    found = schedcheck.conformance(
        *files,
        profile=schedcheck.Profile(profile, config, feature_gates=feature_gates),
        limits=schedcheck.Limits(time, memory),
        observer=observer(),
    )
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        agreement.show(found.agreement, output())
    return found.exit_code

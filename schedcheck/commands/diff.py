"""`schedcheck diff`: whether the production scheduler does with pending pods what the specification allows."""

from typing import Annotated, Literal

from cyclopts import Parameter

from schedcheck.commands.options import ConfigFile, Files, Format, clusters_of, configured


def diff(
    *files: Files,
    format: Format = "text",
    profile: Annotated[
        Literal["kubernetes", "kubernetes-documented"],
        Parameter(help="kube-scheduler 1.34 as it is, or as its documentation says."),
    ] = "kubernetes",
    config: ConfigFile = None,
) -> int:
    """Let the production scheduler take up each pending pod, as if alone, and judge what it does by the specification.

    Everything in the files counts as being there. What a known divergence excuses is shown, and is no difference.
    """
    from schedcheck.checker.differential import compared
    from schedcheck.report import as_json, compared_shown
    from schedcheck.report.terminal import output
    from schedcheck.spec.profiles import KUBERNETES

    given = configured(config)
    _, cluster = clusters_of(files, profile, schedulers=given.schedulers)
    plugins = tuple(each.departing(KUBERNETES[profile]) for each in given.plugins)
    made = compared(cluster.snapshot(), *plugins)
    if format == "json":
        output().out(as_json.text(compared_shown.compared_json(made)), highlight=False)
    else:
        compared_shown.show(made, output())
    return 1 if made.unexcused else 0

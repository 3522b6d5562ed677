"""`schedcheck replay`: whether every decision in a record of a scheduler is allowed."""

from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.groups import CLUSTER, QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    DASH,
    ConfigFile,
    FeatureGates,
    Format,
    KubeProfile,
    Memory,
    Quiet,
    Seconds,
)
from schedcheck.commands.pages import HtmlFile, ended


def replay(
    trace: Annotated[
        str,
        Parameter(
            name="TRACE",
            help="The record: JSON lines, an audit log, events or pods; plain or gzipped, - is standard input.",
        ),
    ],
    /,
    *,
    onto: Annotated[
        tuple[str, ...],
        Parameter(
            group=CLUSTER,
            negative="",
            consume_multiple=True,
            show_default=False,
            help="The cluster before the record: files or folders. May be repeated.",
        ),
    ] = (),
    strictness: Annotated[
        Literal["feasible", "best", "exact"],
        Parameter(
            group=QUESTION,
            help="What a decision is held to: any feasible node and any victims that help (feasible), what the"
            " specification allows (best), or also the scores, refusals and texts that are told (exact).",
        ),
    ] = "best",
    lag: Annotated[
        str, Parameter(group=QUESTION, help="How late the scheduler may learn of a change, such as 500ms.")
    ] = "1s",
    tries: Annotated[
        int,
        Parameter(group=QUESTION, validator=Number(gte=1), help="The most knowledges that are tried for a decision."),
    ] = 2000,
    profile: KubeProfile = None,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    format: Format = "text",
    time: Seconds = None,
    memory: Memory = None,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Judge every decision in a record by what the scheduler may have known when it made it.

    The record is silent about much, such as the order in which changes arrive: a decision is allowed if some possible
    knowledge explains it. The first one that none explains is shown. Exit codes: 0 all allowed, 1 one refused, 2 one
    unknown, or stopped by a limit.
    """
    import gc

    import schedcheck

    cluster = cluster_of(onto) if onto else None
    gc.freeze()
    gc.set_threshold(200_000)
    found = schedcheck.replay(
        "-" if trace == DASH else trace,
        cluster,
        profile=schedcheck.Profile(profile, config, feature_gates=feature_gates),
        strictness=strictness,
        lag=lag,
        tries=tries,
        limits=schedcheck.Limits(time, memory),
        observer=observer(quiet=quiet),
    )
    from schedcheck.report.text.terminal import output

    if format == "json":
        output().out(found.text(), highlight=False)
        return ended(found, html, found.exit_code)
    from schedcheck.report.text.replay import show

    show(found.form, found.profile, found.strictness, found.options, found.outcome, output())
    return ended(found, html, found.exit_code)

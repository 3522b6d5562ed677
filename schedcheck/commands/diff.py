"""`schedcheck diff`: whether the production scheduler does with pending pods what the specification allows."""

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.driving import (
    AnswerTime,
    Before,
    Count,
    Ends,
    Into,
    Kinds,
    PodName,
    SchedulerCommand,
    Seed,
    Strict,
    driven,
)
from schedcheck.commands.groups import BOUNDS, CLUSTER, QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    AskExtenders,
    ByAllocatable,
    ConfigFile,
    Depth,
    FeatureGates,
    Format,
    KubeName,
    MaxStates,
    Memory,
    Namespace,
    PluginNames,
    PolicyFile,
    Quiet,
    RuleNames,
    Seconds,
    Selector,
    repeatable,
)
from schedcheck.commands.pages import HtmlFile, ended, unknown

if TYPE_CHECKING:
    from schedcheck import Limits, Profile

UNKNOWN = 2

PropertyNames = Annotated[
    tuple[str, ...],
    repeatable(
        QUESTION,
        "--property",
        "With --explore: check only this property, of the production scheduler or of the cluster. May be repeated.",
    ),
]


def diff(
    *files: Annotated[
        str,
        Parameter(
            name="FILES",
            help="Manifests: files, folders, or - for standard input. With --scheduler they may be left out.",
        ),
    ],
    format: Format = "text",
    profile: Annotated[
        Literal["classic", KubeName] | None,
        Parameter(
            group=CLUSTER,
            help="kube-scheduler of the newest version (kubernetes), of another one, or as documented; or early Kubernetes"
            " (classic). Default: the scenario's, else kubernetes.",
        ),
    ] = None,
    policy: PolicyFile = None,
    by_allocatable: ByAllocatable = False,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    plugin: PluginNames = (),
    rule: RuleNames = (),
    explore: Annotated[
        bool,
        Parameter(
            group=QUESTION,
            negative="",
            help="Check every cycle in every state that the scheduler and its cluster can reach.",
        ),
    ] = False,
    depth: Depth = None,
    max_states: MaxStates = None,
    time: Seconds = None,
    memory: Memory = None,
    property: PropertyNames = (),
    lost_calls: Annotated[
        int,
        Parameter(
            group=BOUNDS, validator=Number(gte=0), help="With --explore: how many calls to the API server may fail."
        ),
    ] = 0,
    ask_extenders: AskExtenders = False,
    scheduler: SchedulerCommand = None,
    strictness: Strict = None,
    kinds: Kinds = "",
    count: Count = None,
    seed: Seed = None,
    ends: Ends = None,
    pod: PodName = None,
    selector: Selector = None,
    namespace: Namespace = None,
    before: Before = (),
    answer_time: AnswerTime = None,
    into: Into = None,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Schedule each pending pod with the production scheduler, and compare the decision with the specification.

    Every object in the files counts as existing. A difference that a known divergence explains is shown and excused.
    Under the profile classic the production scheduler is one of early Kubernetes, and its scores and victims are
    compared too. With --explore the files are read as by `check`, a scenario among them describes the environment, and
    the shortest trace to a difference is shown.

    With --scheduler a program decides instead of the production scheduler: about random clusters, or about each pending
    pod of FILES. Each decision is judged, and everything wrong is shown in the smallest cluster that was found.
    """
    import schedcheck

    limits = schedcheck.Limits(time, memory, depth, max_states)
    chosen = schedcheck.Profile(
        profile, config, plugin, rule, ask_extenders, policy=policy, by_allocatable=by_allocatable,
        feature_gates=feature_gates,
    )  # fmt: skip
    of_programs = {
        "--strictness": strictness, "--kinds": kinds, "--count": count, "--seed": seed, "--ends": ends, "--pod": pod,
        "--before": before, "--answer-time": answer_time, "--into": into,
    }  # fmt: skip
    if scheduler is not None:
        if explore:
            raise schedcheck.InputError("not possible with --scheduler; check --scheduler explores", path="--explore")
        if selector is not None:
            raise schedcheck.InputError("not possible with --scheduler; --pod names a pod", path="--selector")
        return driven(
            scheduler, files, chosen, limits, strictness=strictness, answer_time=answer_time, kinds=kinds, count=count,
            seed=seed, ends=ends, before=before, pod=pod, namespace=namespace, into=into, format=format, html=html,
        )  # fmt: skip
    for option, value in of_programs.items():
        if value not in (None, "", ()):
            raise schedcheck.InputError("belongs to --scheduler", path=option)
    if not files:
        raise schedcheck.InputError("expected files or folders with manifests", path="FILES")
    if explore:
        for option, value in {"--selector": selector, "--namespace": namespace}.items():
            if value is not None:
                raise schedcheck.InputError("not possible with --explore", path=option)
        return _explored(files, chosen, limits, property, lost_calls, format, html, quiet)
    only_explored = {
        "--depth": depth, "--max-states": max_states, "--property": property, "--lost-calls": lost_calls
    }  # fmt: skip
    for option, value in only_explored.items():
        if value:
            raise schedcheck.InputError("belongs to --explore", path=option)
    return _compared(files, chosen, limits, format, selector, namespace, html)


def _compared(
    files: tuple[str, ...],
    profile: "Profile",
    limits: "Limits",
    format: str,
    selector: str | None,
    namespace: str | None,
    html: Path | None,
) -> int:
    """Compare what is done with each pending pod by itself."""
    import schedcheck
    from schedcheck.report.text import comparison
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    cluster = cluster_of(files, whole=profile.ask_extenders)
    # What was read stays until the end, and so does most of what is made of it: the collector need not look at it often.
    gc.freeze()
    gc.set_threshold(200_000)
    found = schedcheck.diff(
        cluster, selector=selector, namespace=namespace, profile=profile, limits=limits, observer=observer()
    )
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        show_left_aside(found.aside, output(), first=True)
        comparison.show(found.compared, output())
    return ended(found, html, found.exit_code)


def _explored(
    files: tuple[str, ...],
    profile: "Profile",
    limits: "Limits",
    properties: tuple[str, ...],
    lost_calls: int,
    format: str,
    html: Path | None,
    quiet: bool,
) -> int:
    """Judge every cycle in every state."""
    from dataclasses import replace

    import schedcheck
    from schedcheck.report.text.explored import show
    from schedcheck.report.text.progress import progress_line
    from schedcheck.report.text.terminal import output

    try:
        with progress_line(limits.bounds(), quiet) as report:
            found = schedcheck.diff_explored(
                cluster_of(files),
                profile=profile,
                properties=properties,
                lost_calls=lost_calls,
                limits=limits,
                observer=replace(observer(quiet=quiet), progress=report),
            )
    except schedcheck.Unanswerable as why:
        return _unknown(str(why), format, html)
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        show(found.checked, output())
    return ended(found, html, found.exit_code)


def _unknown(why: str, format: str, html: Path | None) -> int:
    """Say that nothing is said of what the production scheduler does where something is not modelled."""
    from schedcheck.report.json import pieces
    from schedcheck.report.text.terminal import output

    made = pieces.unknown_json(why, UNKNOWN)
    output().out(pieces.text(made) if format == "json" else f"UNKNOWN\n{why}", highlight=False)
    if html is not None:
        unknown(why, "diff", html)
    return UNKNOWN

"""`schedcheck diff`: whether the production scheduler does with pending pods what the specification allows."""

import gc
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.options import (
    UNKNOWN,
    AskExtenders,
    ConfigFile,
    Depth,
    Files,
    Format,
    Given,
    MaxStates,
    Memory,
    PluginNames,
    Quiet,
    RuleNames,
    Seconds,
    clusters_of,
    configured,
    scenario_of,
)

if TYPE_CHECKING:
    from schedcheck.checker.exploring.result import Bounds
    from schedcheck.commands.extensions import Extensions

GAVE_UP = 2

PropertyNames = Annotated[
    tuple[str, ...],
    Parameter(
        name="--property",
        negative="",
        show_default=False,
        help="With --explore: ask only this, one of those that are asked or one of the cluster. May be repeated.",
    ),
]


def diff(
    *files: Files,
    format: Format = "text",
    profile: Annotated[
        Literal["kubernetes", "kubernetes-documented"],
        Parameter(help="kube-scheduler 1.34 as it is, or as its documentation says."),
    ] = "kubernetes",
    config: ConfigFile = None,
    plugin: PluginNames = (),
    rule: RuleNames = (),
    explore: Annotated[
        bool,
        Parameter(
            negative="", help="Judge every cycle in every state that the scheduler and its cluster can reach together."
        ),
    ] = False,
    depth: Depth = None,
    max_states: MaxStates = None,
    time: Seconds = None,
    memory: Memory = None,
    property: PropertyNames = (),
    lost_calls: Annotated[
        int, Parameter(validator=Number(gte=0), help="With --explore: how many calls to the API server may go wrong.")
    ] = 0,
    ask_extenders: AskExtenders = False,
    quiet: Quiet = False,
) -> int:
    """Let the production scheduler take up each pending pod, as if alone, and judge what it does by the specification.

    Everything in the files counts as being there. What a known divergence excuses is shown, and is no difference. With
    --explore the files are read as `check` reads them, a scenario among them says what may happen around the scheduler,
    and the shortest way to a difference is shown.
    """
    from schedcheck.checker.exploring.result import Bounds
    from schedcheck.commands.extensions import extensions
    from schedcheck.report.text.terminal import tell

    bounds = Bounds(depth, max_states, time, memory)
    more = extensions(plugin, rule)
    given = configured(config, more, ask_extenders)
    for note in more.unruled(given.plugins):
        tell(f"note: {note}")
    if explore:
        return _explored(files, format, profile, given, more, bounds, property, lost_calls, quiet)
    _only_explored(bounds, property, lost_calls, more)
    return _compared(files, format, profile, given, more)


def _compared(files: tuple[str, ...], format: str, profile: str, given: Given, more: "Extensions") -> int:
    """Each pending pod by itself."""
    from schedcheck.checker.differential.decisions import compared
    from schedcheck.commands.extensions import build
    from schedcheck.manifests import InputError
    from schedcheck.manifests.int64 import refuse_beyond_int64
    from schedcheck.manifests.looked_at import lost, not_looked_at
    from schedcheck.model.production.framework.out_of_tree import PluginError
    from schedcheck.model.scenario import Scenario
    from schedcheck.report.json import answers
    from schedcheck.report.text import comparison
    from schedcheck.report.text.left_aside import left_aside_json, show_left_aside
    from schedcheck.report.text.terminal import output
    from schedcheck.spec.profiles import KUBERNETES

    _, cluster = clusters_of(files, profile, schedulers=given.schedulers)
    # What was read stays until the end: the collector need not look at it again and again.
    gc.freeze()
    refuse_beyond_int64(cluster.pods, cluster.nodes)
    aside = Scenario("", (), (), profile=profile, not_looked_at=not_looked_at(cluster, profile), lost=lost(cluster))
    plugins = tuple(each.departing(KUBERNETES[profile]) for each in given.plugins)
    build(more.registry, plugins)
    try:
        made = compared(cluster.snapshot(), *plugins, registry=more.registry)
    except PluginError as error:
        raise InputError(str(error)) from None
    if format == "json":
        output().out(answers.text(comparison.compared_json(made) | left_aside_json(aside)), highlight=False)
    else:
        show_left_aside(aside, output(), first=True)
        comparison.show(made, output())
    return 1 if made.unexcused else UNKNOWN if made.unknown else GAVE_UP if made.left else 0


def _explored(
    files: tuple[str, ...],
    format: str,
    profile: str,
    given: Given,
    more: "Extensions",
    bounds: "Bounds",
    names: tuple[str, ...],
    lost_calls: int,
    quiet: bool,
) -> int:
    """Every state."""
    from schedcheck.checker.differential.exploration import explored
    from schedcheck.checker.properties.by_name import UnknownProperty
    from schedcheck.commands.check import EXIT_CODES
    from schedcheck.commands.extensions import build
    from schedcheck.manifests import InputError
    from schedcheck.model.production.framework.out_of_tree import PluginError
    from schedcheck.report.json import answers
    from schedcheck.report.text.explored import explored_json, show
    from schedcheck.report.text.progress import progress_line
    from schedcheck.report.text.terminal import output

    if any(each.extenders or each.unasked for each in given.plugins):
        raise InputError("expected a configuration without extenders, whose answers are not explored", path="--explore")
    if profile != "kubernetes":
        raise InputError("belongs to --profile kubernetes, which the production scheduler follows", path="--explore")
    _, cluster = clusters_of(files, profile, schedulers=given.schedulers)
    scenario = scenario_of(cluster, profile, given=given)
    if any(pod.resource_claims and not pod.node_name for pod in scenario.pods):
        return _unmodelled(format)
    build(more.registry, given.plugins)
    try:
        with progress_line(bounds, quiet) as report:
            checked = explored(
                scenario,
                registry=more.registry,
                faults=lost_calls,
                rules=more.properties,
                names=names,
                bounds=bounds,
                report=report,
            )
    except UnknownProperty as error:
        raise InputError(str(error), path="--property" if names else "") from None
    except PluginError as error:
        raise InputError(str(error)) from None
    code = EXIT_CODES[checked.result.verdict.value]
    if format == "json":
        output().out(answers.text(explored_json(checked, code)), highlight=False)
    else:
        show(checked, output())
    return code


def _unmodelled(format: str) -> int:
    """That nothing is said of what the production scheduler does where something is not modelled."""
    from schedcheck.report.json import answers
    from schedcheck.report.text.terminal import output
    from schedcheck.spec.kubernetes.control_loop import UNMODELLED

    made: answers.Json = {"format": answers.FORMAT, "verdict": "unknown", "exitCode": UNKNOWN, "unknown": UNMODELLED}
    output().out(answers.text(made) if format == "json" else f"UNKNOWN\n{UNMODELLED}", highlight=False)
    return UNKNOWN


def _only_explored(bounds: "Bounds", names: tuple[str, ...], lost_calls: int, more: "Extensions") -> None:
    """Raises: InputError for what belongs to --explore."""
    from schedcheck.manifests import InputError

    given = (
        ("--depth", bounds.depth), ("--max-states", bounds.max_states),
        ("--property", names), ("--lost-calls", lost_calls),
    )  # fmt: skip
    for option, value in given:
        if value:
            raise InputError("belongs to --explore", path=option)
    for each in more.properties:
        raise InputError("is a property, which belongs to --explore", path="--rule", value=each.name)

"""`schedcheck compare`: whether another configuration, profile or program decides differently, pod by pod, and why."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from schedcheck.commands.driving import AnswerTime, given
from schedcheck.commands.groups import CLUSTER, PROGRAM, QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    AskExtenders,
    Format,
    Inside,
    KubeName,
    Memory,
    PluginNames,
    Quiet,
    RuleNames,
    Seconds,
    Selector,
    repeatable,
)
from schedcheck.commands.pages import HtmlFile, ended

if TYPE_CHECKING:
    from schedcheck import Profile

Files = Annotated[
    str,
    Parameter(
        name="FILES", help="Manifests: files, folders, or - for standard input; none searches the smallest cluster."
    ),
]
Name = Literal["classic", KubeName]


def compare(
    *files: Files,
    format: Format = "text",
    profile: Annotated[
        tuple[Name, ...],
        repeatable(
            CLUSTER,
            "--profile",
            "The scheduler of both, or given twice, of the first and of the second. Default: kubernetes.",
        ),
    ] = (),
    config: Annotated[
        tuple[str, ...],
        repeatable(
            CLUSTER,
            "--config",
            "The KubeSchedulerConfiguration of the second, compared with the default; or given twice, of the first and of"
            " the second.",
        ),
    ] = (),
    feature_gates: Annotated[
        tuple[str, ...],
        repeatable(
            CLUSTER,
            "--feature-gates",
            "The feature gates of the second, compared with the defaults; or given twice, of the first and of the second."
            " With two profiles, given once, of both.",
        ),
    ] = (),
    selector: Selector = None,
    namespace: Inside = None,
    smallest: Annotated[
        bool,
        Parameter(
            group=QUESTION, negative="", help="Search the smallest cluster on which the two differ, without FILES."
        ),
    ] = False,
    plugin: PluginNames = (),
    rule: RuleNames = (),
    ask_extenders: AskExtenders = False,
    scheduler: Annotated[
        tuple[str, ...],
        repeatable(
            PROGRAM,
            "--scheduler",
            "A program that decides (docs/schedulers.md), compared with the profile; or given twice, two programs.",
        ),
    ] = (),
    answer_time: AnswerTime = None,
    time: Seconds = None,
    memory: Memory = None,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Compare what two configurations, profiles or programs may do with each pending pod, as if it were alone, and why.

    The allowed decisions are compared with their ties. Without FILES, or with --smallest, the smallest cluster on which
    the two differ is searched and written as YAML. Exit codes: 0 the same, 1 a difference, 2 unknown.
    """
    import schedcheck
    from schedcheck.api.compare import label
    from schedcheck.report.text import compared
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    if smallest and files:
        raise schedcheck.InputError("belongs to no FILES", path="--smallest")
    for option, value in {"--selector": selector, "--namespace": namespace}.items():
        if value is not None and not files:
            raise schedcheck.InputError("selects pods of FILES", path=option)
    about: dict[str, Any] = {"limits": schedcheck.Limits(time, memory), "observer": observer()}
    chosen: dict[str, Any] = {"selector": selector, "namespace": namespace}
    found: schedcheck.Comparison | schedcheck.SmallestDifference
    if scheduler:
        asked = _asked(scheduler, profile, config, feature_gates, plugin, rule, ask_extenders)
        about |= given(answer_time=answer_time)
        if files:
            read = cluster_of(files, whole=True)
            found = schedcheck.compare_scheduler(scheduler, read, profile=asked, **chosen, **about)
        else:
            found = schedcheck.smallest_scheduler_difference(scheduler, profile=asked, **about)
    elif answer_time is not None:
        raise schedcheck.InputError("belongs to --scheduler", path="--answer-time")
    else:
        sides = _sides(profile, config, feature_gates, plugin, rule, ask_extenders)
        if files:
            found = schedcheck.compare(cluster_of(files, whole=ask_extenders), sides[0], sides[1], **chosen, **about)
        else:
            found = schedcheck.smallest_difference(*sides, **about)
    names = label(found.first), label(found.second)
    if format == "json":
        output().out(found.text(), highlight=False)
    elif isinstance(found, schedcheck.SmallestDifference):
        from schedcheck.report.files.verdict import yaml_text

        compared.show_smallest(found, names, yaml_text(list(found.manifests)), output())
    else:
        compared.show(found, names, output())
        show_left_aside(found.aside, output())
    return ended(found, html, found.exit_code)


def _asked(
    commands: tuple[str, ...],
    profiles: tuple[Name, ...],
    configs: tuple[str, ...],
    gates: tuple[str, ...],
    plugins: tuple[str, ...],
    rules: tuple[str, ...],
    ask: bool,
) -> "Profile":
    """Return the profile beside one program or two."""
    import schedcheck

    if len(commands) > 2:
        raise schedcheck.InputError("expected at most twice", path="--scheduler")
    _refuse(profiles, configs, gates, 1, "once beside --scheduler")
    name = profiles[0] if profiles else None
    return schedcheck.Profile(name, next(iter(configs), None), plugins, rules, ask, feature_gates=gates)


def _refuse(
    profiles: tuple[Name, ...], configs: tuple[str, ...], gates: tuple[str, ...], most: int, times: str
) -> None:
    """Raises: InputError for an option that is given more than `most` times, or that configures none of the profiles."""
    import schedcheck
    from schedcheck.api.compare import configurable

    for option, told in (("--profile", profiles), ("--config", configs), ("--feature-gates", gates)):
        if len(told) > most:
            raise schedcheck.InputError(f"expected at most {times}", path=option)
        if told and option != "--profile" and profiles and not any(map(configurable, profiles)):
            raise schedcheck.InputError("belongs to --profile kubernetes or kubernetes-documented", path=option)


def _sides(
    profiles: tuple[Name, ...],
    configs: tuple[str, ...],
    gates: tuple[str, ...],
    plugins: tuple[str, ...],
    rules: tuple[str, ...],
    ask: bool,
) -> tuple["Profile", "Profile"]:
    """Return the two that are compared: one option of a kind is for both profiles, or for the second configuration."""
    import schedcheck
    from schedcheck.api.compare import configurable

    _refuse(profiles, configs, gates, 2, "twice")
    if not profiles[1:] and not configs and not gates:
        expected = "expected --config or --feature-gates once or twice, or --profile twice"
        raise schedcheck.InputError(expected, path="compare")
    named = profiles if len(profiles) == 2 else (profiles or (None,)) * 2
    sided = zip(named, _two(configs, profiles), _two(gates, profiles), strict=True)
    first, second = (
        schedcheck.Profile(
            name, file, plugins, rules, ask and file is not None, feature_gates=() if on is None else (on,)
        )
        if name is None or configurable(name)
        else schedcheck.Profile(name)
        for name, file, on in sided
    )
    return first, second


def _two(given: tuple[str, ...], profiles: tuple[Name, ...]) -> tuple[str | None, str | None]:
    """Return the value of each side: one value is for the second, or with two profiles for both."""
    if not given:
        return None, None
    if len(given) == 2 or len(profiles) == 2:
        return given[0], given[-1]
    return None, given[0]

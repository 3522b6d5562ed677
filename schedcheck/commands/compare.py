"""`schedcheck compare`: whether another configuration or profile decides differently, pod by pod, and why."""

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from schedcheck.commands.groups import CLUSTER, QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import AskExtenders, Format, KubeName, Memory, PluginNames, Quiet, RuleNames, Seconds

if TYPE_CHECKING:
    from schedcheck import Profile

Files = Annotated[
    str,
    Parameter(
        name="FILES", help="Manifests: files, folders, or - for standard input; none searches the smallest cluster."
    ),
]
Name = Literal["classic", KubeName]


def _of_sides(name: str, text: str) -> Parameter:
    """Return an option that may be given twice, for the first and for the second side."""
    return Parameter(group=CLUSTER, name=name, negative="", show_default=False, help=text)


def compare(
    *files: Files,
    format: Format = "text",
    profile: Annotated[
        tuple[Name, ...],
        _of_sides(
            "--profile",
            "The scheduler of both, or given twice, of the first and of the second. Default: kubernetes.",
        ),
    ] = (),
    config: Annotated[
        tuple[str, ...],
        _of_sides(
            "--config",
            "The KubeSchedulerConfiguration of the second, compared with the default; or given twice, of the first and of"
            " the second.",
        ),
    ] = (),
    feature_gates: Annotated[
        tuple[str, ...],
        _of_sides(
            "--feature-gates",
            "The feature gates of the second, compared with the defaults; or given twice, of the first and of the second."
            " With two profiles, given once, of both.",
        ),
    ] = (),
    selector: Annotated[
        str | None,
        Parameter(
            group=QUESTION,
            name=("--selector", "-l"),
            help="Only pods with these labels, as kubectl takes them: app=web,tier!=test, 'tier in (a,b)'.",
        ),
    ] = None,
    namespace: Annotated[
        str | None,
        Parameter(group=QUESTION, name=("--namespace", "-n"), help="Only pods of this namespace."),
    ] = None,
    smallest: Annotated[
        bool,
        Parameter(
            group=QUESTION, negative="", help="Search the smallest cluster on which the two differ, without FILES."
        ),
    ] = False,
    plugin: PluginNames = (),
    rule: RuleNames = (),
    ask_extenders: AskExtenders = False,
    time: Seconds = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Compare what two configurations, or two profiles, may do with each pending pod, as if it were alone, and say why.

    The allowed decisions are compared with their ties. Without FILES, or with --smallest, the smallest cluster on which
    the two differ is searched and written as YAML. Exit codes: 0 the same, 1 a difference, 2 unknown.
    """
    import schedcheck
    from schedcheck.api.compare import label
    from schedcheck.report.text import compared
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    first, second = _sides(profile, config, feature_gates, plugin, rule, ask_extenders)
    limits = schedcheck.Limits(time, memory)
    if smallest and files:
        raise schedcheck.InputError("belongs to no FILES", path="--smallest")
    for option, value in {"--selector": selector, "--namespace": namespace}.items():
        if value is not None and not files:
            raise schedcheck.InputError("selects pods of FILES", path=option)
    if not files:
        found = schedcheck.smallest_difference(first, second, limits=limits, observer=observer())
        if format == "json":
            output().out(found.text(), highlight=False)
        else:
            from schedcheck.report.files.verdict import yaml_text

            names = label(first), label(second)
            compared.show_smallest(found, names, yaml_text(list(found.manifests)), output())
        return found.exit_code
    told = schedcheck.compare(
        cluster_of(files, whole=ask_extenders), first, second, selector=selector, namespace=namespace, limits=limits,
        observer=observer(),
    )  # fmt: skip
    if format == "json":
        output().out(told.text(), highlight=False)
    else:
        compared.show(told, (label(told.first), label(told.second)), output())
        show_left_aside(told.aside, output())
    return told.exit_code


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

    for option, given in (("--profile", profiles), ("--config", configs), ("--feature-gates", gates)):
        if len(given) > 2:
            raise schedcheck.InputError("expected at most twice", path=option)
    if not profiles[1:] and not configs and not gates:
        expected = "expected --config or --feature-gates once or twice, or --profile twice"
        raise schedcheck.InputError(expected, path="compare")
    for option, given in (("--config", configs), ("--feature-gates", gates)):
        if given and profiles and not any(map(configurable, profiles)):
            raise schedcheck.InputError("belongs to --profile kubernetes or kubernetes-documented", path=option)
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

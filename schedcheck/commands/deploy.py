"""`schedcheck deploy`: what happens if manifests are applied to a cluster."""

from typing import Annotated

from cyclopts import Parameter

from schedcheck.api.values import GIGABYTES, SECONDS
from schedcheck.commands.groups import QUESTION
from schedcheck.commands.input import observer
from schedcheck.commands.options import DASH, ConfigFile, FeatureGates, KubeProfile, MeanwhileNames, Quiet, WideFormat
from schedcheck.commands.pages import HtmlFile, ended
from schedcheck.commands.victims import Memory, Time
from schedcheck.errors import InputError

Manifests = Annotated[
    str,
    Parameter(
        name="FILES", help="The manifests to apply: files, folders, or - for standard input; none with --replicas."
    ),
]
Onto = Annotated[
    tuple[str, ...],
    Parameter(
        group=QUESTION, name="--onto", negative="", required=True, show_default=False,
        help="The cluster as it is: a dump, files or folders. May be repeated.",
    ),
]  # fmt: skip
Replicas = Annotated[
    tuple[str, ...],
    Parameter(
        group=QUESTION, name="--replicas", negative="", show_default=False,
        help="Scale a workload, as deploy/web=50 or shop/deploy/web=50. May be repeated.",
    ),
]  # fmt: skip


def deploy(
    *files: Manifests,
    onto: Onto,
    replicas: Replicas = (),
    selector: Annotated[
        str | None,
        Parameter(
            group=QUESTION,
            name=("--selector", "-l"),
            help="Apply only the manifests with these labels, as kubectl takes them: app=web,tier!=test.",
        ),
    ] = None,
    namespace: Annotated[
        str | None,
        Parameter(group=QUESTION, name=("--namespace", "-n"), help="The namespace of manifests that name none."),
    ] = None,
    format: WideFormat = "text",
    profile: KubeProfile = None,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    controllers: MeanwhileNames = (),
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Say what happens if these manifests are applied to a cluster: places, evictions, and whether rollouts complete.

    New objects are added. A workload that exists is scaled, or updated as its strategy says. Nothing else happens
    meanwhile, but for --controllers: with them it is also asked whether all come to rest. Exit code 0: every pod of
    what is applied is bound, and every rollout completes, in every behaviour; 1: not in every one; 2: not known.
    """
    import schedcheck
    from schedcheck.report.ci.written import FORMATS, written
    from schedcheck.report.text.deploy import show
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    if selector is not None and not files:
        raise InputError("selects manifests of FILES", path="--selector")
    if not files and not replicas:
        raise InputError("expected FILES or --replicas", path="FILES")
    found = schedcheck.deploy(
        ["-" if file == DASH else file for file in files],
        onto=["-" if file == DASH else file for file in onto],
        replicas=_replicas(replicas),
        selector=selector,
        namespace=namespace,
        controllers=controllers,
        profile=schedcheck.Profile(name=profile, config=config, feature_gates=feature_gates),
        limits=schedcheck.Limits(time, memory),
        observer=observer(quiet=quiet),
    )
    if format == "json":
        output().out(found.text(), highlight=False)
        return ended(found, html, found.exit_code)
    if format in FORMATS:
        from schedcheck.api.verdicts import deployed_report

        output().out(written(deployed_report(found, files), format), highlight=False)
        return ended(found, html, found.exit_code)
    show(found.changes, found.found, found.hooks, found.verdict, output())
    show_left_aside(found.scenario, output())
    return ended(found, html, found.exit_code)


def _replicas(texts: tuple[str, ...]) -> dict[str, int]:
    """Return the replicas of each workload. Raises: InputError for a workload that is named twice."""
    found: dict[str, int] = {}
    for text in texts:
        name, number = _scaled(text)
        if name in found:
            raise InputError(f"{name} was given {found[name]} replicas before", path="--replicas", value=text)
        found[name] = number
    return found


def _scaled(text: str) -> tuple[str, int]:
    """Return a workload and its replicas. Raises: InputError."""
    name, _, number = text.rpartition("=")
    if not name or not (number.isascii() and number.isdecimal()):
        raise InputError("expected a workload and a number, as deploy/web=50", path="--replicas", value=text)
    return name, int(number)

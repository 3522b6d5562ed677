"""`schedcheck lint`: problems of a cluster, of manifests or of a configuration, found without exploring."""

from typing import Annotated

from cyclopts import Parameter

from schedcheck.commands.groups import CLUSTER, OUTPUT, QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    FeatureGates,
    Format,
    KubeProfile,
    Memory,
    PdbStatus,
    PluginNames,
    Quiet,
    RuleNames,
    Seconds,
)

Files = Annotated[
    str, Parameter(name="FILES", help="Manifests: files, folders, or - for standard input; none only with --config.")
]


def lint(
    *files: Files,
    format: Format = "text",
    strict: Annotated[bool, Parameter(group=OUTPUT, negative="", help="Exit with 1 for warnings too.")] = False,
    ignore: Annotated[
        tuple[str, ...],
        Parameter(
            group=QUESTION,
            name="--ignore",
            negative="",
            show_default=False,
            help="Leave out this rule. May be repeated.",
        ),
    ] = (),
    selector: Annotated[
        str | None,
        Parameter(
            group=QUESTION,
            name=("--selector", "-l"),
            help="Only findings about pods and workloads with these labels, as kubectl takes them, and their budgets.",
        ),
    ] = None,
    namespace: Annotated[
        str | None,
        Parameter(group=QUESTION, name=("--namespace", "-n"), help="Only findings about objects of this namespace."),
    ] = None,
    profile: KubeProfile = None,
    config: Annotated[
        str | None,
        Parameter(
            group=CLUSTER, help="The KubeSchedulerConfiguration of the scheduler; all its errors are listed too."
        ),
    ] = None,
    feature_gates: FeatureGates = (),
    plugin: PluginNames = (),
    rule: RuleNames = (),
    pdb_status: PdbStatus = "recorded",
    time: Seconds = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Find problems without exploring, each with its object, field, reason and rule.

    These are budgets that block every drain, pods that fit no node, DaemonSets that miss nodes, replicas that cannot all
    be placed, selectors that select nothing, and priorities that evict others.
    """
    import schedcheck
    from schedcheck.report.text import findings
    from schedcheck.report.text.terminal import output

    if not files and config is None:
        raise schedcheck.InputError("expected manifests, or --config", path="FILES")
    found = schedcheck.lint(
        cluster_of(files, pdb_status) if files else None,
        profile=schedcheck.Profile(profile, config, plugin, rule, feature_gates=feature_gates),
        ignore=ignore,
        strict=strict,
        selector=selector,
        namespace=namespace,
        limits=schedcheck.Limits(time, memory),
        observer=observer(),
    )
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        findings.show(found.findings, found.undecided, found.stopped, output())
    return found.exit_code

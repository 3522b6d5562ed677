"""`schedcheck lint`: problems of a cluster, of manifests or of a configuration, found without exploring."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from schedcheck.commands.groups import CLUSTER, OUTPUT, QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    FeatureGates,
    KubeProfile,
    Memory,
    PdbStatus,
    PluginNames,
    Quiet,
    RuleNames,
    Seconds,
    WideFormat,
    repeatable,
)

if TYPE_CHECKING:
    from schedcheck import Lint

Files = Annotated[
    str, Parameter(name="FILES", help="Manifests: files, folders, or - for standard input; none only with --config.")
]


def lint(
    *files: Files,
    format: WideFormat = "text",
    strict: Annotated[bool, Parameter(group=OUTPUT, negative="", help="Exit with 1 for warnings too.")] = False,
    ignore: Annotated[
        tuple[str, ...],
        repeatable(QUESTION, "--ignore", "Leave out this rule. May be repeated."),
    ] = (),
    baseline: Annotated[
        Path | None,
        Parameter(
            group=QUESTION,
            help="Findings that this file has are known, and fail no more; those that have gone are told.",
        ),
    ] = None,
    write_baseline: Annotated[
        Path | None,
        Parameter(group=OUTPUT, help="Write all findings to this file as a baseline, without reading one."),
    ] = None,
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
    if baseline is not None and write_baseline is None:
        found = found.beside(baseline)
    _print(found, format)
    return found.exit_code if write_baseline is None else _written(found, write_baseline)


def _print(found: "Lint", format: str) -> None:
    from schedcheck.report.ci.written import FORMATS, written
    from schedcheck.report.text import findings
    from schedcheck.report.text.terminal import output

    if format == "json":
        output().out(found.text(), highlight=False)
    elif format in FORMATS:
        output().out(written(found.report(), format), highlight=False)
    else:
        findings.show(found.findings, found.undecided, found.stopped, output(), found.known, found.gone)


def _written(found: "Lint", file: Path) -> int:
    """Write the baseline, and return the exit code: every finding is known now, and what is unknown stays so."""
    from schedcheck.report.text.terminal import tell

    if found.stopped:
        tell(f"not written: {file}, as not all rules were asked ({found.stopped})")
        return 2
    file.write_text(found.baseline(), encoding="utf-8")
    tell(f"written: {file}")
    return 2 if found.undecided else 0

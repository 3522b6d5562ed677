"""`schedcheck explain`: why a pod is pending, where it would be bound, and which pods would be evicted for it."""

from typing import TYPE_CHECKING

from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    AskExtenders,
    ByAllocatable,
    ConfigFile,
    FaultNames,
    Files,
    Format,
    Memory,
    Namespace,
    PluginNames,
    PodName,
    PolicyFile,
    ProfileName,
    Quiet,
    RuleNames,
    Seconds,
)

if TYPE_CHECKING:
    from schedcheck import Explanation


def explain(
    pod: PodName,
    /,
    *files: Files,
    namespace: Namespace = None,
    format: Format = "text",
    profile: ProfileName = None,
    fault: FaultNames = (),
    policy: PolicyFile = None,
    by_allocatable: ByAllocatable = False,
    config: ConfigFile = None,
    plugin: PluginNames = (),
    rule: RuleNames = (),
    ask_extenders: AskExtenders = False,
    time: Seconds = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Explain for each node whether it is feasible for a pod and how it scores, and what the scheduler would do.

    Every object in the files counts as existing. A bound pod is explained as if it were pending.
    """
    import schedcheck

    found = schedcheck.explain(
        cluster_of(files, whole=ask_extenders),
        pod,
        namespace=namespace,
        profile=schedcheck.Profile(
            name=profile,
            config=config,
            plugins=plugin,
            rules=rule,
            ask_extenders=ask_extenders,
            faults=fault,
            policy=policy,
            by_allocatable=by_allocatable,
        ),
        limits=schedcheck.Limits(time, memory),
        observer=observer(),
    )
    _print(found, format)
    return found.exit_code


def _print(found: "Explanation", format: str) -> None:
    """Print the answer."""
    from schedcheck.report.text.explanation import show
    from schedcheck.report.text.published_explanation import Beside, show_completed
    from schedcheck.report.text.terminal import output

    if format == "json":
        output().out(found.text(), highlight=False)
    elif found.made is None:
        show_completed(found.pod, output())
    else:
        beside = Beside(found.added, found.unseen)
        show(found.made, found.snapshot, found.prepared.scenario, beside, output())

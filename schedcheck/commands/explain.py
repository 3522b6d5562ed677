"""`schedcheck explain`: why a pod is pending, where it would be bound, and which pods would be evicted for it."""

from typing import TYPE_CHECKING

from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    AllNamespaces,
    AskExtenders,
    ByAllocatable,
    ConfigFile,
    EachSelector,
    FaultNames,
    FeatureGates,
    Format,
    Memory,
    Namespace,
    PluginNames,
    PodAndFiles,
    PolicyFile,
    ProfileName,
    Quiet,
    RuleNames,
    Seconds,
)
from schedcheck.commands.pages import HtmlFile, ended
from schedcheck.commands.selecting import namespace_of, split

if TYPE_CHECKING:
    from schedcheck import Explanation, Explanations


def explain(
    *words: PodAndFiles,
    selector: EachSelector = None,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    format: Format = "text",
    profile: ProfileName = None,
    fault: FaultNames = (),
    policy: PolicyFile = None,
    by_allocatable: ByAllocatable = False,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    plugin: PluginNames = (),
    rule: RuleNames = (),
    ask_extenders: AskExtenders = False,
    time: Seconds = None,
    memory: Memory = None,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Explain for each node whether it is feasible for a pod and how it scores, and what the scheduler would do.

    Every object in the files counts as existing. A bound pod is explained as if it were pending. With --selector each
    pod with these labels is explained, those with the same answer together.
    """
    import schedcheck

    pods, files = split(words, chosen=selector is not None)
    inside = namespace_of(selector, namespace, all_namespaces=all_namespaces)
    scheduler = schedcheck.Profile(
        name=profile,
        config=config,
        plugins=plugin,
        rules=rule,
        ask_extenders=ask_extenders,
        faults=fault,
        policy=policy,
        by_allocatable=by_allocatable,
        feature_gates=feature_gates,
    )
    cluster, limits = cluster_of(files, whole=ask_extenders), schedcheck.Limits(time, memory)
    if selector is not None:
        every = schedcheck.explain_selected(
            cluster, selector, namespace=inside, profile=scheduler, limits=limits, observer=observer()
        )
        _print_all(every, format)
        return ended(every, html, every.exit_code)
    found = schedcheck.explain(
        cluster, pods[0], namespace=namespace, profile=scheduler, limits=limits, observer=observer()
    )
    _print(found, format)
    return ended(found, html, found.exit_code)


def _print_all(found: "Explanations", format: str) -> None:
    """Print the answers of several pods."""
    from schedcheck.report.text.explanations import show_selected
    from schedcheck.report.text.terminal import output

    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        show_selected(found, output())


def _print(found: "Explanation", format: str) -> None:
    """Print the answer."""
    from schedcheck.report.text.explanation import show_explained
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.published_explanation import show_completed
    from schedcheck.report.text.terminal import output

    if format == "json":
        output().out(found.text(), highlight=False)
    elif found.made is None:
        show_completed(found.pod, output())
    else:
        console = output()
        show_explained(found, console)
        show_left_aside(found.prepared.scenario, console)

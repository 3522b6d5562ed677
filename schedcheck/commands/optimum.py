"""`schedcheck optimum`: the best placement of all pending pods at once, and the possible gap of the scheduler."""

from schedcheck.api.values import GIGABYTES, ROUNDS, SECONDS
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    ByAllocatable,
    ConfigFile,
    FaultNames,
    FeatureGates,
    Files,
    Format,
    Inside,
    PolicyFile,
    ProfileName,
    Quiet,
    Selector,
)
from schedcheck.commands.pages import HtmlFile, ended
from schedcheck.commands.victims import Memory, Rounds, Time


def optimum(
    *files: Files,
    selector: Selector = None,
    namespace: Inside = None,
    format: Format = "text",
    profile: ProfileName = None,
    fault: FaultNames = (),
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    policy: PolicyFile = None,
    by_allocatable: ByAllocatable = False,
    rounds: Rounds = ROUNDS,
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Find the best placement of all pending pods, and every outcome that the scheduler can reach one step at a time.

    The best placement has the most pods of the highest priority, then of the next, then the greatest sum of viability.
    It evicts no pod. With --selector or --namespace other pending pods are left out. Every object in the files counts as existing, and nothing happens but scheduling.
    """
    import schedcheck
    from schedcheck.report.text import optimum as text_form
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    found = schedcheck.optimum(
        cluster_of(files),
        selector=selector,
        namespace=namespace,
        profile=schedcheck.Profile(
            name=profile,
            config=config,
            faults=fault,
            policy=policy,
            by_allocatable=by_allocatable,
            feature_gates=feature_gates,
        ),
        limits=schedcheck.Limits(time, memory, rounds=rounds),
        observer=observer(),
    )
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        text_form.show(found.answer, output())
        show_left_aside(found.prepared.scenario, output())
    return ended(found, html, found.exit_code)

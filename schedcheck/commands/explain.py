"""`schedcheck explain`: why a pod is pending, where it would go, and what would be evicted for it."""

from typing import TYPE_CHECKING, NamedTuple

from schedcheck.commands.options import (
    UNKNOWN,
    AskExtenders,
    ByAllocatable,
    ConfigFile,
    FaultNames,
    Files,
    Format,
    Memory,
    PluginNames,
    PodName,
    PolicyFile,
    ProfileName,
    Quiet,
    RuleNames,
    Seconds,
    clusters_of,
    configured,
    early_scheduler,
    extended,
    named,
    scenario_of,
)

if TYPE_CHECKING:
    from schedcheck.manifests import Cluster
    from schedcheck.model.scenario import Scenario
    from schedcheck.report.text.published_explanation import Beside
    from schedcheck.spec.objects import Pod


def explain(
    pod: PodName,
    /,
    *files: Files,
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
    """Say of each node why it is feasible for a pod or not and how it is rated, and what follows.

    Everything in the files counts as being there. A pod that is bound is explained as if it were pending and not there.
    """
    from schedcheck.manifests.seen import why_unseen
    from schedcheck.report.text import published_explanation
    from schedcheck.spec.profiles import CLASSIC, KUBERNETES

    given = configured(config, extended(plugin, rule), ask_extenders)
    profile = profile or given.profile
    whole, cluster = clusters_of(files, profile, schedulers=given.schedulers)
    wanted = named(pod, whole)
    scenario = early_scheduler(scenario_of(cluster, profile, fault, given=given), policy, by_allocatable)
    unseen = why_unseen(wanted, whole, given.schedulers) if wanted not in cluster.pods else ""
    beside = published_explanation.Beside(whole.added.get(wanted.key, ()), unseen)
    asked = Asked(wanted, cluster, scenario, beside, format)
    if scenario.profile in KUBERNETES:
        return _by_kubernetes(asked)
    if scenario.profile == CLASSIC:
        _by_the_early_scheduler(asked)
    else:
        _by_the_printed_model(asked)
    return 0


class Asked(NamedTuple):
    """The pod that is asked about, the cluster and scenario around it, and how to answer."""

    pod: "Pod"
    cluster: "Cluster"
    scenario: "Scenario"
    beside: "Beside"
    format: str


def _by_the_printed_model(asked: Asked) -> None:
    """The filters and ratings of the printed model, and its decisions."""
    from schedcheck.checker.explain.published import explanation
    from schedcheck.report.json import answers
    from schedcheck.report.text import published_explanation, statement
    from schedcheck.report.text.left_aside import left_aside_json, show_left_aside
    from schedcheck.report.text.terminal import output
    from schedcheck.spec.faults import Fault
    from schedcheck.spec.objects import Snapshot
    from schedcheck.spec.profiles import profile

    pod, cluster, scenario, beside, form = asked
    snapshot = Snapshot.of({*cluster.pods, pod}, cluster.nodes, cluster.namespaces)
    faults = frozenset(Fault(name) for name in scenario.faults)
    made = explanation(pod, snapshot, profile(scenario.profile, faults, scenario.rated_resource))
    if made is None:
        show_completed(pod, form)
    elif form == "json":
        answer = answers.explanation_json(made, scenario.profile, sorted(scenario.faults), beside.added)
        output().out(answers.text(answer | left_aside_json(scenario)), highlight=False)
    else:
        published_explanation.show(made, snapshot, statement.faults(scenario), faults, beside, output())
        show_left_aside(scenario, output())


def _by_kubernetes(asked: Asked) -> int:
    """The scheduling cycle of kube-scheduler; 2 where its end depends on extenders that were not asked."""
    from schedcheck.checker.explain.kubernetes import cycle_explanation
    from schedcheck.report.json import answers
    from schedcheck.report.json.kubernetes_explanation import cycle_json
    from schedcheck.report.text import statement
    from schedcheck.report.text.kubernetes_explanation import show_cycle
    from schedcheck.report.text.left_aside import left_aside_json, show_left_aside
    from schedcheck.report.text.terminal import output
    from schedcheck.spec.profiles import KUBERNETES, by_scheduler_name

    pod, cluster, scenario, beside, form = asked
    snapshot = cluster.snapshot(pod)
    plugins = by_scheduler_name(pod, scenario.plugins).departing(KUBERNETES[scenario.profile])
    made = cycle_explanation(pod, snapshot, plugins)
    if made is None:
        show_completed(pod, form)
    elif form == "json":
        answer = cycle_json(made, scenario.profile, beside.added) | left_aside_json(scenario)
        output().out(answers.text(answer), highlight=False)
    else:
        show_cycle(made, snapshot, statement.departures(scenario.profile), beside, output())
        show_left_aside(scenario, output())
    return UNKNOWN if made is not None and made.choice.kind == "unknown" else 0


def _by_the_early_scheduler(asked: Asked) -> None:
    """The predicates and priorities of the early scheduler, and whom it would evict."""
    from schedcheck.checker.explain.classic import classic_explanation
    from schedcheck.report.json import answers
    from schedcheck.report.json.classic_explanation import classic_json
    from schedcheck.report.text.classic_explanation import show_classic
    from schedcheck.report.text.left_aside import left_aside_json, show_left_aside
    from schedcheck.report.text.terminal import output

    pod, cluster, scenario, beside, form = asked
    snapshot = cluster.snapshot(pod)
    made = classic_explanation(pod, snapshot, scenario.policy)
    if made is None:
        show_completed(pod, form)
    elif form == "json":
        answer = classic_json(made, scenario.profile, beside.added) | left_aside_json(scenario)
        output().out(answers.text(answer), highlight=False)
    else:
        show_classic(made, snapshot, scenario.profile, beside, output())
        show_left_aside(scenario, output())


def show_completed(pod: "Pod", form: str) -> None:
    """That the pod has ended."""
    from schedcheck.report.json import answers
    from schedcheck.report.text import published_explanation
    from schedcheck.report.text.terminal import output

    if form == "json":
        output().out(answers.text(answers.completed_json(pod)), highlight=False)
    else:
        published_explanation.show_completed(pod, output())

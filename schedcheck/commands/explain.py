"""`schedcheck explain`: why a pod is pending, where it would go, and what would be evicted for it."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from cyclopts import Parameter

from schedcheck.commands.options import FaultNames, Files, Format, ProfileName, clusters_of, scenario_of

if TYPE_CHECKING:
    from schedcheck.cluster import Cluster
    from schedcheck.model.scenario import Scenario
    from schedcheck.report.explained import Beside
    from schedcheck.spec.objects import Pod

PodName = Annotated[str, Parameter(name="POD", help="The pod, as NAMESPACE/NAME, or NAME in the namespace default.")]


def explain(
    pod: PodName,
    /,
    *files: Files,
    format: Format = "text",
    profile: ProfileName = None,
    fault: FaultNames = (),
) -> int:
    """Say of each node why it is feasible for a pod or not and how it is rated, and what follows.

    Everything in the files counts as being there. A pod that is bound is explained as if it were pending and not there.
    """
    from schedcheck.cluster.seen import why_unseen
    from schedcheck.report import explained
    from schedcheck.spec.profiles import KUBERNETES

    whole, cluster = clusters_of(files, profile)
    wanted = _named(pod, whole)
    scenario = scenario_of(cluster, profile, fault)
    unseen = why_unseen(wanted, whole) if wanted not in cluster.pods else ""
    beside = explained.Beside(whole.added.get(wanted.key, ()), unseen)
    asked = Asked(wanted, cluster, scenario, beside, format)
    if scenario.profile in KUBERNETES:
        _by_kubernetes(asked)
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
    from schedcheck.report import as_json, explained, statement
    from schedcheck.report.explanation import explanation
    from schedcheck.report.terminal import output
    from schedcheck.spec.faults import Fault
    from schedcheck.spec.objects import Snapshot
    from schedcheck.spec.profiles import profile

    pod, cluster, scenario, beside, form = asked
    snapshot = Snapshot.of({*cluster.pods, pod}, cluster.nodes, cluster.namespaces)
    faults = frozenset(Fault(name) for name in scenario.faults)
    made = explanation(pod, snapshot, profile(scenario.profile, faults, scenario.rated_resource))
    if made is None:
        _completed(pod, form)
    elif form == "json":
        answer = as_json.explanation_json(made, scenario.profile, sorted(scenario.faults), beside.added)
        output().out(as_json.text(answer), highlight=False)
    else:
        explained.show(made, snapshot, statement.faults(scenario), faults, beside, output())


def _by_kubernetes(asked: Asked) -> None:
    """The scheduling cycle of kube-scheduler."""
    from schedcheck.report import as_json
    from schedcheck.report.cycle_explained import show_cycle
    from schedcheck.report.cycle_explanation import cycle_explanation
    from schedcheck.report.cycle_json import cycle_json
    from schedcheck.report.terminal import output
    from schedcheck.spec.profiles import KUBERNETES

    pod, cluster, scenario, beside, form = asked
    snapshot = cluster.snapshot(pod)
    made = cycle_explanation(pod, snapshot, KUBERNETES[scenario.profile])
    if made is None:
        _completed(pod, form)
    elif form == "json":
        output().out(as_json.text(cycle_json(made, scenario.profile, beside.added)), highlight=False)
    else:
        show_cycle(made, snapshot, scenario.profile, beside, output())


def _completed(pod: "Pod", form: str) -> None:
    """That the pod has ended."""
    from schedcheck.report import as_json, explained
    from schedcheck.report.terminal import output

    if form == "json":
        output().out(as_json.text(as_json.completed_json(pod)), highlight=False)
    else:
        explained.show_completed(pod, output())


def _named(text: str, cluster: "Cluster") -> "Pod":
    """The pod of this name. Raises: InputError with the nearest one if there is none."""
    from schedcheck.cluster import InputError
    from schedcheck.cluster.fields import nearest

    namespace, _, name = text.rpartition("/")
    pods = {pod.key: pod for pod in cluster.pods}
    pod = pods.get((namespace or "default", name))
    if pod is None:
        names = {str(each) for each in cluster.pods}
        raise InputError(f"no pod has this name{nearest(text, names)}", path="POD", value=text)
    return pod

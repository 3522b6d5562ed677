"""`schedcheck explain`: why a pod is pending, where it would go, and what would be evicted for it."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from schedcheck.commands.options import FaultNames, Files, Format, ProfileName, cluster_of, scenario_of

if TYPE_CHECKING:
    from schedcheck.cluster import Cluster
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
    from schedcheck.report import as_json, explained, statement
    from schedcheck.report.explanation import explanation
    from schedcheck.report.terminal import output
    from schedcheck.spec.faults import Fault
    from schedcheck.spec.objects import Snapshot
    from schedcheck.spec.profiles import profile as profile_of

    cluster = cluster_of(files)
    scenario = scenario_of(cluster, profile, fault)
    snapshot = Snapshot.of(cluster.pods, cluster.nodes, cluster.namespaces)
    faults = frozenset(Fault(name) for name in scenario.faults)
    wanted = _named(pod, cluster)
    made = explanation(wanted, snapshot, profile_of(scenario.profile, faults, scenario.rated_resource))
    if format == "json":
        names = sorted(scenario.faults)
        answer = as_json.explanation_json(made, scenario.profile, names) if made else as_json.completed_json(wanted)
        output().out(as_json.text(answer), highlight=False)
    elif made is None:
        explained.show_completed(wanted, output())
    else:
        explained.show(made, snapshot, statement.faults(scenario), faults, output())
    return 0


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

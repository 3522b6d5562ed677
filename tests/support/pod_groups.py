"""PodGroups for tests: `one_of`, `group`, `scenario_of`; `GROUPED` are the plugins of 1.37 with the feature gate, `IN_1_36` those of 1.36."""

from schedcheck.manifests.feature_gates import BY_PERMIT, IN_ONE_CYCLE, with_gangs
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Pod
from schedcheck.spec.workload_objects import PodGroup
from tests.support.building import pod
from tests.support.gangs import rooms

UNGROUPED = DEFAULT_PLUGINS.departing(VERSIONS["1.37"].departures)
GROUPED = with_gangs(UNGROUPED, IN_ONE_CYCLE)
IN_1_36 = with_gangs(DEFAULT_PLUGINS.departing(VERSIONS["1.36"].departures), BY_PERMIT)


def one_of(name: str, number: int, on: str = "", cpu: float = 1, **fields: object) -> Pod:
    """A pod of this PodGroup that asks one cpu."""
    return pod(f"{name}-{number}", cpu, on, scheduling_group=name, **fields)


def group(name: str, least: int | None = 2, **fields: object) -> PodGroup:
    """A PodGroup that is a gang of at least this many pods; None for the policy basic."""
    return PodGroup(name, min_count=least, **fields)  # type: ignore[arg-type]


def scenario_of(pods: int, nodes: int, *groups: str, gate: bool = True, **fields: object) -> Scenario:
    """Gangs of `pods` pods each, all of which are needed, on nodes of one cpu each; all are there at first."""
    return Scenario(
        name="groups",
        pods=tuple(
            sorted((one_of(each, number) for each in groups for number in range(1, pods + 1)), key=lambda p: p.key)
        ),
        nodes=rooms(nodes),
        profile="kubernetes-1.37",
        plugins=(GROUPED if gate else UNGROUPED,),
        pod_groups=tuple(group(each, pods) for each in sorted(groups)),
        **fields,  # type: ignore[arg-type]
    )

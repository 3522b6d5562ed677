r"""Properties of behaviours in TLA+, with fairness to each instance of an action: `temporal`, `refusal`.

A module of tla/ whose name begins with Fair defines the instances of a system's steps. The environment is at rest if
every step is one of these. That a step of TLA+ has no name changes no verdict (docs/decisions/fairness.md).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.model.controllers import ACTIONS
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.properties.kinds import Ceases, Eventually, Fairness, InfinitelyOften, LeadsTo, Temporal
from schedcheck.tla_export.devices import named_devices
from schedcheck.tla_export.launching import changes_of_nodes, open_label
from schedcheck.tla_export.scaling_instances import of_readings, of_replicas

RESTS, WEAKLY, STRONGLY = "MC_Rests", "MC_WeaklyFair", "MC_StronglyFair"

ASSUMED: Mapping[str, tuple[str, str]] = frozendict(
    {
        RESTS: (
            "The environment rests: from some time on each step is one of the instances.",
            "<>[][\\E Instance \\in {0}Instances : {0}Taken(Instance)]_{0}Variables",
        ),
        WEAKLY: (
            "Each instance that stays enabled is taken.",
            "\\A Instance \\in {1} : WF_{0}Variables({0}Taken(Instance))",
        ),
        STRONGLY: (
            "Each instance that is enabled infinitely often is taken.",
            "\\A Instance \\in {1} : SF_{0}Variables({0}Taken(Instance))",
        ),
    }
)
"""What properties of behaviours assume, by its name in the module of a scenario, for the prefix of a system and its fair instances."""

OF_PODS, OF_NODES, OF_BUDGETS = (
    {"owners": 2, "lifecycle": 1, "kubelet": 2, "podgc": 1},
    {"lifecycle": 1},
    {"disruption": 1},
)
"""The number of actions of each controller that concern one pod, one node and one budget."""


def _turns(scenario: Scenario, nodes: int) -> int:
    """Return the number of bindings, and of evictions of each set of pods of lower priority."""
    return nodes * sum(1 + (1 << number) for number in _lower(scenario))


def _lower(scenario: Scenario) -> list[int]:
    """Return the number of pods of lower priority, by pod."""
    return [sum(other.priority < pod.priority for other in scenario.pods) for pod in scenario.pods]


def _turns_of_gangs(scenario: Scenario, nodes: int) -> int:
    """Return the number of waits on permit, and of bindings with each set of other pods of the gang."""
    fellows = (
        sum((other.namespace, other.workload) == (pod.namespace, pod.workload) for other in scenario.pods) - 1
        if pod.workload is not None
        else 0
        for pod in scenario.pods
    )
    return nodes * sum(1 + (1 << number) for number in fellows)


def _turns_of_groups(scenario: Scenario, nodes: int) -> int:
    """Return the number of cycles: how the group of a pod waits, or is bound or nominated with each set of victims."""
    found = 0
    priorities = [_unit_priority(pod, scenario) for pod in scenario.pods]
    for pod, lower, priority in zip(scenario.pods, _lower(scenario), priorities, strict=True):
        if not pod.scheduling_group:
            found += 1 + nodes * (1 + (1 << lower))
            continue
        fellows = sum(_group_of(other) == _group_of(pod) for other in scenario.pods) - 1
        below = sum(other < priority for other in priorities)
        found += (1 << fellows) + nodes * (nodes + 1) ** fellows * (1 + ((1 << below) if below else 0))
    return found


def _turns_of_devices(scenario: Scenario, nodes: int) -> int:
    """Return the number of decisions, of which a binding has one for each set of claims with devices for each."""
    allocated = (named_devices(pod, scenario.devices) for pod in scenario.pods)
    return _turns(scenario, nodes) + nodes * sum(number - 1 for number in allocated)


def _turns_of_scalers(scenario: Scenario, nodes: int) -> int:
    """Return the number of decisions and of what is done with the replicas of workloads, whatever is read."""
    return _turns(scenario, nodes) + of_replicas(scenario)


def _group_of(pod: Pod) -> tuple[str, str]:
    return pod.namespace, pod.scheduling_group


def _unit_priority(pod: Pod, scenario: Scenario) -> int:
    """Return the priority that counts for a pod: that of its PodGroup, if there is one."""
    groups = (each for each in scenario.pod_groups if (each.namespace, each.name) == _group_of(pod))
    return next((each.priority for each in groups), pod.priority)


@dataclass(frozen=True)
class Fair:
    """The module with the instances of a system, and the actions that it has beside those of controllers.

    - `prefix`: the names of its operators begin with it
    - `evicting`: with an instance for each pod, node and set of pods of lower priority; `Bind` has one for each pod and node
    - `of_pods`, `of_nodes`, `of_sets`: with an instance for each pod, each node, and each set of nodes
    - `of_plans`: with one for each plugin of the descheduler and set of pods
    - `changing`: with those for sets of nodes that Karpenter may launch or disrupt
    - `of_scales`: with one for each Deployment and the replicas that it may ask for
    - `by_turns`: with instances that `turns` counts with those of decisions, given the number of nodes
    - `unfair`: those that depend on what autoscalers of pods read; nothing says that it is ever read
    """

    module: str
    prefix: str
    evicting: str
    of_pods: tuple[str, ...] = ()
    of_nodes: tuple[str, ...] = ()
    of_sets: tuple[str, ...] = ()
    of_plans: tuple[str, ...] = ()
    changing: tuple[str, ...] = ()
    of_scales: tuple[str, ...] = ()
    by_turns: tuple[str, ...] = ()
    unfair: tuple[str, ...] = ()
    turns: Callable[[Scenario, int], int] = _turns

    @property
    def actions(self) -> frozenset[str]:
        """Return the names of the actions."""
        several = (*self.of_sets, *self.of_plans, *self.changing, *self.of_scales, *self.by_turns, *self.unfair)
        return frozenset({"Bind", self.evicting, *self.of_pods, *self.of_nodes, *several})

    @property
    def fair(self) -> str:
        """Return the operator of the instances that may be fair."""
        return f"{'Fair' if self.unfair else ''}{self.prefix}Instances"


NOMINATING = ("Wait", "EvictVictim", "Terminate")

FAIR: Mapping[str, Fair] = frozendict(
    {
        "Cluster": Fair("FairCluster", "Fair", "Preempt"),
        "KubeGangCluster": Fair(
            "FairGangCluster", "Gang", "WaitOnPermit", ("Wait", "TimeOut", "Terminate"), turns=_turns_of_gangs
        ),
        "KubePodGroupCluster": Fair(
            "FairPodGroupCluster", "PodGroup", "Nominate", ("EvictVictim", "Terminate"), turns=_turns_of_groups
        ),
        "KubeCluster": Fair("FairKubeCluster", "Kube", "Nominate", NOMINATING),
        "KubeDeviceCluster": Fair("FairDeviceCluster", "Device", "Nominate", NOMINATING, turns=_turns_of_devices),
        "ClassicCluster": Fair("FairClassicCluster", "Classic", "Nominate", NOMINATING),
        "KubeShutdownCluster": Fair(
            "FairShutdownCluster",
            "Shutdown",
            "Nominate",
            (*NOMINATING, "Kill", "Reject"),
            ("ReportShutdown", "Expire", "PowerOff"),
        ),
        "KubeJobCluster": Fair("FairJobCluster", "Job", "Nominate", (*NOMINATING, "Remove")),
        "KubeRolloutCluster": Fair(
            "FairRolloutCluster",
            "Rollout",
            "Nominate",
            (*NOMINATING, "Remove", "BecomeAvailable"),
            of_scales=("Scale",),
        ),
        "KubeScaledCluster": Fair(
            "FairScaledCluster",
            "Scaled",
            "Nominate",
            NOMINATING,
            by_turns=("Create", "Remove", "Settle", "BringWithin", "Scale"),
            unfair=("Autoscale", "Recommend"),
            turns=_turns_of_scalers,
        ),
        "KubePooledCluster": Fair(
            "FairPooledCluster",
            "Pooled",
            "Nominate",
            (*NOMINATING, "EvictForScaleDown"),
            ("RemoveNode", "GiveUp"),
            ("AddNode", "ScaleDown"),
        ),
        "KubeDescheduledCluster": Fair(
            "FairDescheduledCluster",
            "Descheduled",
            "Nominate",
            (*NOMINATING, "EvictDescheduled", "PassOver"),
            of_plans=("Deschedule",),
        ),
        "KubeProvisionedCluster": Fair(
            "FairProvisionedCluster",
            "Provisioned",
            "Nominate",
            (*NOMINATING, "EvictForDisruption"),
            ("Initialize", "TerminateNode"),
            changing=("Provision", "RemoveEmpty", "Consolidate", "ReplaceNodes"),
        ),
    }
)
"""The instances of each system, by the name of its module."""

MOST, MOST_STRONG = 1000, 16
"""The most instances, and those to which TLC can be strongly fair: it tries each set of them."""


@dataclass(frozen=True)
class InTime:
    """A property of behaviours as a formula, and the names of what it assumes."""

    formula: str
    assumes: tuple[str, ...]


def refusal(asked: Temporal, scenario: Scenario, system: str) -> str:
    """Return why the property is not exported with a system, or an empty text."""
    if open_label(scenario):
        return open_label(scenario)
    number = instances(scenario, FAIR[system])
    if number > MOST:
        return f"{number} instances of actions are more than {MOST}"
    fairly = number - of_readings(scenario)
    if asked.fairness.strong and fairly > MOST_STRONG:
        return f"TLC tries each set of the {fairly} instances that are strongly fair, at most {MOST_STRONG}"
    return ""


def instances(scenario: Scenario, fair: Fair) -> int:
    """Return the number of instances of actions of the scenario."""
    running = scenario.controllers

    def of(table: Mapping[str, int]) -> int:
        return sum(number for name, number in table.items() if name in running)

    nodes = len(_slots(scenario))
    single = len(fair.of_pods) - ("Terminate" in fair.of_pods and "kubelet" in running)
    of_nodes = of(OF_NODES) + len(fair.of_nodes)
    return (
        (of(OF_PODS) + single) * len(scenario.pods)
        + of_nodes * nodes
        + of(OF_BUDGETS) * len(scenario.budgets)
        + fair.turns(scenario, nodes)
        + len(fair.of_sets) * (1 << nodes)
        + len(fair.of_plans) * _plans(scenario)
        + len(fair.of_scales) * _scales(scenario)
        + (changes_of_nodes(scenario) if fair.changing else 0)
        + of_readings(scenario)
    )


def _slots(scenario: Scenario) -> tuple[Node, ...]:
    """Return the nodes of the scenario, with those that an autoscaler may add."""
    adding = scenario.node_pools or scenario.karpenter
    return scenario.nodes if adding is None else adding.slots(scenario.nodes)


def _plans(scenario: Scenario) -> int:
    """Return the number of pairs of a plugin of the descheduler and a set of pods."""
    runs = () if scenario.descheduler is None else scenario.descheduler.runs
    return len({run.plugin for run in runs}) << len(scenario.pods)


def _scales(scenario: Scenario) -> int:
    """Return the number of pairs of replicas that Deployments may ask of their ReplicaSets."""
    deployments = (each for each in scenario.rollouts if each.kind == "Deployment")
    return sum((max(each.replicas, (each.before or each).replicas) + 1) ** 2 for each in deployments)


def temporal(asked: Temporal, holds: str, when: str, fair: Fair) -> InTime | None:
    """Return the property as a formula; None if it has none. `holds` and `when` are its predicates in TLA+.

    The premise of a LeadsTo is the negation of what it leads to, so that it says that this holds infinitely often.
    """
    match asked:
        case LeadsTo():
            claim = f"[]<>{holds}"
        case InfinitelyOften():
            claim = f"([]<>{when} => []<>{holds})"
        case Eventually():
            claim = f"<>{holds}"
        case Ceases():
            claim = f"<>[][{_none_of(asked, fair)}]_{fair.prefix}Variables"
        case _:
            return None
    assumes = (*_fairness(asked.fairness), *((RESTS,) if asked.meanwhile else ()))
    return InTime(" => ".join(filter(None, (" /\\ ".join(assumes), claim))), assumes)


def assumption(name: str, fair: Fair) -> str:
    """Return the definition of an assumption in the module of a scenario."""
    says, formula = ASSUMED[name]
    return f"(* {says} *)\n{name} == {formula.format(fair.prefix, fair.fair)}"


def _fairness(fairness: Fairness) -> tuple[str, ...]:
    return (*((WEAKLY,) if fairness.weak else ()), *((STRONGLY,) if fairness.strong else ()))


def _none_of(asked: Ceases, fair: Fair) -> str:
    """Return the action that is no instance of the kinds, if the environment rests."""
    known = {*fair.actions, *(kind.__name__ for kinds in ACTIONS.values() for kind in kinds)}
    ending = {kind.__name__ for kind in asked.kinds if kind not in asked.meanwhile} & known
    if ending >= known:
        return "FALSE"
    among = ", ".join(f'"{name}"' for name in sorted(ending))
    some = f"{{Each \\in {fair.prefix}Instances : Each[1] \\in {{{among}}}}}"
    return f"~\\E Instance \\in {some} : {fair.prefix}Taken(Instance)"

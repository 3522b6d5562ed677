"""Events around the scheduler: pods arrive, complete and are deleted; nodes fail, return and change.

An event changes one object and depends on that object alone. The exception is completion: the pod's node must exist.
tla/Environment.tla has an action for each class.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from schedcheck.model.scenario import CRASH, RESTART, SHUTDOWN, Rule, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod, Taint


@dataclass(frozen=True)
class PodEvent:
    """An event that happens to the pod of this name."""

    pod: str

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.pod})"


class Arrive(PodEvent):
    """The creation of an absent pod, unbound unless its template names a node."""


class Complete(PodEvent):
    """The completion of a bound pod by itself."""


class Delete(PodEvent):
    """The deletion of a pod."""


class Restart(PodEvent):
    """A restart of a container of a running pod, as far as a descheduler counts it."""


class Crash(PodEvent):
    """The failure of a bound pod by itself: its containers end with an error, and restartPolicy is Never."""


class Evict(PodEvent):
    """An eviction through the API, as by kubectl drain. The API refuses if a budget allows no disruption."""


@dataclass(frozen=True)
class NodeEvent:
    """An event that happens to the node of this name."""

    node: str

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.node})"


class Fail(NodeEvent):
    """The deletion of a node's object; the pods bound to it keep its name."""


class Return(NodeEvent):
    """The return of a failed node, in the form that the scenario gives it."""


class Cordon(NodeEvent):
    """A node becomes unschedulable."""


class Uncordon(NodeEvent):
    """A node becomes schedulable."""


@dataclass(frozen=True)
class TaintEvent(NodeEvent):
    """A change of one taint of a node."""

    taint: Taint

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.node}, {self.taint})"


class AddTaint(TaintEvent):
    """A taint is added to a node that lacks it."""


class RemoveTaint(TaintEvent):
    """A taint is removed from a node that has it."""


@dataclass(frozen=True)
class Label(NodeEvent):
    """A label of a node gets another value, or is removed (`value` is None)."""

    key: str
    value: str | None

    def __str__(self) -> str:
        return f"Label({self.node}, {self.key}={self.value})" if self.value is not None else (
            f"Label({self.node}, {self.key}-)"
        )  # fmt: skip


class Unready(NodeEvent):
    """A node reports that it is not ready."""


class Unreachable(NodeEvent):
    """A node stops reporting: its condition Ready becomes Unknown."""


class Ready(NodeEvent):
    """A node reports that it is ready again."""


class ShutDown(NodeEvent):
    """The machine of a node begins to shut down, and its kubelet ends the pods (`model.controllers.node_shutdown`)."""


Event = PodEvent | NodeEvent

CONDITIONS: dict[str, tuple[type[NodeEvent], str]] = {
    "unready": (Unready, "False"),
    "unreachable": (Unreachable, "Unknown"),
    "ready": (Ready, "True"),
}
"""The status of the condition Ready after each event."""

EVENTS: dict[str, type[Event]] = {
    "arrive": Arrive,
    "complete": Complete,
    "delete": Delete,
    "evict": Evict,
    RESTART: Restart,
    CRASH: Crash,
    "fail": Fail,
    "return": Return,
    "cordon": Cordon,
    "uncordon": Uncordon,
    "taint": AddTaint,
    "untaint": RemoveTaint,
    "label": Label,
    "unready": Unready,
    "unreachable": Unreachable,
    "ready": Ready,
    SHUTDOWN: ShutDown,
}
"""The event that each rule of a scenario names."""


def newly_arrived(pod: Pod) -> Pod:
    """Return the pod as it is created: pending, and unbound unless its template names a node.

    TLA+: NewlyArrived(Pod) ==
            [Pod EXCEPT
              !.Spec.NodeName = Pod.Spec.TemplateNodeName,
              !.Status.Phase = "Pending",
              !.Terminating = FALSE]

    TLA+: KubeNewlyArrived(Pod) ==
            [NewlyArrived(Pod) EXCEPT
              !.Status.NominatedNodeName = "",
              !.Status.StartTime = Now,
              !.Status.Preempted = FALSE]

    TLA+: GangNewlyArrived(Pod) == [KubeNewlyArrived(Pod) EXCEPT !.Status.WaitsOn = ""]
    """
    return replace(
        pod,
        node_name=pod.template_node_name,
        phase="Pending",
        terminating=False,
        nominated_node_name="",
        start_time=None,
        preempted=False,
        waits_on="",
        restarts=(0, 0),
    )


def unplaced(pod: Pod) -> Pod:
    """Return the pod as a pending, unbound pod, whatever node its template names."""
    return replace(newly_arrived(pod), node_name="")


def pod_events(rule: Rule, origin: Pod, pod: Pod | None, scenario: Scenario) -> Iterator[tuple[Event, Pod | None]]:
    """Yield what `rule` may do to `pod`, which is None while it is absent; `origin` is the scenario's pod.

    The event `evict` is in `model.controllers`, because it depends on the budgets.

    TLA+: Arrive(Rule, Origin), Complete(Rule, Pod), Delete(Rule, Pod)
    """
    if origin.key not in rule.pods:
        return
    if rule.event == "arrive" and pod is None:
        yield Arrive(str(origin)), newly_arrived(origin)
    if rule.event == "complete" and pod is not None and runs(pod, scenario):
        job = "owners" in scenario.controllers and pod.owner[0] == "Job"
        kept = not pod.terminating and (scenario.completed == "kept" or job)
        yield Complete(str(origin)), replace(pod, phase="Succeeded") if kept else None
    if rule.event == "delete" and pod is not None and not pod.terminating:
        yield Delete(str(origin)), deleted(pod, scenario)
    if rule.event == CRASH and pod is not None and runs(pod, scenario) and not pod.terminating:
        yield Crash(str(origin)), replace(pod, phase="Failed")
    if rule.event == RESTART and pod is not None and runs(pod, scenario) and not pod.terminating:
        number, of_init = pod.restarts
        if number < (scenario.descheduler.threshold if scenario.descheduler else 0):
            yield Restart(str(origin)), replace(pod, restarts=(number + 1, of_init))


def runs(pod: Pod, scenario: Scenario) -> bool:
    """Whether `pod` is bound and may complete; if the kubelet is modelled, it must be running and not terminating."""
    kubelet = "kubelet" in scenario.controllers
    ready_to = pod.phase == "Running" and not pod.terminating if kubelet else True
    return pod.node_name != "" and ready_to and not completed(pod)


def deleted(pod: Pod, scenario: Scenario) -> Pod | None:
    """Return what is left of a deleted pod: if the kubelet is modelled, a bound pod stays until its end."""
    lingers = "kubelet" in scenario.controllers and pod.node_name != "" and not completed(pod)
    return replace(pod, terminating=True) if lingers else None


def node_events(rule: Rule, origin: Node, node: Node | None) -> Iterator[tuple[Event, Node | None]]:
    """Yield what `rule` may do to `node`, which is None while it has failed; `origin` is the scenario's node.

    TLA+: Fail(Rule, Node), Return(Rule, Origin), Cordon(Rule, Node), Uncordon(Rule, Node), AddTaint(Rule, Node),
          RemoveTaint(Rule, Node), Label(Rule, Node)
    """
    name = origin.name
    if name not in rule.nodes:
        return
    if node is None:
        if rule.event == "return":
            yield Return(name), in_order(origin)
        return
    if rule.event in CONDITIONS:
        event, ready = CONDITIONS[rule.event]
        if node.ready != ready:
            yield event(name), replace(node, ready=ready)
        return
    match rule.event:
        case "fail":
            yield Fail(name), None
        case "cordon" if not node.unschedulable:
            yield Cordon(name), replace(node, unschedulable=True)
        case "uncordon" if node.unschedulable:
            yield Uncordon(name), replace(node, unschedulable=False)
        case "taint" if rule.taint is not None and rule.taint not in node.taints:
            yield AddTaint(name, rule.taint), in_order(replace(node, taints=(*node.taints, rule.taint)))
        case "untaint" if rule.taint is not None and rule.taint in node.taints:
            taints = tuple(taint for taint in node.taints if taint != rule.taint)
            yield RemoveTaint(name, rule.taint), replace(node, taints=taints)
        case "label":
            for value in rule.label_values:
                if node.labels.get(rule.label_key) != value:
                    yield Label(name, rule.label_key, value), relabelled(node, rule.label_key, value)


def relabelled(node: Node, key: str, value: str | None) -> Node:
    """Return `node` with this value of the label, or without the label if `value` is None."""
    labels = node.labels.delete(key) if value is None else node.labels.set(key, value)
    return replace(node, labels=type(labels)(sorted(labels.items())))


def in_order(node: Node) -> Node:
    """Return `node` with sorted taints, so that adding a taint and removing it leads back to the same state."""
    return replace(node, taints=tuple(sorted(node.taints, key=str)))

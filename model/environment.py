r"""What happens around the scheduler: pods arrive, complete and are deleted; nodes fail, return and change.

An event befalls one object and depends on that object alone, save that a pod completes only on a node that is there.
tla/Environment.tla has an action for each class.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod, Taint


@dataclass(frozen=True)
class PodEvent:
    """Something that befalls the pod of this name."""

    pod: str

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.pod})"


class Arrive(PodEvent):
    """A pod that is not there is created, unbound."""


class Complete(PodEvent):
    """A bound pod ends by itself."""


class Delete(PodEvent):
    """A pod that is there is deleted."""


class Evict(PodEvent):
    """Somebody evicts a pod through the API, which refuses where a budget allows no disruption; kubectl drain does."""


@dataclass(frozen=True)
class NodeEvent:
    """Something that befalls the node of this name."""

    node: str

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.node})"


class Fail(NodeEvent):
    """A node's object is gone; the pods bound to it keep its name."""


class Return(NodeEvent):
    """A node that had failed is back, in the form that the scenario gives it."""


class Cordon(NodeEvent):
    """A node is made unschedulable."""


class Uncordon(NodeEvent):
    """A node is made schedulable."""


@dataclass(frozen=True)
class TaintEvent(NodeEvent):
    """Something that befalls a taint of a node."""

    taint: Taint

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.node}, {self.taint})"


class AddTaint(TaintEvent):
    """A taint is put on a node that lacks it."""


class RemoveTaint(TaintEvent):
    """A taint is taken from a node that has it."""


@dataclass(frozen=True)
class Label(NodeEvent):
    """A label of a node gets another value, or is removed (`value` None)."""

    key: str
    value: str | None

    def __str__(self) -> str:
        return f"Label({self.node}, {self.key}={self.value})" if self.value is not None else (
            f"Label({self.node}, {self.key}-)"
        )  # fmt: skip


class Unready(NodeEvent):
    """A node says that it is not ready."""


class Unreachable(NodeEvent):
    """Nothing is heard of a node any more."""


class Ready(NodeEvent):
    """A node says that it is ready again."""


Event = PodEvent | NodeEvent

CONDITIONS: dict[str, tuple[type[NodeEvent], str]] = {
    "unready": (Unready, "False"),
    "unreachable": (Unreachable, "Unknown"),
    "ready": (Ready, "True"),
}
"""What each event makes of a node's condition Ready."""

EVENTS: dict[str, type[Event]] = {
    "arrive": Arrive,
    "complete": Complete,
    "delete": Delete,
    "evict": Evict,
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
}
"""The event that each rule of a scenario names."""


def newly_arrived(pod: Pod) -> Pod:
    r"""The pod as it is created: pending, and unbound unless its template names a node.

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
    """
    return replace(
        pod,
        node_name=pod.template_node_name,
        phase="Pending",
        terminating=False,
        nominated_node_name="",
        start_time=None,
        preempted=False,
    )


def unplaced(pod: Pod) -> Pod:
    """The pod as one that waits for a node, whatever its template names."""
    return replace(newly_arrived(pod), node_name="")


def pod_events(rule: Rule, origin: Pod, pod: Pod | None, scenario: Scenario) -> Iterator[tuple[Event, Pod | None]]:
    r"""What `rule` may do to the pod that is now `pod`, None while it is not there; `origin` is the scenario's.

    Save `evict`, which looks at the budgets (`model.controllers`).

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


def runs(pod: Pod, scenario: Scenario) -> bool:
    """Whether `pod` is bound and may end: where the kubelet is modelled it must be started, and not be its to end."""
    kubelet = "kubelet" in scenario.controllers
    ready_to = pod.phase == "Running" and not pod.terminating if kubelet else True
    return pod.node_name != "" and ready_to and not completed(pod)


def deleted(pod: Pod, scenario: Scenario) -> Pod | None:
    """What is left of a pod that is deleted: where the kubelet is modelled a bound one lingers until that has ended it."""
    lingers = "kubelet" in scenario.controllers and pod.node_name != "" and not completed(pod)
    return replace(pod, terminating=True) if lingers else None


def node_events(rule: Rule, origin: Node, node: Node | None) -> Iterator[tuple[Event, Node | None]]:
    r"""What `rule` may do to the node that is now `node`, None while it has failed; `origin` is the scenario's.

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
    """`node` with this value of the label, or without the label where `value` is None."""
    labels = node.labels.delete(key) if value is None else node.labels.set(key, value)
    return replace(node, labels=type(labels)(sorted(labels.items())))


def in_order(node: Node) -> Node:
    """`node` with its taints in one order, so that putting one on and taking it off leads back to the same state."""
    return replace(node, taints=tuple(sorted(node.taints, key=str)))

"""Decisions with extenders that read the whole pods and nodes that they are sent: `reading_extender`

The pods of a case have something of everything that a manifest can say: overhead, init containers, owners, tolerations, ports and more. What is sent is read
by the reader of manifests, and must be the pod, the victims and the nodes of the cluster.

Kubernetes 1.37: ExtenderArgs and ExtenderPreemptionArgs in k8s.io/kube-scheduler/extender/v1/types.go have whole objects.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.nodes import node as read_node
from schedcheck.manifests.pods import pod as read_pod
from schedcheck.model.production.extenders.http import HttpExtender
from schedcheck.spec.objects import HostPort, Node, NodeImage, Pod, Snapshot, SpreadConstraint, Taint, Toleration
from schedcheck.spec.terms import Requirement
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import small
from tests.checker.differential.search.aftermath import agree
from tests.checker.differential.search.singles import extender
from tests.checker.extenders.test_as_values import listed
from tests.support.building import apart, container, near, node_term, preferring, selector, term
from tests.support.extending import Ruled, over_http

UNIT = 10**9
Change = Callable[[Chance, Pod], Pod]
CHANGES: tuple[Change, ...] = (
    lambda chance, one: replace(one, overhead=frozendict(cpu=chance.one(1, 2) * UNIT // 4, memory=UNIT)),
    lambda chance, one: replace(one, init_containers=(container(1, sidecar=chance.often(0.5)),)),
    lambda chance, one: replace(one, pod_requests=frozendict(cpu=UNIT)),
    lambda chance, one: replace(one, labels=one.labels | {"tier": chance.one("a", "")}),
    lambda chance, one: replace(one, owner=("ReplicaSet.apps", "web"), owner_uid="uid-web"),
    lambda chance, one: replace(one, tolerations=(*one.tolerations, _toleration(chance))),
    lambda chance, one: replace(one, node_selector=one.node_selector | {"disk": "ssd"}),
    lambda chance, one: replace(one, affinity=apart(term("zone", selector(app="x")))),
    lambda chance, one: replace(one, affinity=near(term("zone", selector(app="x"), namespaces=("other",)))),
    lambda chance, one: replace(one, affinity=preferring(chance.one(1, 50), term("zone", selector(app="x")))),
    lambda chance, one: replace(one, affinity=preferring(7, node_term(Requirement("disk", "In", ("ssd",))))),
    lambda chance, one: replace(one, spread=(SpreadConstraint(2, "zone", chance.often(0.5), selector(app="x")),)),
    lambda chance, one: replace(one, containers=tuple(_open(each, chance) for each in one.containers)),
    lambda chance, one: replace(one, preemption_policy="Never" if not one.node_name else one.preemption_policy),
    lambda chance, one: replace(one, host_network=True),
)
"""What is changed of a pod: each writes another field."""
READ = (
    "name", "namespace", "labels", "node_name", "phase", "priority", "preemption_policy", "scheduler_name", "node_selector",
    "affinity", "tolerations", "init_containers", "containers", "overhead", "pod_requests", "owner", "owner_uid", "terminating",
    "spread", "host_network", "scheduling_gates", "nominated_node_name", "preempted",
)  # fmt: skip
"""The fields of a pod that are compared. Volumes, claims, groups and the resources of its status are sent only as they were read."""
OF_NODES = ("name", "labels", "allocatable", "taints", "unschedulable", "images")


def _toleration(chance: Chance) -> Toleration:
    if chance.often(0.5):
        return Toleration(operator="Exists")
    return Toleration(chance.one("k", ""), "Exists", effect="NoExecute", seconds=chance.one(None, 0, 300))


def _open(one: Any, chance: Chance) -> Any:
    return replace(one, image="i:1", ports=(HostPort(80, chance.one("TCP", "UDP"), chance.one("", "10.0.0.1")),))


def _field(written: Any) -> Field:
    return Field(Document("message", 1, written), written)


def _differing(kind: str, wanted: Pod | Node, found: Any, fields: tuple[str, ...]) -> Iterator[str]:
    for name in fields:
        ours, theirs = getattr(found, name), getattr(wanted, name)
        if ours != theirs:
            yield f"the {name} of {kind} {wanted} is sent as {ours}, and is {theirs}"


def wrong_in(message: Any, there: Snapshot) -> Iterator[str]:
    """Yield how the objects of a message differ from those of the cluster."""
    pods = {each.key: each for each in there.pods}
    nodes = {each.name: each for each in there.nodes}
    victims = (message.get("NodeNameToVictims") or {}).values()
    sent = [message["Pod"]] if "Pod" in message else []
    for written in (*sent, *(one for each in victims for one in each["Pods"])):
        whole = _field(written)
        found = read_pod(whole["metadata"], whole["spec"], whole["status"])
        yield from _differing("pod", pods[found.key], found, READ)
    for written in (message.get("Nodes") or {}).get("items", ()):
        found_node = read_node(_field(written))
        yield from _differing("node", nodes[found_node.name], found_node, OF_NODES)


def reading(rules: Ruled, there: Snapshot, wrong: list[str], *, by_names: bool) -> HttpExtender:
    """Return the extender over HTTP, which notes what is wrong in what it is sent."""
    made = over_http(rules, there, by_names=by_names)
    send = made._send

    def checked(url: str, message: Any) -> Any:
        wrong.extend(wrong_in(message, there))
        return send(url, message)

    made._send = checked
    return made


def _of_everything(chance: Chance, one: Pod) -> Pod:
    """Return the pod with a few more fields."""
    for change in chance.some(CHANGES, 0, 3):
        one = change(chance, one)
    return one


def _marked(chance: Chance, one: Node) -> Node:
    """Return the node, now and then with one more label, taint or image, or closed."""
    more: dict[str, Any] = chance.choice(
        (
            *({},) * 6,
            {"unschedulable": True},
            {"labels": one.labels | {"disk": "ssd"}},
            {"taints": (*one.taints, Taint("t", chance.one("NoSchedule", "PreferNoSchedule"), chance.one("", "x")))},
            {"images": (*one.images, NodeImage(("i:1",), 2**20))},
        )
    )
    return replace(one, **more)


def reading_extender(start: str) -> None:
    """Judge a small cluster with an extender that reads what it is sent."""
    chance = Chance(f"reading {start}")
    names = ("preemption", *chance.some(("budgets", "nominations", "taints", "images", "resources"), 0, 1))
    pod, there, plugins = small.question(chance, tuple(NAMED[each] for each in names))
    pod = _of_everything(chance, pod)
    pods = tuple(_of_everything(chance, each) for each in there.pods)
    there = replace(there, pods=pods, nodes=tuple(_marked(chance, each) for each in there.nodes))
    rules = replace(extender(chance, there), down=False, manages=())
    wrong: list[str] = []
    over = reading(rules, listed(pod, there), wrong, by_names=chance.often(0.3))
    agree((pod, there, plugins), [rules], [over])
    assert not wrong, "; ".join(wrong)

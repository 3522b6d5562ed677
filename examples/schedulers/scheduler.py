"""A scheduler: a line with a cluster and a pod comes in, a line with a decision goes out. README.md says what it promises.

usage: scheduler.py [no-execute | defaults | tie | budget | stale]; the argument plants a mistake
"""

import json
import sys
from decimal import ROUND_CEILING, Decimal

MISTAKE = sys.argv[1] if len(sys.argv) > 1 else ""
EFFECTS = ("NoSchedule",) if MISTAKE == "no-execute" else ("NoSchedule", "NoExecute")
DEFAULTS = {} if MISTAKE == "defaults" else {"cpu": "100m", "memory": "200Mi"}
CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
UNITS = {"": Decimal(1), "n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3")}
UNITS |= {letter: Decimal(1000) ** power for power, letter in enumerate("kMGTPE", 1)}
UNITS |= {letter + "i": Decimal(1024) ** power for power, letter in enumerate("KMGTPE", 1)}


def total(lists):
    """Return the sum of maps of quantities: of cpu in thousandths, rounded up once."""
    found = {}
    for name, text in ((name, str(text)) for each in lists for name, text in each.items()):
        number = text.rstrip("numkMGTPEKi")
        exact = Decimal(number) * UNITS[text[len(number) :]] * (1000 if name == "cpu" else 1)
        found[name] = found.get(name, 0) + exact
    return {name: int(exact.to_integral_value(ROUND_CEILING)) for name, exact in found.items()}


def tolerates(tolerations, taint):
    return any(
        each.get("effect", "") in ("", taint["effect"])
        and each.get("key", "") in ("", taint["key"])
        and (each.get("operator") == "Exists" or each.get("value", "") == taint.get("value", ""))
        for each in tolerations
    )


def covers(budget, pod):
    selector, out = budget["spec"].get("selector", {}), budget["status"].get("disruptedPods", {})
    for each in selector.get("matchExpressions", []):
        has = pod.labels.get(each["key"]) in each["values"] if "values" in each else each["key"] in pod.labels
        if has != (each["operator"] in ("In", "Exists")):
            return False
    equal = selector != {} and pod.labels != {} and selector.get("matchLabels", {}).items() <= pod.labels.items()
    return equal and budget["metadata"]["namespace"] == pod.namespace and pod.name not in out


class Pod:
    def __init__(self, manifest):
        meta, self.spec, status = manifest["metadata"], manifest["spec"], manifest.get("status", {})
        self.namespace, self.labels = meta.get("namespace", "default"), meta.get("labels", {})
        self.name, self.ended = meta["name"], status.get("phase") in ("Succeeded", "Failed")
        self.key = f"{self.namespace}/{self.name}"
        self.node, self.priority = self.spec.get("nodeName", ""), self.spec.get("priority", 0)
        self.nominated, self.start = status.get("nominatedNodeName", ""), status.get("startTime", "9")
        reasons = [each.get("reason") for each in status.get("conditions", [])]
        self.leaving = "deletionTimestamp" in meta and "PreemptionByScheduler" in reasons
        ports = [port for each in self.spec["containers"] for port in each.get("ports", []) if port.get("hostPort")]
        self.ports = {(p.get("hostIP") or "0.0.0.0", p.get("protocol", "TCP"), p["hostPort"]) for p in ports}
        asked = [each.get("resources", {}).get("requests", {}) for each in self.spec["containers"]]
        self.requests, self.counted = total(asked), total(DEFAULTS | each for each in asked)


class Node:
    def __init__(self, manifest, pods):
        self.name, spec = manifest["metadata"]["name"], manifest.get("spec", {})
        taints = [*spec.get("taints", []), *([CORDON] if spec.get("unschedulable") else [])]
        self.taints = [each for each in taints if each["effect"] in EFFECTS]
        self.room, self.pods = total([manifest["status"].get("allocatable", {})]), pods
        self.ports = {port for pod in pods for port in pod.ports}

    def add(self, pod):
        self.pods, self.ports = [*self.pods, pod], self.ports | pod.ports

    def remove(self, pod):  # as in kube-scheduler, its ports are free then, even if another pod has them
        self.pods, self.ports = [each for each in self.pods if each is not pod], self.ports - pod.ports

    def refuses(self, pod):
        """Return "never" if the pod cannot fit, "now" if it may after evictions, "" if it fits."""
        if not all(tolerates(pod.spec.get("tolerations", []), each) for each in self.taints):
            return "never"
        pairs = ((one, other) for one in pod.ports for other in self.ports if one[1:] == other[1:])
        if any(one == other or "0.0.0.0" in (one[0], other[0]) for one, other in pairs):
            return "now"
        used = {name: sum(each.requests.get(name, 0) for each in self.pods) for name in pod.requests}
        short = [name for name, each in pod.requests.items() if each > max(0, self.room.get(name, 0) - used[name])]
        if any(pod.requests[name] > self.room.get(name, 0) for name in short):
            return "never"
        return "now" if short or len(self.pods) >= self.room.get("pods", 0) else ""

    def score(self, pod):
        rooms = [(name, self.room[name]) for name in ("cpu", "memory") if self.room.get(name)]
        used = {name: sum(each.counted.get(name, 0) for each in (*self.pods, pod)) for name, _ in rooms}
        return sum(max(0, room - used[name]) * 100 // room for name, room in rooms) // max(1, len(rooms))


def decide(pod, nodes, nominated, budgets):
    def refuses(node):  # beside the pods that are nominated to it, or without them
        extra = [each for each in nominated if each.nominated == node.name]
        for each in extra:
            node.add(each)
        why = node.refuses(pod)
        for each in extra:
            node.remove(each)
        return why or node.refuses(pod)

    def candidate(node):  # what speaks for evictions from the node, and the decision
        lower = [each for each in node.pods if each.priority < pod.priority]
        lower.sort(key=lambda each: (-each.priority, "" if MISTAKE == "tie" else each.start))
        for each in lower:
            node.remove(each)
        if not lower or refuses(node):
            return None
        protected, victims = [], []
        for budget in budgets:
            left = max(0, budget["status"]["disruptionsAllowed"])
            protected += [each for each in lower if covers(budget, each)][left:]
        for each in sorted(lower, key=lambda each: each not in protected):
            node.add(each)
            if refuses(node):
                node.remove(each)
                victims.append(each)
        first = max(each.priority for each in victims)
        worth = -sum(each in protected for each in victims), -first, -sum(each.priority + 2**31 for each in victims)
        names = {"kind": "nominate", "node": node.name, "victims": [each.key for each in victims]}
        return (*worth, min(each.start for each in victims if each.priority == first)), names

    why = {node.name: refuses(node) for node in nodes}
    if fit := [node for node in nodes if not why[node.name]]:
        return {"kind": "bind", "node": max(fit, key=lambda node: (node.name == pod.nominated, node.score(pod))).name}
    there = [each for node in nodes if node.name == pod.nominated and why[node.name] == "now" for each in node.pods]
    may = pod.spec.get("preemptionPolicy") != "Never" and not any(
        p.leaving and p.priority < pod.priority for p in there
    )
    found = [each for node in nodes if may and why[node.name] == "now" and (each := candidate(node))]
    return max(found, key=lambda each: each[0])[1] if found else {"kind": "unschedulable"}


seen = {}
for line in sys.stdin:
    question, kinds = json.loads(line), {"Pod": [], "Node": [], "PodDisruptionBudget": []}
    for each in question["cluster"]["items"]:
        kinds.setdefault(each["kind"], []).append(each)
    if MISTAKE == "stale":  # it looks at a node only once
        kinds["Node"] = [seen.setdefault(each["metadata"]["name"], each) for each in kinds["Node"]]
    pod, pods = Pod(question["pod"]), [each for each in map(Pod, kinds["Pod"]) if not each.ended]
    nodes = [Node(node, [each for each in pods if each.node == node["metadata"]["name"]]) for node in kinds["Node"]]
    others = [each for each in pods if not each.node and each.priority >= pod.priority and each.key != pod.key]
    budgets = [] if MISTAKE == "budget" else kinds["PodDisruptionBudget"]
    print(json.dumps({"id": question["id"], **decide(pod, nodes, others, budgets)}), flush=True)

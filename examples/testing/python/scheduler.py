"""A scheduler that binds a pod to the first node whose taints it tolerates and whose host ports are free.

It reads a question per line on standard input, and writes a decision per line on standard output.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

Object = dict[str, Any]
CORDONED = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


def decide(pod: Object, items: list[Object]) -> Object:
    for node in (each for each in items if each["kind"] == "Node"):
        there = [each for each in items if each["kind"] == "Pod" and on(each) == node["metadata"]["name"]]
        if tolerated(pod, node) and not any(
            conflict(one, two) for other in there for one in ports(pod) for two in ports(other)
        ):
            return {"kind": "bind", "node": node["metadata"]["name"]}
    return {"kind": "unschedulable"}


def on(pod: Object) -> str:
    return str(pod["spec"].get("nodeName", ""))


def tolerated(pod: Object, node: Object) -> bool:
    spec = node.get("spec", {})
    taints = [*spec.get("taints", ()), *([CORDONED] if spec.get("unschedulable") else ())]
    hard = (taint for taint in taints if taint["effect"] != "PreferNoSchedule")
    return all(any(tolerates(each, taint) for each in pod["spec"].get("tolerations", ())) for taint in hard)


def tolerates(toleration: Object, taint: Object) -> bool:
    return (
        toleration.get("effect") in (None, taint["effect"])
        and toleration.get("key") in (None, taint["key"])
        and (toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", ""))
    )


def ports(pod: Object) -> Iterator[tuple[int, str, str]]:
    for container in (*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"]):
        for port in container.get("ports", ()):
            if port.get("hostPort"):
                yield port["hostPort"], port.get("protocol", "TCP"), port.get("hostIP", "0.0.0.0")


def conflict(one: tuple[int, str, str], two: tuple[int, str, str]) -> bool:
    return one[:2] == two[:2] and (one[2] == two[2] or "0.0.0.0" in (one[2], two[2]))


if __name__ == "__main__":
    for line in sys.stdin:
        question = json.loads(line)
        decision = decide(question["pod"], question["cluster"]["items"])
        print(json.dumps({"id": question["id"], **decision}), flush=True)

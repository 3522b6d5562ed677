"""Records of runs of the production scheduler on a simulated clock, and mistakes planted in them: `record`, `PLANTED`.

A record has the form that `schedcheck replay` reads (docs/replay.md). Everything follows from the seed.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schedcheck.manifests.manifests import manifest
from schedcheck.model.simulation.simulation import Simulation
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget

Line = dict[str, Any]
HEADER: Line = {"apiVersion": "schedcheck/v1alpha1", "kind": "Trace"}
DIGITS = 6


class Recorder:
    """The lines of one run, which are handed to `write`, until so many decisions are there."""

    def __init__(self, simulation: Simulation, write: Callable[[Line], None]) -> None:
        self._simulation, self._write = simulation, write
        self._held: list[Line] | None = None
        self.decisions = 0
        world, scheduler = simulation.world, simulation.scheduling.scheduler
        world.pod_watchers.insert(0, lambda before, after: self._event("Pod", before, after))
        world.node_watchers.insert(0, lambda before, after: self._event("Node", before, after))
        self._wrap_budgets(simulation)
        once = scheduler.schedule_one

        def schedule_one() -> Any:
            # What the cycle writes to the API server follows its decision.
            self._held = []
            scheduler.concluded = None
            binding = once()
            held, self._held = self._held, None
            made = scheduler.concluded
            if made is not None:
                self._put({"decision": reply(made, binding), "pod": "/".join(made.pod.key)})
                self.decisions += 1
            for line in held:
                self._write(line)
            return binding

        scheduler.schedule_one = schedule_one  # type: ignore[method-assign]

    def _wrap_budgets(self, simulation: Simulation) -> None:
        changed = simulation.budgets._changed
        known = list(simulation.budgets.budgets)

        def told(budgets: tuple[PodDisruptionBudget, ...]) -> None:
            for number, budget in enumerate(budgets):
                if budget != known[number]:
                    known[number] = budget
                    self._put({"event": "update", "object": manifest(budget)})
            changed(budgets)

        simulation.budgets._changed = told

    def _event(self, kind: str, before: Pod | Node | None, after: Pod | Node | None) -> None:
        event = "add" if before is None else "delete" if after is None else "update"
        given = after or before
        assert given is not None
        if event == "delete":
            metadata = {"name": given.name} | ({"namespace": given.namespace} if isinstance(given, Pod) else {})
            self._put({"event": event, "object": {"apiVersion": "v1", "kind": kind, "metadata": metadata}})
        else:
            uid = f"{given.namespace}-{given.name}" if isinstance(given, Pod) else ""
            self._put({"event": event, "object": manifest(given, uid)})

    def _put(self, line: Line) -> None:
        timed = {"time": round(self._simulation.agenda.now, DIGITS)} | line
        if self._held is not None:
            self._held.append(timed)
        else:
            self._write(timed)


def reply(made: Any, binding: Any) -> Line:
    """Return the result of a cycle as a reply."""
    if binding is not None:
        return {"kind": "bind", "node": binding.node}
    if made.nominated and made.victims:
        return {
            "kind": "nominate",
            "node": made.nominated,
            "victims": sorted("/".join(each.key) for each in made.victims),
        }
    lost = made.pod.nominated_node_name != ""
    return {"kind": "unschedulable", "message": made.message} | ({"unnominated": made.nominated == ""} if lost else {})


def record(simulation: Simulation, seed: int, decisions: int) -> Iterator[Line]:
    """Yield the lines of one run from its start on, until there are so many decisions, or the run ends."""
    waiting: list[Line] = [HEADER]
    recorder = Recorder(simulation, waiting.append)
    simulation.seed(seed, 0)
    while True:
        yield from waiting
        waiting.clear()
        if recorder.decisions >= decisions or not simulation.step():
            break
    yield from waiting


def write(lines: Iterable[Line], path: Path) -> None:
    """Write the lines into a file."""
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")


def as_audit(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the same run as the audit log of an API server: each binding where it was called, and not where it was decided."""
    waiting: dict[str, Line] = {}
    for line in lines:
        decision, given = line.get("decision"), line.get("object")
        if decision is not None and decision["kind"] == "bind":
            waiting[line["pod"]] = decision
        elif decision is not None:
            yield _call(line, "patch", "pods", line["pod"], "status", request={"status": _failed(decision)})
        elif given is not None:
            key = "/".join(filter(None, (given["metadata"].get("namespace"), given["metadata"]["name"])))
            bound = waiting.pop(key, None) if given.get("spec", {}).get("nodeName") else None
            if bound is not None:
                yield _call(line, "create", "pods", key, "binding", request={"target": {"name": bound["node"]}})
            verb = {"add": "create", "update": "update", "delete": "delete"}[line["event"]]
            resource = {"Pod": "pods", "Node": "nodes", "PodDisruptionBudget": "poddisruptionbudgets"}[given["kind"]]
            yield _call(line, verb, resource, key, response=given)


def _failed(decision: Line) -> Line:
    """Return the status that a scheduler patches for a pod that it does not bind."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    said = {"conditions": [condition | {"message": decision.get("message", "")}]}
    if decision["kind"] == "nominate":
        return said | {"nominatedNodeName": decision["node"]}
    return said | ({"nominatedNodeName": None} if decision.get("unnominated") else {})


def _call(line: Line, verb: str, resource: str, key: str, sub: str = "", **bodies: Line) -> Line:
    space, _, name = key.rpartition("/")
    group = {"apiGroup": "policy"} if resource == "poddisruptionbudgets" else {}
    about = {"resource": resource, "namespace": space, "name": name, **group} | ({"subresource": sub} if sub else {})
    stamp = datetime.fromtimestamp(line["time"], UTC).isoformat()
    return {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "RequestResponse",
        "stage": "ResponseComplete",
        "verb": verb,
        "objectRef": about,
        "responseStatus": {"code": 200},
        "stageTimestamp": stamp,
        **{f"{name}Object": body for name, body in bodies.items()},
    }

"""How many more pods fit, as JSON: `capacity_json`."""

from collections.abc import Iterable

from schedcheck.checker.capacity.capacity import Capacity
from schedcheck.checker.capacity.following import SEED
from schedcheck.checker.capacity.stopping import event
from schedcheck.report.json.cycle_parts import refusal_json, short_json
from schedcheck.report.json.pieces import FORMAT, Json
from schedcheck.spec.kubernetes.requests import wanted
from schedcheck.spec.quantities import quantity_text
from schedcheck.version import __version__


def capacity_json(found: Capacity, of: str, profile: str, beside: Iterable[tuple[str, str]]) -> Json:
    """Return the answer; `of` is what the pods are like, `beside` what it takes for granted."""
    pod, walked, top = found.asked.pod, found.followed, found.best
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "profile": profile,
        "pod": {"namespace": pod.namespace, "name": pod.name, "of": of, "priority": pod.priority},
        "requests": {name: quantity_text(name, size) for name, size in sorted(wanted(pod).items()) if size},
        "asked": found.asked.most,
        "fits": "unknown" if found.fits is None else found.fits,
        "scheduler": {
            "least": found.least,
            "greatest": found.greatest,
            "by": found.orders,
            "followed": None
            if walked is None
            else {"pods": len(walked.hosts), "ended": walked.ended, "judged": walked.judged, "seed": SEED},
        },
        "best": {
            "reached": top.reached,
            "bound": top.bound,
            "proved": top.proved,
            "by": top.by,
            "stopped": top.stopped or None,
            "hosts": list(top.hosts),
        },
        "gap": None if found.gap is None else list(found.gap),
        "nodes": _nodes(found),
        "stopped": found.stopped or None,
        "message": event(found.asked, found.stops) if found.stops else None,
        "granted": [f"{heading}: {text}" for heading, text in beside],
    }


def _nodes(found: Capacity) -> list[Json]:
    stops = {each.node: each for each in found.stops}
    return [
        {
            "node": node.name,
            "pods": None if found.by_node is None else found.by_node.get(node.name, 0),
            "refusals": [refusal_json(each) for each in stops[node.name].refusals] if node.name in stops else [],
            "short": short_json(stops[node.name].short) if node.name in stops else [],
        }
        for node in found.asked.snapshot.nodes
    ]

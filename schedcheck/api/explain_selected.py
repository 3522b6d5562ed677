"""Why pods that a label selector selects are pending, or where they would be bound: `explain_selected`, `Explanations`."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.claims import note_unclaimed
from schedcheck.api.explain import Explanation, explained, node_json
from schedcheck.api.label_selectors import selected
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.tellings import TELLINGS
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.alike import nameless
from schedcheck.checker.limits.timer import doing, reason
from schedcheck.manifests import Cluster
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.pieces import FORMAT, Json, reference, text
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Decision
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod
from schedcheck.spec.requests import request, requested
from schedcheck.version import __version__


@dataclass(frozen=True)
class ExplainedPods:
    """Pods with the same answer, and the explanation of the first of them."""

    pods: tuple[Pod, ...]
    explanation: Explanation


@dataclass(frozen=True)
class Explanations(Answer):
    """The explanations of the selected pods, those with the same answer together.

    namespace
        The namespace that was looked at; None for all.
    ended
        The selected pods that have ended.
    left, stopped
        How many selected pods were not explained, and which limit ended the answer.
    """

    selector: str
    namespace: str | None
    groups: tuple[ExplainedPods, ...]
    ended: tuple[Pod, ...]
    left: int
    stopped: str
    notes: tuple[str, ...]
    scenario: Scenario = field(repr=False)

    @property
    def exit_code(self) -> Literal[0, 2]:
        """0, or 2 if what may be done with a pod is unknown, or a pod was not explained."""
        return 2 if self.left or any(each.explanation.exit_code for each in self.groups) else 0

    def to_json(self) -> Json:
        """Return what `schedcheck explain -l SELECTOR --format json` prints."""
        return {
            "format": FORMAT,
            "schedcheck": __version__,
            "exitCode": self.exit_code,
            "selector": self.selector,
            "namespace": self.namespace,
            "groups": [
                {"pods": list(map(_pod_json, each.pods)), "explanation": each.explanation.to_json()}
                for each in self.groups
            ],
            "ended": [reference(pod) | {"phase": pod.phase} for pod in self.ended],
            "notExplained": self.left,
            "stopped": self.stopped or None,
            **left_aside_json(self.scenario),
        }


def explain_selected(
    cluster: Cluster,
    selector: str,
    *,
    namespace: str | None = "default",
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Explanations:
    """Explain every pod with these labels as `explain` does, and put pods with the same answer together.

    selector
        A label selector as kubectl takes it (`app=web,tier!=test`, `tier in (a,b)`).
    namespace
        The namespace of the pods; None for all namespaces.

    Raises: InputError, Unanswerable, GaveUp.
    """
    with within(limits or Limits()):
        told, said = noting(observer)
        chosen = as_profile(profile)
        wanted = selected(cluster.pods, selector, namespace)
        pods = [pod for pod in wanted if not completed(pod)]
        note_unclaimed(pods, cluster, told)
        made = prepared(cluster, chosen, told, gangs=True)
        found: list[Explanation] = []
        stopped = ""
        alike: dict[Pod, Explanation] = {}
        try:
            for number, pod in enumerate(pods, 1):
                doing(f"explaining pod {number:,} of {len(pods):,}")
                found.append(_explained(pod, made, alike))
        except KeyboardInterrupt as end:
            stopped = reason(end)
        return Explanations(
            selector=selector,
            namespace=namespace,
            groups=tuple(_grouped(found)),
            ended=tuple(pod for pod in wanted if completed(pod)),
            left=len(pods) - len(found),
            stopped=stopped if len(found) < len(pods) else "",
            notes=tuple(said),
            scenario=made.scenario,
        )


def _explained(pod: Pod, made: Prepared, alike: dict[Pod, Explanation]) -> Explanation:
    """Return the explanation of a pod; pending pods that differ only in their names share one."""
    shape = nameless(pod)
    if pod.node_name or pod.scheduling_group or pod.workload or shape not in alike:
        alike[shape] = explained(pod, made, ())
        return alike[shape]
    found = alike[shape]
    decisions = None if found.decisions is None else tuple(replace(each, pod=pod) for each in found.decisions)
    return replace(found, pod=pod, added=made.whole.added.get(pod.key, ()), decisions=decisions)


def _grouped(found: list[Explanation]) -> Iterator[ExplainedPods]:
    """Yield the pods with the same answer, in the order of the first of each group."""
    groups: dict[str, list[Explanation]] = {}
    for each in found:
        groups.setdefault(_essence(each), []).append(each)
    for group in groups.values():
        # The pod of an explanation is the pending one; that of the input may be bound.
        pods = tuple(replace(each.pod, node_name=each.stood) for each in group)
        yield ExplainedPods(pods, group[0])


def _essence(found: Explanation) -> str:
    """Return all that an explanation says but for the pod's own name, as text."""
    pod = found.pod
    details = TELLINGS[found.prepared.scenario.scheduler].details(found.made)
    return text(
        {
            "bound": bool(found.stood),
            "priority": pod.priority,
            "requests": {name: request(pod, name, NO_FAULTS) for name in requested(pod)},
            "added": list(found.added),
            "unseen": found.unseen,
            "kind": found.kind,
            "best": list(found.best),
            "nodes": [node_json(each) for each in found.nodes.values()],
            "decisions": None if found.decisions is None else [_decision_json(each) for each in found.decisions],
            "event": found.event,
            "group": None if found.group is None else [found.group.name, found.group.verdict],
            **{key: value for key, value in details.items() if key != "possible"},
        }
    )


def _decision_json(decision: Decision) -> Json:
    """Return a decision without the pod that it is about."""
    node: Any = getattr(decision, "node", None)
    victims: Any = getattr(decision, "victims", ())
    return {"kind": type(decision).__name__, "node": str(node), "victims": sorted(map(str, victims))}


def _pod_json(pod: Pod) -> Json:
    return reference(pod) | {"node": pod.node_name or None}

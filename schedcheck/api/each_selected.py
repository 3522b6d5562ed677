"""One question asked of each pod that a label selector selects: `each_selected`, `EachSelected`."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.label_selectors import selected
from schedcheck.api.values import GIGABYTES, SECONDS, Limits
from schedcheck.checker.alike import nameless
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing, reason, resume
from schedcheck.errors import Unanswerable
from schedcheck.manifests import Cluster
from schedcheck.report.json.pieces import FORMAT, Json, reference
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod
from schedcheck.version import __version__


@dataclass(frozen=True)
class AnsweredPods:
    """Pods that differ only in their names, and the answer for the first of them; None if it is `unknown`, and why."""

    pods: tuple[Pod, ...]
    answer: Answer | None
    unknown: str = ""

    @property
    def exit_code(self) -> int:
        """That of the answer, 2 for none."""
        return 2 if self.answer is None else int(getattr(self.answer, "exit_code"))  # noqa: B009


@dataclass(frozen=True)
class EachSelected(Answer):
    """The answers for the selected pods, with one answer for pods that differ only in their names.

    namespace
        The namespace that was looked at; None for all.
    ended
        The selected pods that have ended, of which nothing is asked.
    left, stopped
        How many selected pods were not asked about, and the limit that ended the answer.
    """

    selector: str
    namespace: str | None
    groups: tuple[AnsweredPods, ...]
    ended: tuple[Pod, ...]
    left: int
    stopped: str

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if an answer has 1, else 2 if one has 2 or a pod was not asked about, else 0."""
        codes = {each.exit_code for each in self.groups}
        return 1 if 1 in codes else 2 if 2 in codes or self.left else 0

    def to_json(self) -> Json:
        """Return what a command with `--selector` and `--format json` prints."""
        return {
            "format": FORMAT,
            "schedcheck": __version__,
            "exitCode": self.exit_code,
            "selector": self.selector,
            "namespace": self.namespace,
            "groups": [
                {
                    "pods": [reference(pod) | {"node": pod.node_name or None} for pod in each.pods],
                    "answer": None if each.answer is None else each.answer.to_json(),
                    "unknown": each.unknown or None,
                }
                for each in self.groups
            ],
            "ended": [reference(pod) | {"phase": pod.phase} for pod in self.ended],
            "notAsked": self.left,
            "stopped": self.stopped or None,
        }


def each_selected(
    cluster: Cluster,
    selector: str,
    ask: Callable[[str, Limits], Answer],
    *,
    namespace: str | None = "default",
    limits: Limits | None = None,
) -> EachSelected:
    """Ask one question of every pod with these labels, once of pods that differ only in their names.

    selector
        A label selector as kubectl takes it (`app=web,tier!=test`, `tier in (a,b)`).
    ask
        Returns the answer for a pod, which it gets as NAMESPACE/NAME, within limits that leave the seconds that remain.
    namespace
        The namespace of the pods; None for all namespaces.

    With a Scenario in the input, which may name single pods, each pod is asked about.

    Raises: InputError, GaveUp.
    """
    limits = limits or Limits(SECONDS, GIGABYTES)
    begun = time.monotonic()
    with within(limits):
        wanted = selected(cluster.pods, selector, namespace)
        alike: dict[Pod, list[Pod]] = {}
        for pod in wanted:
            if not completed(pod):
                shape = pod if cluster.scenario is not None else nameless(pod)
                alike.setdefault(shape, []).append(pod)
        found: list[AnsweredPods] = []
        stopped = ""
        try:
            for number, pods in enumerate(alike.values(), 1):
                doing(f"asking about pod {number:,} of {len(alike):,}")
                seconds = None if limits.seconds is None else limits.seconds - (time.monotonic() - begun)
                if seconds is not None and seconds <= 0:
                    stopped = f"{parameter('limits.seconds')} {limits.seconds:g}"
                    break
                resume()
                found.append(_answered(pods, ask, replace(limits, seconds=seconds)))
        except KeyboardInterrupt as end:
            stopped = reason(end)
        asked = sum(len(each.pods) for each in found)
        return EachSelected(
            selector=selector,
            namespace=namespace,
            groups=tuple(found),
            ended=tuple(pod for pod in wanted if completed(pod)),
            left=sum(map(len, alike.values())) - asked,
            stopped=stopped,
        )


def _answered(pods: list[Pod], ask: Callable[[str, Limits], Answer], limits: Limits) -> AnsweredPods:
    """Return the answer for the first of the pods."""
    try:
        return AnsweredPods(tuple(pods), ask("/".join(pods[0].key), limits))
    except Unanswerable as why:
        return AnsweredPods(tuple(pods), None, str(why))

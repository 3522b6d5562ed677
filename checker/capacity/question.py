"""The question how many more pods of one form fit: `Question`, and why it may have no answer, `unanswerable`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from schedcheck.checker.capacity.likes import further, own_claims
from schedcheck.checker.vectors.counting import Counting
from schedcheck.checker.vectors.filtering import PASSED, prepared
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.filter import Verdict
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming, claims_met
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.select_host import Choice
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.unasked_extenders import concerned


@dataclass(frozen=True)
class Question:
    """A form of pods, the snapshot that they come to, which holds none of them, and the scheduler's profile.

    `most` is the number of pods that is asked for; None asks for as many as fit.
    """

    pod: Pod
    snapshot: Snapshot
    plugins: Plugins
    most: int | None = None

    @cached_property
    def judge(self) -> CycleJudge:
        """The specification on the snapshot."""
        return CycleJudge(self.snapshot)

    @cached_property
    def cycle(self) -> Counting:
        """The cycle of the first pod."""
        return self.judge.cycle(self.pod, self.plugins)

    @cached_property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts on every node for the first pod."""
        filtering, _ = self.judge.profile(self.plugins)
        return dict(self.judge.verdicts(filtering.numbers(self.cycle), filtering))

    @cached_property
    def feasible(self) -> bool:
        """Whether some node is feasible for the first pod."""
        filtering, _ = self.judge.profile(self.plugins)
        return bool((filtering.numbers(self.cycle) == PASSED).any())

    def pods(self) -> Iterator[Pod]:
        """Yield the further pods, in order."""
        return further(self.pod, self.snapshot)

    def after(self, hosts: Iterable[str]) -> Snapshot:
        """Return the snapshot after one further pod is bound to each of these nodes, in this order."""
        hosts = tuple(hosts)
        placed = (
            replace(pod, node_name=host) for pod, host in zip(islice(self.pods(), len(hosts)), hosts, strict=True)
        )
        pods = sorted((*self.snapshot.pods, *placed), key=lambda each: each.key)
        return replace(self.snapshot, pods=tuple(pods))

    def choice(self, hosts: Iterable[str]) -> Choice:
        """Return the end of the next pod's cycle after one pod is bound to each of these nodes."""
        return CycleJudge(self.after(hosts)).choice(self.pod, self.plugins)


def unanswerable(asked: Question) -> str:
    """Return why the number of pods is not known; empty if it is. That no pod fits may be known all the same."""
    pod, plugins = asked.pod, asked.plugins
    others = concerned(pod, plugins.unasked)
    if plugins.extenders or others:
        return f"the extender {', '.join(each.url_prefix for each in others) or 'of the configuration'} decides about these pods"
    if not prepared(plugins):
        return (
            "the configuration has filters of which only kube-scheduler's are known, or runs one without its preFilter"
        )
    devices = asked.snapshot.devices
    met = replace(asked, pod=claims_met(pod, devices, plugins.departures))
    if not met.feasible:
        return ""
    if claiming(pod, devices, plugins.departures):
        return UNMODELLED
    if own_claims(pod):
        return f"each of these pods has claims of its own for its volumes ({', '.join(own_claims(pod))})"
    if asked.cycle.claims.waiting:
        return "the claims of these pods are bound to volumes when the first of them is placed, which is not modelled"
    return ""

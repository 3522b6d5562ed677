"""The four verbs of an extender, answered by the specification: `Verbs`.

A node, candidate or binding is refused only if that is certain. What is open passes, and so does everything if the
server only judges.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from schedcheck.checker.limits.timer import LimitReached
from schedcheck.checker.opinions.nodes import Nodes, best, filtered, left_out
from schedcheck.checker.opinions.smallest import smallest
from schedcheck.checker.opinions.victims import Offered, objections, refusal_text
from schedcheck.errors import Unanswerable
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.manifests import manifest
from schedcheck.manifests.snapshots import snapshot_manifests
from schedcheck.report.json.pieces import FORMAT, reference
from schedcheck.serving import wire
from schedcheck.serving.desk import Desk, TooLong
from schedcheck.serving.held import Held, Version
from schedcheck.serving.metrics import OTHER, Metrics
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Code, Refusal

HIGHEST = 10
"""The highest score of an extender (MaxExtenderPriority)."""

MOST_REPORTED = 10_000
"""How many differences are kept in mind, so that each is reported once."""

Json = dict[str, Any]
Open = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Answer:
    """The answer to a verb, and what it left open, with reasons."""

    body: Any
    open: Open = ()


@dataclass
class Verbs:
    """The verbs, by the profiles of a configuration and the cluster that is held.

    judge_only
        Whether everything passes, and is judged after the answer.
    record
        Whether bindings are recorded in the held cluster; else a request to bind is answered by an error.
    report
        Takes each difference, as JSON.
    """

    held: Held
    profiles: tuple[Plugins, ...]
    desk: Desk
    metrics: Metrics
    report: Callable[[Json], None]
    judge_only: bool = False
    record: bool = False
    _reported: dict[tuple[object, ...], None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read nodes as those of the cluster, if they are equal."""
        self._read = wire.Reader(self._same)
        self.held.changed = self._read.forget

    def _same(self, node: Node) -> Node:
        """Return the node of the present cluster if it equals this one, else this one."""
        return self.held.version.known.same(node)

    def filter(self, body: bytes) -> Answer:
        """Return the nodes that no filter certainly refuses. Raises: InputError."""
        args = self._read.args(body)
        self.held.remember(args.pod, args.uid)
        if self.judge_only:
            self._later(partial(self._filtered, args))
            return Answer(wire.filter_result(args, frozenset(args.names), {}, {}))
        found = self._filtered(args)
        failed, hopeless = _by_code(found)
        kept = frozenset(args.names) - found.refused.keys()
        return Answer(wire.filter_result(args, kept, failed, hopeless), found.open)

    def prioritize(self, body: bytes) -> Answer:
        """Return the highest score for the best nodes, 0 for all if they are not known. Raises: InputError."""
        args = self._read.args(body)
        plugins = None if self.judge_only else self._profile(args.pod)
        found = None
        if plugins is not None:
            try:
                found = best(args.pod, args.nodes, args.names, self.held.version.known, _countable(args, plugins))
            except (LimitReached, Unanswerable):
                found = None
        known: Open = () if found is not None else (("score", "not all that scores depend on is known"),)
        return Answer(wire.host_priorities(args.names, found or frozenset(), HIGHEST), known)

    def preempt(self, body: bytes) -> Answer:
        """Return the candidates to which there is no objection. Raises: InputError."""
        pod, uid, offered = wire.preemption_args(body)
        self.held.remember(pod, uid)
        if self.judge_only:
            self._later(lambda: self._objections(pod, offered))
            return Answer(wire.preemption_result(offered, ()))
        wrong, left_open = self._objections(pod, offered)
        return Answer(wire.preemption_result(offered, wrong), left_open)

    def bind(self, body: bytes) -> Answer:
        """Record the binding, or return why not. Raises: InputError."""
        asked = wire.binding_args(body)
        pod = self.held.asked((asked.namespace, asked.name), asked.uid)
        if pod is None:
            found = Nodes(open=(("pod", "the pod is not known"),))
        else:
            found = self._judged(pod, (), (asked.node,), "bind")
        left_open = found.open
        refusal = found.refused.get(asked.node)
        if refusal is not None and not self.judge_only:
            return Answer(wire.binding_result(f"{asked.node} is refused by {refusal_text(refusal)}"), left_open)
        if not self.record:
            return Answer(
                wire.binding_result("no binding was made: this server has no connection to the cluster"), left_open
            )
        if pod is None:
            return Answer(wire.binding_result("no binding was recorded: the pod is not known"), left_open)
        self.held.bind(pod, asked.node)
        return Answer(wire.binding_result(), left_open)

    def _filtered(self, args: wire.Args) -> Nodes:
        found = self._judged(args.pod, args.nodes, args.names, "filter")
        plugins = self._profile(args.pod)
        if self.judge_only and plugins is not None and not found.open:
            version = self.held.version
            names = tuple(sorted(left_out(args.pod, args.nodes, args.names, version.known, plugins)))
            if names:
                said: Json = {
                    "verdict": "left out",
                    "plugin": None,
                    "code": None,
                    "reasons": ["no filter refuses the nodes, and they were not sent"],
                }
                self._tell("filter", args.pod, names, version, said)
        return found

    def _profile(self, pod: Pod) -> Plugins | None:
        """Return the profile of the scheduler that the pod names; None if the configuration has none."""
        return next((each for each in self.profiles if each.scheduler_name == pod.scheduler_name), None)

    def _judged(self, pod: Pod, nodes: tuple[Node, ...], names: tuple[str, ...], verb: str) -> Nodes:
        """Return the opinion on these nodes; all of it is open where it cannot be computed."""
        version, plugins = self.held.version, self._profile(pod)
        if plugins is None:
            found = Nodes(open=(("scheduler", f"no profile has the schedulerName {pod.scheduler_name}"),))
        else:
            try:
                refuse_beyond_int64((pod,), (node for node in nodes if not version.known.has(node)))
                found = filtered(pod, nodes, names, version.known, plugins)
            except LimitReached:
                found = Nodes(open=(("time", "the filters took too long"),))
            except Unanswerable as why:
                found = Nodes(open=(("amounts", str(why)),))
        self._count(verb, len(names), len(found.refused), found)
        for refusal, refused in sorted(_grouped(found).items(), key=lambda each: each[1]):
            said = {
                "verdict": "refused",
                "plugin": refusal.plugin,
                "code": refusal.code.value,
                "reasons": list(refusal.reasons),
            }
            self.metrics.differences.labels(verb, refusal.plugin or OTHER).inc(len(refused))
            if plugins is not None:
                least = partial(self._smallest, pod, nodes, refused[0], refusal.plugin, version, plugins)
                self._tell(verb, pod, refused, version, said, least)
        return found

    def _count(self, verb: str, asked: int, refused: int, found: Nodes) -> None:
        self.metrics.verdicts.labels(verb, "refused").inc(refused)
        self.metrics.verdicts.labels(verb, "unknown" if found.open else "allowed").inc(asked - refused)
        self.metrics.left_open(name for name, _ in found.open)

    def _objections(self, pod: Pod, offered: Mapping[str, wire.Victims]) -> tuple[frozenset[str], Open]:
        """Return the candidates that the specification does not have, and what is open."""
        version, plugins = self.held.version, self._profile(pod)
        if plugins is None:
            return frozenset(), (("scheduler", f"no profile has the schedulerName {pod.scheduler_name}"),)
        given = {
            name: Offered(
                each.pods if each.pods is not None else tuple(map(self.held.victim, each.uids)), each.violations
            )
            for name, each in offered.items()
        }
        try:
            found = objections(pod, given, version.known, plugins)
        except LimitReached:
            return frozenset(), (("time", "the victims took too long"),)
        refused = len(found.objections)
        self.metrics.verdicts.labels("preempt", "refused").inc(refused)
        self.metrics.verdicts.labels("preempt", "unknown" if found.open else "allowed").inc(len(offered) - refused)
        self.metrics.left_open(name for name, _ in found.open)
        for name, why in sorted(found.objections.items()):
            self.metrics.differences.labels("preempt", "DefaultPreemption").inc()
            said: Json = {"verdict": "refused", "plugin": "DefaultPreemption", "code": None, "reasons": [why]}
            self._tell("preempt", pod, (name,), version, said)
        return frozenset(found.objections), found.open

    def _tell(
        self,
        verb: str,
        pod: Pod,
        nodes: tuple[str, ...],
        version: Version,
        said: Json,
        least: Callable[[], Json | None] | None = None,
    ) -> None:
        """Report a difference once, with its least form."""
        key = verb, pod.key, nodes, version.number, str(said)
        if key in self._reported:
            return
        if len(self._reported) >= MOST_REPORTED:
            self._reported.pop(next(iter(self._reported)))
        self._reported[key] = None
        line: Json = {
            "format": FORMAT,
            "verb": verb,
            "pod": reference(pod),
            "nodes": list(nodes),
            **said,
            "effect": "none" if self.judge_only else "vetoed",
            "cluster": version.number,
        }
        bare = {**line, "smallest": None}
        if least is None:
            self.report(bare)
        else:
            self._later(lambda: self.report({**line, "smallest": least()}), lambda: self.report(bare))

    def _smallest(
        self, pod: Pod, nodes: tuple[Node, ...], node: str, plugin: str, version: Version, plugins: Plugins
    ) -> Json | None:
        """Return a least set of objects with which the node is refused; None if it is not found in time."""
        try:
            found = smallest(version.known.seen(pod, nodes, plugins), node, plugin, attempt=self.desk.attempt)
        except TooLong:
            return None
        if found is None:
            return None
        items: Iterable[Any] = (*snapshot_manifests(found.snapshot), manifest(pod, f"{pod.namespace}-{pod.name}"))
        return {"least": found.least, "apiVersion": "v1", "kind": "List", "items": list(items)}

    def _later(self, task: Callable[[], object], instead: Callable[[], None] = lambda: None) -> None:
        """Run a task after the answer, or `instead` of it something cheap if too many tasks wait."""
        if not self.desk.later(lambda: _ignored(task())):
            self.metrics.dropped.inc()
            instead()


def _ignored(made: object) -> None:
    """Ignore what a task returns."""


def _countable(args: wire.Args, plugins: Plugins) -> Plugins:
    """Return the profile. Raises: Unanswerable for amounts that kube-scheduler cannot count."""
    refuse_beyond_int64((args.pod,), args.nodes)
    return plugins


def _grouped(found: Nodes) -> dict[Refusal, tuple[str, ...]]:
    """Return the names of the nodes with each refusal, in order."""
    groups: dict[Refusal, list[str]] = {}
    for name, refusal in sorted(found.refused.items()):
        groups.setdefault(refusal, []).append(name)
    return {refusal: tuple(names) for refusal, names in groups.items()}


def _by_code(found: Nodes) -> tuple[dict[str, str], dict[str, str]]:
    """Return the reasons of the refusals that evictions may resolve, and of those that they cannot."""
    failed = {name: refusal_text(each) for name, each in found.refused.items() if each.code == Code.UNSCHEDULABLE}
    hopeless = {name: refusal_text(each) for name, each in found.refused.items() if each.code != Code.UNSCHEDULABLE}
    return failed, hopeless

"""The part of a cluster that can influence the answer to a question about one object under kube-scheduler: `cut`.

As `manifests.cut`, adapted to kube-scheduler. Every node stays: scores, topology spreading and the number of
preemption candidates may depend on nodes that no pod can be bound to. A pod is dropped if it shares no node, term,
spreading, volume or budget with the pods that are kept. No pod has to wait for a pod of higher priority. Bound pods
that are assumed to stay are not merged, as scores distinguish them.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from schedcheck.checker.vectors.cluster import demanded
from schedcheck.checker.vectors.filtering import prepared
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.manifests.cut import MOST_MOVING, Closure, Key, counted, kept_part, moving_keys, staying_note, still
from schedcheck.model.environment import newly_arrived
from schedcheck.model.profiles import plugins_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.selectors import selects
from schedcheck.spec.storage import ClaimSource, Ephemeral
from schedcheck.spec.terms import Affinity, LabelSelector
from schedcheck.spec.values import NO_LABELS, Labels


def cut(scenario: Scenario, asked: frozenset[Key]) -> Scenario:
    """Return the part of `scenario` that can influence the answer about the pods `asked`; its `cut` describes it."""
    if any(each.rules for each in scenario.plugins):
        return replace(scenario, cut=("nothing was left out, as custom rules may read everything",))
    closure = _KubeClosure(scenario)
    everywhere = {node.name for node in scenario.nodes}
    if asked and all(key in closure.unbound and not closure.hosts[key] for key in asked):
        nowhere = "no node could hold the pod even when empty, so nothing else influences the answer"
        return replace(kept_part(scenario, set(asked), everywhere), cut=(nowhere,))
    pods, _ = closure.of(asked)
    kept = kept_part(scenario, pods, everywhere)
    gone = len(scenario.pods) - len(kept.pods)
    notes = [f"left out, as they cannot influence the answer: {counted(gone, 'pod')}"] if gone else []
    if len(moving_keys(kept)) <= MOST_MOVING:
        return replace(kept, cut=tuple(notes))
    near = frozenset(other for key in asked & set(closure.pods) for other in closure.spoken_of[key])
    fixed, staying = still(kept, asked | near)
    return replace(fixed, cut=(*notes, staying_note(len(staying))))


class _KubeClosure(Closure):
    """The relation of influence between pods and nodes under kube-scheduler."""

    def _first_in_turn(self, pods: set[Key]) -> set[Key]:
        """Return no pod: any pending pod may be scheduled next."""
        return set()

    def _hosts(self, pod: Pod) -> frozenset[str]:
        """Return the nodes that could ever take `pod` if they were empty, and its nominated node."""
        if pod.template_node_name:
            return self._named_by_template(pod)
        bare = _bare(pod)
        if bare not in self.hosts_of:
            self.hosts_of[bare] = self._fitting(bare) | self.changing
        found = self.hosts_of[bare]
        return found | {pod.nominated_node_name} if pod.nominated_node_name else found

    def _fitting(self, bare: Pod) -> frozenset[str]:
        """Return the nodes whose filters admit the pod if they are empty, in one of their forms."""
        plugins = plugins_of(bare, self.scenario)
        if prepared(plugins):
            return frozenset[str]().union(*(judge.feasible(bare, plugins) for judge in self._empty))
        snapshots = (replace(judge.there.running, pods=(bare,)) for judge in self._empty)
        return frozenset[str]().union(*(feasible(taken_up(bare, each, plugins)) for each in snapshots))

    @cached_property
    def _empty(self) -> tuple[CycleJudge, ...]:
        """The nodes without pods, in each of their forms."""
        nodes = dict.fromkeys(zip(*map(self.forms, self.scenario.nodes), strict=True))
        return tuple(CycleJudge(Snapshot(nodes=each, namespaces=self.scenario.namespaces)) for each in nodes)

    def _related(self) -> dict[Key, set[Key]]:
        """Return for each pod the pods related to it by a term of either; and find the groups of pods."""
        self._alike: dict[tuple[str, Labels], set[Key]] = {}
        for key, pod in self.pods.items():
            self._alike.setdefault((pod.namespace, pod.labels), set()).add(key)
        self._by_label: dict[tuple[str, str], list[tuple[str, Labels]]] = {}
        for each in self._alike:
            for pair in each[1].items():
                self._by_label.setdefault(pair, []).append(each)
        self.groups_of: dict[Key, list[frozenset[Key]]] = {}
        for group in self._groups():
            for key in group:
                self.groups_of.setdefault(key, []).append(group)
        self.spoken_of = self._by_terms()
        return self.spoken_of

    def _near(self, pods: set[Key]) -> set[Key]:
        """Return the pods related to one of these by a term of either, by spreading, by volumes or by a budget."""
        groups = {id(group): group for key in pods for group in self.groups_of.get(key, ())}
        return super()._near(pods).union(*groups.values())

    def _by_terms(self) -> dict[Key, set[Key]]:
        """Return for each pod the pods related to it by a term of either, in any namespace."""
        related: dict[Key, set[Key]] = {key: set() for key in self.pods}
        spoken_of: dict[LabelSelector | None, set[Key]] = {}
        for key, pod in self.pods.items():
            for term in pod.affinity.pod_terms:
                selector = term.label_selector
                if selector not in spoken_of:
                    spoken_of[selector] = self._selected(selector)
                related[key] |= spoken_of[selector]
                for other in spoken_of[selector]:
                    related[other].add(key)
        return related

    def _selected(self, selector: LabelSelector | None, namespace: str | None = None) -> set[Key]:
        """Return the pods that a selector selects, in one namespace or in any, found by a label that it requires."""
        pairs = demanded(selector)
        found = self._alike if pairs is None else (each for pair in pairs for each in self._by_label.get(pair, ()))
        return set[Key]().union(
            *(
                self._alike[own, labels]
                for own, labels in found
                if namespace in (None, own) and selects(selector, labels, NO_FAULTS)
            )
        )

    def _groups(self) -> Iterable[frozenset[Key]]:
        """Yield the groups of pods that may influence each other.

        They are the pods of a namespace with spreading, service or owner; the pods with shared claims; those of one
        budget.
        """
        pods, scenario, every = self.pods, self.scenario, self._alike.items()
        spread = {pod.namespace for pod in pods.values() if pod.spread}
        spread |= {each.namespace for each in scenario.services} | {each.namespace for each in scenario.owners}
        for namespace in sorted(spread):
            yield frozenset[Key]().union(*(keys for (own, _), keys in every if own == namespace))
        yield frozenset(key for key, pod in pods.items() if _claims(pod))
        for budget in scenario.budgets:
            yield frozenset(self._selected(budget.selector, budget.namespace))


def _bare(pod: Pod) -> Pod:
    """Return the pod reduced to the fields that decide which empty nodes could take it."""
    only_nodes = Affinity(node_required=pod.affinity.node_required)
    return replace(
        newly_arrived(pod), name="bare", namespace="default", uid="", labels=NO_LABELS, owner=("", ""), priority=0,
        affinity=only_nodes, spread=(), volumes=(), resource_claims=(), scheduling_gates=(), node_name="",
        nominated_node_name="",
    )  # fmt: skip


def _claims(pod: Pod) -> bool:
    """Whether the pod claims a volume or device that any other pod may claim too."""
    return bool(pod.resource_claims) or any(isinstance(each.source, (ClaimSource, Ephemeral)) for each in pod.volumes)

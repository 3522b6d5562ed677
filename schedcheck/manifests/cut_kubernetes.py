"""The part of a cluster that can influence the answer to a question about one object under kube-scheduler: `cut`.

As `manifests.cut`, adapted to kube-scheduler. Every node stays: scores, topology spreading and the number of
preemption candidates may depend on nodes that no pod can be bound to. A pod is dropped if it shares no node, term,
spreading, volume or budget with the pods that are kept. No pod has to wait for a pod of higher priority. Bound pods
that are assumed to stay are not merged, as scores distinguish them.
"""

from collections.abc import Iterable
from dataclasses import replace

from schedcheck.manifests.cut import MOST_MOVING, Closure, Key, counted, kept_part, moving_keys, staying_note, still
from schedcheck.model.environment import newly_arrived
from schedcheck.model.profiles import plugins_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.budgets import protects
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.selectors import selects
from schedcheck.spec.storage import ClaimSource, Ephemeral
from schedcheck.spec.terms import Affinity, LabelSelector
from schedcheck.spec.values import NO_LABELS


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
            plugins = plugins_of(bare, self.scenario)
            nodes = zip(*map(self.forms, self.scenario.nodes), strict=True)
            empty = [Snapshot(pods=(bare,), nodes=each, namespaces=self.scenario.namespaces) for each in nodes]
            fitting = (feasible(taken_up(bare, each, plugins)) for each in empty)
            self.hosts_of[bare] = frozenset[str]().union(*fitting) | self.changing
        return self.hosts_of[bare] | frozenset({pod.nominated_node_name} - {""})

    def _related(self) -> dict[Key, set[Key]]:
        """Return for each pod the pods related to it by a term of either, by spreading, by volumes or by a budget."""
        self.spoken_of = self._by_terms()
        related = {key: set(others) for key, others in self.spoken_of.items()}
        for group in self._groups():
            for key in group:
                related[key] |= group - {key}
        return related

    def _by_terms(self) -> dict[Key, set[Key]]:
        """Return for each pod the pods related to it by a term of either, in any namespace."""
        related: dict[Key, set[Key]] = {key: set() for key in self.pods}
        spoken_of: dict[LabelSelector | None, set[Key]] = {}
        for key, pod in self.pods.items():
            for term in pod.affinity.pod_terms:
                selector = term.label_selector
                if selector not in spoken_of:
                    spoken_of[selector] = {
                        key for key, each in self.pods.items() if selects(selector, each.labels, NO_FAULTS)
                    }
                related[key] |= spoken_of[selector]
                for other in spoken_of[selector]:
                    related[other].add(key)
        return related

    def _groups(self) -> Iterable[set[Key]]:
        """Yield the groups of pods that may influence each other.

        They are the pods of a namespace with spreading, service or owner; the pods with shared claims; those of one
        budget.
        """
        pods, scenario = self.pods, self.scenario
        spread = {pod.namespace for pod in pods.values() if pod.spread}
        spread |= {each.namespace for each in scenario.services} | {each.namespace for each in scenario.owners}
        yield from ({key for key in pods if key[0] == namespace} for namespace in sorted(spread))
        yield {key for key, pod in pods.items() if _claims(pod)}
        yield from ({key for key, pod in pods.items() if protects(budget, pod)} for budget in scenario.budgets)


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

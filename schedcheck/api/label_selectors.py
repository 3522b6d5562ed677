"""Label selectors as kubectl takes them with -l: `label_selector`; and the pods that one selects: `selected`.

`manifests.label_texts` reads them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from frozendict import frozendict

from schedcheck.api.values import Observer
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests.label_texts import selector_of
from schedcheck.manifests.names import MOST_NEAR, nearest_three
from schedcheck.report.text.terminal import counted
from schedcheck.spec.binding import completed
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector


def label_selector(text: str, place: str) -> LabelSelector:
    """Return the selector. `place` is named by the error. Raises: InputError."""
    selector = selector_of(text)
    if selector is None:
        raise InputError("expected labels, as zone=a,disk!=hdd or 'zone in (a,b)'", path=place, value=text)
    return selector


def nearest_labels(selector: LabelSelector, there: Iterable[Mapping[str, str]]) -> str:
    """Return the end of a message that nothing has these labels: the three labels that exist and are most like them.

    They are like the first requirement that no labels meet by themselves, else the first of all.
    """
    labels = list(there)
    known = sorted({f"{key}={value}" for each in labels for key, value in each.items()})
    alone = (
        each
        for each in selector.match_expressions
        if not any(selects(LabelSelector(match_expressions=(each,)), one, NO_FAULTS) for one in labels)
    )
    unmet = next(alone, selector.match_expressions[0])
    of_key = [each for each in known if each.startswith(f"{unmet.key}=")]
    text = f"{unmet.key}={unmet.values[0]}" if unmet.values else unmet.key
    of_value = [each for each in known if each.partition("=")[2] in unmet.values]
    of_both = [*dict.fromkeys((*of_value, *of_key))] if of_value else known
    return nearest_three(text, of_key if len(of_key) >= MOST_NEAR else of_both)


class ChosenByLabels:
    """Whether labels are those of a selector; it remembers all labels that it was asked about, for the error."""

    def __init__(self, selector: str) -> None:
        self.text = selector
        self.selector = label_selector(selector, parameter("selector"))
        self.asked: list[Mapping[str, str]] = []
        self.found = False

    def __call__(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels are chosen."""
        self.asked.append(labels)
        chosen = selects(self.selector, frozendict(labels), NO_FAULTS)
        self.found = self.found or chosen
        return chosen

    def refuse_none(self, what: str) -> None:
        """Raises: InputError if nothing was chosen; `what` are the things, for the error."""
        if not self.found:
            near = nearest_labels(self.selector, self.asked)
            raise InputError(f"no {what} has these labels{near}", path=parameter("selector"), value=self.text)


def pending_selected(pods: Iterable[Pod], selector: str | None, namespace: str | None) -> list[Pod]:
    """Return the pending pods that are selected. Raises: InputError if none is."""
    pending = [pod for pod in pods if not pod.node_name and not completed(pod)]
    return pending if selector is None and namespace is None else selected(pending, selector, namespace, "pending pod")


def with_pending(cluster: Cluster, selector: str | None, namespace: str | None, observer: Observer) -> Cluster:
    """Return the cluster without the pending pods that are not selected, and note how many those are.

    Raises: InputError if no pending pod is selected.
    """
    if selector is None and namespace is None:
        return cluster
    wanted = frozenset(pod.key for pod in pending_selected(cluster.pods, selector, namespace))
    kept = tuple(pod for pod in cluster.pods if pod.node_name or completed(pod) or pod.key in wanted)
    if len(kept) < len(cluster.pods):
        observer.note(f"left out, as not selected: {counted(len(cluster.pods) - len(kept), 'pending pod')}")
    return replace(cluster, pods=kept)


def selected(pods: Iterable[Pod], selector: str | None, namespace: str | None, what: str = "pod") -> list[Pod]:
    """Return those of the pods with these labels in this namespace, pending ones first; None stands for all.

    `what` are the pods, for the error. Raises: InputError if there is none, with where there are some.
    """
    asked = list(pods)
    wanted = None if selector is None else label_selector(selector, parameter("selector"))
    having = [pod for pod in asked if wanted is None or selects(wanted, pod.labels, NO_FAULTS)]
    having.sort(key=lambda pod: (bool(pod.node_name), pod.key))
    found = [pod for pod in having if namespace in (None, pod.namespace)]
    if found:
        return found
    if wanted is None:
        near = nearest_three(namespace or "", sorted({pod.namespace for pod in asked}))
        raise InputError(f"no {what} is in this namespace{near}", path=parameter("namespace"), value=namespace)
    elsewhere = ", ".join(sorted({pod.namespace for pod in having}))
    there = [pod.labels for pod in asked if namespace in (None, pod.namespace)]
    where = f"; pods of these namespaces have them: {elsewhere}" if elsewhere else nearest_labels(wanted, there)
    inside = "" if namespace is None else f" of the namespace {namespace}"
    raise InputError(f"no {what}{inside} has these labels{where}", path=parameter("selector"), value=selector)

"""An index of pods by namespace and label, which narrows the pods that a selector must examine: `Labelled`."""

from collections import defaultdict
from collections.abc import Iterable

from schedcheck.manifests.pods import Entry
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector


class Labelled:
    """An index of pods by namespace, and by namespace and label."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._of_namespace: dict[str, list[Entry]] = defaultdict(list)
        self._with_label: dict[tuple[str, str, str], list[Entry]] = defaultdict(list)
        for entry in entries:
            namespace = entry.pod.namespace
            self._of_namespace[namespace].append(entry)
            for label, value in entry.pod.labels.items():
                self._with_label[namespace, label, value].append(entry)

    def selected(self, namespace: str, selector: LabelSelector | None) -> list[Entry]:
        """Return the pods of the namespace that the selector selects, in the order in which they were given."""
        if selector is None:
            return []
        candidates = [
            self._with_label.get((namespace, label, value), []) for label, value in selector.match_labels.items()
        ]
        fewest = min(candidates, key=len, default=self._of_namespace.get(namespace, []))
        return [entry for entry in fewest if selects(selector, entry.pod.labels, NO_FAULTS)]

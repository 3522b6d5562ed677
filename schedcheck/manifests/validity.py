"""The rules of the API server for objects that it has not stored yet: `validated`.

An object with a uid is already stored and never refused, whatever the rules are today. The names of some kinds, such as
PodDisruptionBudget, must only fit into a path; they are not checked.

Kubernetes 1.34: pkg/apis/core/validation/validation.go, pkg/apis/apps/validation, pkg/apis/batch/validation; rules of
names and labels in k8s.io/apimachinery/pkg/util/validation.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from schedcheck.errors import InputError
from schedcheck.manifests.fields import Field

LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
SUBDOMAIN: Final = re.compile(rf"{LABEL.pattern}(\.{LABEL.pattern})*")
NAME: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
LONGEST_LABEL, LONGEST_SUBDOMAIN = 63, 253

SUBDOMAINS: Final = frozenset(
    {
        "Pod", "Node", "PriorityClass", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob",
        "ReplicationController", "PersistentVolume", "PersistentVolumeClaim",
    }
)  # fmt: skip
"""The kinds whose names are DNS subdomains."""

TEMPLATES: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job"), ("spec", "template")
    ),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}


def validated(kind: str, field: Field) -> None:
    """Raises: InputError for a name, a label, a list of containers or a request that no API server admits."""
    metadata = field["metadata"]
    if metadata["uid"].text():
        return
    if kind in SUBDOMAINS:
        _name(
            metadata["name"], is_subdomain, "a DNS subdomain (RFC 1123: lower case, digits, '-' and '.', at most 253)"
        )
    if kind == "Namespace":
        _name(metadata["name"], is_label, A_LABEL)
    _name(metadata["namespace"], is_label, A_LABEL)
    _labels(metadata["labels"])
    if kind == "Pod":
        _pod(field["spec"])
    if kind in TEMPLATES:
        template = field
        for key in TEMPLATES[kind]:
            template = template[key]
        _labels(template["metadata"]["labels"])
        _pod(template["spec"])


def is_label(text: str) -> bool:
    """Whether the text is a DNS label of RFC 1123."""
    return len(text) <= LONGEST_LABEL and LABEL.fullmatch(text) is not None


def is_subdomain(text: str) -> bool:
    """Whether the text is a DNS subdomain of RFC 1123."""
    return len(text) <= LONGEST_SUBDOMAIN and SUBDOMAIN.fullmatch(text) is not None


def is_label_value(text: str) -> bool:
    """Whether the text may be the value of a label."""
    return not text or (len(text) <= LONGEST_LABEL and NAME.fullmatch(text) is not None)


def is_label_key(text: str) -> bool:
    """Whether the text may be the key of a label: a name, with an optional prefix of a DNS subdomain and a slash."""
    prefix, slash, name = text.rpartition("/")
    return (not slash or is_subdomain(prefix)) and bool(name) and is_label_value(name)


A_LABEL: Final = "a DNS label (RFC 1123: lower case, digits and '-', at most 63)"


def _name(field: Field, valid: Callable[[str], bool], expected: str) -> None:
    if field.text() and not valid(field.text()):
        raise field.error(f"expected {expected}")


def _labels(field: Field) -> None:
    """Raises: InputError for an invalid key or value of a label."""
    for key, value in field.entries():
        if not is_label_key(key):
            raise InputError(f"expected a label key, not '{key}'", **field.place())
        if not is_label_value(value.text()):
            raise value.error("expected a label value: letters, digits, '-', '_' and '.', at most 63")


def _pod(spec: Field) -> None:
    """Raises: InputError for an invalid pod spec."""
    if spec["containers"].value == []:
        raise spec["containers"].error("expected at least one container")
    _labels(spec["nodeSelector"])
    names: set[str] = set()
    for container in _containers(spec):
        name = container["name"]
        _name(name, is_label, A_LABEL)
        if name.text() and name.text() in names:
            raise name.error("expected a name that no other container of the pod has")
        names.add(name.text())
        _requests(container["resources"])
    _requests(spec["resources"])


def _containers(spec: Field) -> Iterator[Field]:
    for key in ("initContainers", "containers"):
        yield from spec[key].items()


def _requests(resources: Field) -> None:
    """Raises: InputError for a request above its limit."""
    limits = resources["limits"].quantities()
    for name, request in resources["requests"].entries():
        if name in limits and request.quantity() > limits[name]:
            limit = resources["limits"][name]
            raise request.error(f"expected at most the limit of {name}, {limit.value}")

"""Kinds of owners, qualified by API group: `qualified_kind`, `version_and_kind`, `served_kind`.

A kind that Kubernetes 1.34 itself serves is written alone, as `ReplicaSet`. Any other is written with its group and
version, as in Kubernetes' messages: `apps.example.com/v1, Kind=StatefulSet`.
"""

from typing import Final

CORE: Final = "v1"
APPS: Final = "apps/v1"
BATCH: Final = "batch/v1"

VERSIONS: Final = {
    **dict.fromkeys(("ReplicaSet", "StatefulSet", "DaemonSet", "Deployment"), APPS),
    **dict.fromkeys(("Job", "CronJob"), BATCH),
}
"""The group and version in which Kubernetes serves each kind; a kind that is not listed is in the core group."""

SEPARATOR: Final = ", Kind="

FORMER: Final = {
    f"{version}{SEPARATOR}{kind}": kind
    for version, kinds in (
        ("extensions/v1beta1", ("ReplicaSet", "DaemonSet", "Deployment")),
        ("apps/v1beta1", ("StatefulSet", "Deployment")),
        ("apps/v1beta2", ("ReplicaSet", "StatefulSet", "DaemonSet", "Deployment")),
    )
    for kind in kinds
}
"""Qualified kinds of earlier groups and versions, each with the kind that serves the same objects today."""


def qualified_kind(api_version: str, kind: str) -> str:
    """Return the kind alone if Kubernetes serves it in `api_version` (or none is given), else with its group."""
    return kind if api_version in ("", VERSIONS.get(kind, CORE)) else f"{api_version}{SEPARATOR}{kind}"


def version_and_kind(qualified: str) -> tuple[str, str]:
    """Split a qualified kind into its group and version, and its kind: the inverse of `qualified_kind`."""
    version, separator, kind = qualified.partition(SEPARATOR)
    return (version, kind) if separator else (VERSIONS.get(qualified, CORE), qualified)


def served_kind(qualified: str) -> str:
    """Return the kind under which Kubernetes 1.34 serves the objects of a kind from an earlier group and version."""
    return FORMER.get(qualified, qualified)

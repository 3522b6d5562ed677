"""The kind of an owner, distinct from kinds of that name in other groups: `qualified_kind`, `version_and_kind`, `served_kind`.

A kind that Kubernetes 1.34 serves itself stands alone, as `ReplicaSet`. Any other is written with its group and version,
as Kubernetes writes them in its messages: `apps.example.com/v1, Kind=StatefulSet`.
"""

from typing import Final

CORE: Final = "v1"
APPS: Final = "apps/v1"
BATCH: Final = "batch/v1"

VERSIONS: Final = {
    **dict.fromkeys(("ReplicaSet", "StatefulSet", "DaemonSet", "Deployment"), APPS),
    **dict.fromkeys(("Job", "CronJob"), BATCH),
}
"""The group and version that Kubernetes serves a kind in; the core's where none is listed."""

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
"""The kinds of earlier groups and versions, and what serves the same objects today."""


def qualified_kind(api_version: str, kind: str) -> str:
    """The kind alone where Kubernetes serves it in `api_version` (or none is given), else with the group and version."""
    return kind if api_version in ("", VERSIONS.get(kind, CORE)) else f"{api_version}{SEPARATOR}{kind}"


def version_and_kind(qualified: str) -> tuple[str, str]:
    """The group and version, and the kind, that `qualified_kind` put together."""
    version, separator, kind = qualified.partition(SEPARATOR)
    return (version, kind) if separator else (VERSIONS.get(qualified, CORE), qualified)


def served_kind(qualified: str) -> str:
    """The kind under which Kubernetes 1.34 serves the objects of this one."""
    return FORMER.get(qualified, qualified)

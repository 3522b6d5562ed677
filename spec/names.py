"""Validity of Kubernetes names: `qualified_name`, `extended_resource`.

Kubernetes 1.34: k8s.io/apimachinery/pkg/util/validation, IsQualifiedName; pkg/apis/core/v1/helper,
IsExtendedResourceName.
"""

import re
from typing import Final

NAME: Final = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN: Final = re.compile(rf"{LABEL}(\.{LABEL})*", re.ASCII)
LONGEST_NAME: Final = 63
LONGEST_SUBDOMAIN: Final = 253


def qualified_name(text: str) -> bool:
    """Whether the text is a qualified name: at most 63 characters, optionally after a DNS subdomain and a slash."""
    *prefixes, name = text.split("/")
    return (
        len(prefixes) <= 1
        and all(len(prefix) <= LONGEST_SUBDOMAIN and SUBDOMAIN.fullmatch(prefix) for prefix in prefixes)
        and len(name) <= LONGEST_NAME
        and NAME.fullmatch(name) is not None
    )


def extended_resource(resource: str) -> bool:
    """Whether the resource is an extended resource, as device plugins advertise them, and not Kubernetes' own."""
    return (
        "/" in resource
        and "kubernetes.io/" not in resource
        and not resource.startswith("requests.")
        and qualified_name(f"requests.{resource}")
    )

"""The extenders of a KubeSchedulerConfiguration, and of a Policy: `extenders`, `of_policy`.

Kubernetes 1.34: validateExtenders in pkg/scheduler/apis/config/validation, buildExtenders in pkg/scheduler/scheduler.go,
TLSConfigFor in k8s.io/client-go/transport/transport.go; 1.17: Extender in k8s.io/kube-scheduler/config/v1,
ValidatePolicy in pkg/scheduler/apis/config/validation, CreateFromConfig in pkg/scheduler/factory.go.
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from schedcheck.errors import InputError
from schedcheck.manifests.durations import duration
from schedcheck.manifests.fields import Field
from schedcheck.spec.extender_configuration import EXTENDER_TIMEOUT, Extender, ManagedResource, Tls
from schedcheck.spec.names import extended_resource

INT64: Final = 2**63
FIELDS: Final = (
    "urlPrefix", "filterVerb", "preemptVerb", "prioritizeVerb", "weight", "bindVerb", "enableHTTPS", "tlsConfig",
    "httpTimeout", "nodeCacheCapable", "managedResources", "ignorable",
)  # fmt: skip
TLS_FIELDS: Final = (
    "insecure", "serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData",
)  # fmt: skip
OLD_HTTPS: Final = "enableHttps"
"""The spelling of enableHTTPS in the policies before the configurations, and in some early samples."""


def extenders(field: Field, older: bool) -> tuple[Extender, ...]:
    """Return the extenders in the order in which they are called: those that may be ignored come last.

    In an `older` version the deviations that `conversions` lists are allowed.
    """
    return _in_order(field, [_extender(item, older) for item in field.items()])


def of_policy(field: Field) -> tuple[Extender, ...]:
    """Return the extenders of a Policy, in the order in which they are called.

    There enableHTTPS is spelt enableHttps, and httpTimeout is a number of nanoseconds.
    """
    return _in_order(field, [_of_policy(item) for item in field.items()])


def _in_order(field: Field, read: list[Extender]) -> tuple[Extender, ...]:
    """Return the extenders with those that may be ignored last."""
    _each_resource_once(field)
    if sum(extender.bind_verb != "" for extender in read) > 1:
        raise field.error("expected at most one extender with a bindVerb")
    return tuple(sorted(read, key=lambda extender: extender.ignorable))


def ignored_resources(read: tuple[Extender, ...]) -> frozenset[str]:
    """Return the resources that NodeResourcesFit ignores because an extender manages them."""
    return frozenset(each.name for extender in read for each in extender.managed_resources if each.ignored)


def conversions(field: Field) -> Iterator[str]:
    """Yield a note for each deviation in the extenders of an older version, with its reading as v1."""
    for item in field.items():
        if item[OLD_HTTPS]:
            yield f"{item[OLD_HTTPS].path()} is enableHTTPS"
        if _weightless(item):
            yield f"{item['weight'].path()} is 1"
        for resource in item["managedResources"].items():
            if not extended_resource(resource["name"].text()):
                yield f"{resource['name'].path()} is no extended resource"


def _weightless(field: Field) -> bool:
    return bool(field["prioritizeVerb"].text()) and not field["weight"]


def _extender(field: Field, older: bool) -> Extender:
    field.only(*FIELDS, *([OLD_HTTPS] if older else []))
    return replace(
        _plain(field, older),
        weight=1 if older and _weightless(field) else _weight(field),
        enable_https=field["enableHTTPS"].boolean() or (older and field[OLD_HTTPS].boolean()),
        timeout=duration(field["httpTimeout"]) or EXTENDER_TIMEOUT,
    )


def _of_policy(field: Field) -> Extender:
    field.only(*(OLD_HTTPS if each == "enableHTTPS" else each for each in FIELDS))
    timeout = field["httpTimeout"].integer(-INT64, INT64 - 1) if field["httpTimeout"] else 0
    return replace(
        _plain(field, older=False),
        weight=_weight(field),
        enable_https=field[OLD_HTTPS].boolean(),
        timeout=timeout or EXTENDER_TIMEOUT,
    )


def _plain(field: Field, older: bool) -> Extender:
    """Return the extender without the fields that differ between the two kinds of files."""
    return Extender(
        url_prefix=field["urlPrefix"].text(),
        filter_verb=field["filterVerb"].text(),
        preempt_verb=field["preemptVerb"].text(),
        prioritize_verb=field["prioritizeVerb"].text(),
        bind_verb=field["bindVerb"].text(),
        tls=_tls(field["tlsConfig"]) if field["tlsConfig"] else None,
        node_cache_capable=field["nodeCacheCapable"].boolean(),
        managed_resources=tuple(_managed(item, older) for item in field["managedResources"].items()),
        ignorable=field["ignorable"].boolean(),
    )


def _weight(field: Field) -> int:
    """Return the weight, which must be positive if the extender scores nodes."""
    weight = field["weight"].integer(-INT64, INT64 - 1) if field["weight"] else 0
    if field["prioritizeVerb"].text() and weight <= 0:
        raise field["weight"].error("expected a positive weight, as there is a prioritizeVerb")
    return weight


def _managed(field: Field, older: bool) -> ManagedResource:
    field.only("name", "ignoredByScheduler")
    name = field["name"].text()
    if not older and not extended_resource(name):
        raise field["name"].error("expected the name of an extended resource, such as example.com/device")
    return ManagedResource(name, field["ignoredByScheduler"].boolean())


def _each_resource_once(field: Field) -> None:
    found: set[str] = set()
    for item in field.items():
        for resource in item["managedResources"].items():
            name = resource["name"].text()
            if name in found:
                raise resource["name"].error("expected each managed resource once, whichever extender has it")
            found.add(name)


def _tls(field: Field) -> Tls:
    field.only(*TLS_FIELDS)
    insecure = field["insecure"].boolean()
    if insecure and (field["caFile"].text() or field["caData"].text()):
        raise field["insecure"].error("expected no caFile or caData together with it")
    return Tls(
        insecure=insecure,
        server_name=field["serverName"].text(),
        cert_file=field["certFile"].text(),
        key_file=field["keyFile"].text(),
        ca_file=field["caFile"].text(),
        cert_data=_bytes(field["certData"]),
        key_data=_bytes(field["keyData"]),
        ca_data=_bytes(field["caData"]),
    )


def _bytes(field: Field) -> bytes:
    """Return bytes given in base 64; the message does not show them, as they may be a key."""
    try:
        return base64.b64decode(field.text().replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        raise InputError("expected base64", **field.place()) from None

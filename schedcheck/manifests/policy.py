"""Policy files of the early scheduler, JSON or YAML, to its predicates and priorities: `policy`.

Kubernetes 1.17: Policy in k8s.io/kube-scheduler/config/v1, ValidatePolicy in pkg/scheduler/apis/config/validation,
CreateFromConfig in pkg/scheduler/factory.go. An absent list stands for the default; an empty one for no entries.
Differs: a duplicate name, an unknown field, and an argument for a name that takes none are refused.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from schedcheck.errors import InputError
from schedcheck.manifests.documents import documents
from schedcheck.manifests.fields import Field, nearest
from schedcheck.spec.classic import filtering, ranking
from schedcheck.spec.classic.policy import (
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    MANDATORY,
    Classic,
    LabelPresence,
    Weighted,
)
from schedcheck.spec.classic.priorities.inter_pod_affinity import HARD_WEIGHT
from schedcheck.spec.classic.priorities.scale import HIGHEST

FIELDS: Final = (
    "kind", "apiVersion", "predicates", "priorities", "extenders", "extenderConfigs", "hardPodAffinitySymmetricWeight",
    "alwaysCheckAllPredicates",
)  # fmt: skip
UNMODELLED_PREDICATES: Final = (
    "CheckServiceAffinity", "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount", "EvenPodsSpread",
    "PodToleratesNodeNoExecuteTaints", "TestServiceAffinity",
)  # fmt: skip
UNMODELLED_PRIORITIES: Final = (
    "ResourceLimitsPriority", "RequestedToCapacityRatioPriority", "EvenPodsSpreadPriority", "NodeLabelPriority",
)  # fmt: skip
LARGEST: Final = 2**63 - 1
"""The bound of the weighted sum of the highest scores."""


def policy(path: str | Path) -> Classic:
    """Return the configuration of the early scheduler in this Policy file.

    Raises: InputError.
    """
    first, *others = documents([path])
    if others:
        raise InputError("expected one Policy and nothing else", file=others[0].file, document=others[0].number)
    field = Field(first, first.value)
    if field["kind"].text() != "Policy":
        raise field["kind"].error("expected Policy")
    if field["apiVersion"].text() != "v1":
        raise field["apiVersion"].error("expected v1")
    field.only(*FIELDS)
    for key in ("extenders", "extenderConfigs"):
        if field[key].items():
            raise field[key].error("extenders are not modelled yet")
    hard = field["hardPodAffinitySymmetricWeight"]
    field["alwaysCheckAllPredicates"].boolean()
    return replace(
        _predicates(field["predicates"]),
        priorities=_priorities(field["priorities"]) if field["priorities"] else DEFAULT_PRIORITIES,
        # As upstream, 0 stands for an absent value.
        hard_weight=(hard.integer(0, 100) if hard else 0) or HARD_WEIGHT,
    )


def _predicates(field: Field) -> Classic:
    """Return the predicates, with and without an argument, and the mandatory ones."""
    if not field:
        return Classic(predicates=DEFAULT_PREDICATES)
    items = field.items()
    names = _distinct(items)
    given = [_label_presence(name, item) for name, item in zip(names, items, strict=True)]
    plain = [name for name, presence in zip(names, given, strict=True) if presence is None]
    return Classic(
        predicates=tuple(dict.fromkeys((*MANDATORY, *plain))),
        label_presence=tuple(presence for presence in given if presence is not None),
    )


def _label_presence(name: str, item: Field) -> LabelPresence | None:
    """Return the argument of a predicate, None if it neither has nor needs one."""
    item.only("name", "argument")
    argument = item["argument"]
    if not argument:
        if name == "CheckNodeLabelPresence":
            raise argument.error("expected an argument with labelsPresence")
        _known(item["name"], name, filtering.NAMES, UNMODELLED_PREDICATES, "predicate")
        return None
    _takes_one(argument, name, filtering.NAMES)
    _only_one(argument, ("labelsPresence", "serviceAffinity"))
    if argument["serviceAffinity"]:
        raise argument["serviceAffinity"].error("CheckServiceAffinity is not modelled")
    presence = argument["labelsPresence"]
    presence.only("labels", "presence")
    if not presence["labels"].items():
        raise presence["labels"].error("expected at least one label")
    return LabelPresence(name, presence["labels"].texts(), presence["presence"].boolean())


def _priorities(field: Field) -> tuple[Weighted, ...]:
    """Return the priorities with their weights; the weighted sum must not overflow."""
    items = field.items()
    names = _distinct(items)
    found = tuple(_weighted(name, item) for name, item in zip(names, items, strict=True))
    if sum(each.weight for each in found) * HIGHEST > LARGEST:
        raise field.error("the total of the weights is too large: the weighted sum would overflow")
    return found


def _weighted(name: str, item: Field) -> Weighted:
    """Return a priority with its weight and, if it takes one, its label."""
    item.only("name", "weight", "argument")
    weight = item["weight"].integer(1, LARGEST // HIGHEST)
    argument = item["argument"]
    if not argument:
        if name in ("CalculateAntiAffinityPriority", "ServiceAntiAffinityPriority"):
            raise argument.error("expected an argument with serviceAntiAffinity")
        _known(item["name"], name, ranking.NAMES, UNMODELLED_PRIORITIES, "priority")
        return Weighted(name, weight)
    _takes_one(argument, name, ranking.NAMES)
    _only_one(argument, ("serviceAntiAffinity", "labelPreference", "requestedToCapacityRatioArguments"))
    for key in ("labelPreference", "requestedToCapacityRatioArguments"):
        if argument[key]:
            raise argument[key].error("this priority is not modelled")
    spread = argument["serviceAntiAffinity"]
    spread.only("label")
    return Weighted(name, weight, spread["label"].required("a label key"))


def _distinct(items: Iterable[Field]) -> list[str]:
    """Return the names of the items, which must be distinct."""
    names: list[str] = []
    for item in items:
        name = item["name"].required("a name")
        if name in names:
            raise item["name"].error("this name is given twice")
        names.append(name)
    return names


def _known(field: Field, name: str, known: frozenset[str], unmodelled: tuple[str, ...], what: str) -> None:
    """Raises: InputError if the name is not modelled or does not exist."""
    if name in unmodelled:
        raise field.error(f"this {what} is not modelled")
    if name not in known:
        raise field.error(f"no {what} has this name{nearest(name, known)}")


def _takes_one(argument: Field, name: str, known: frozenset[str]) -> None:
    """Raises: InputError if the predicate or priority of this name takes no argument."""
    if name in known:
        raise argument.error(f"{name} takes no argument")


def _only_one(argument: Field, kinds: tuple[str, ...]) -> None:
    """Raises: InputError unless exactly one of these is given."""
    argument.only(*kinds)
    if sum(bool(argument[kind]) for kind in kinds) != 1:
        raise argument.error(f"expected exactly one of {', '.join(kinds)}")

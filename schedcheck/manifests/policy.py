"""Policy files of the early scheduler, JSON or YAML, to its predicates, priorities and extenders: `policy`.

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
from schedcheck.manifests.extenders import of_policy
from schedcheck.manifests.fields import Field, nearest
from schedcheck.spec.classic import filtering, ranking
from schedcheck.spec.classic.policy import (
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    MANDATORY,
    Classic,
    LabelPreference,
    LabelPresence,
    Ratio,
    ServiceAffinity,
    Weighted,
)
from schedcheck.spec.classic.priorities.inter_pod_affinity import HARD_WEIGHT
from schedcheck.spec.classic.priorities.scale import HIGHEST

FIELDS: Final = (
    "kind", "apiVersion", "predicates", "priorities", "extenders", "hardPodAffinitySymmetricWeight",
    "alwaysCheckAllPredicates",
)  # fmt: skip
PREDICATE_ARGUMENTS: Final = {"CheckNodeLabelPresence": "labelsPresence", "CheckServiceAffinity": "serviceAffinity"}
PRIORITY_ARGUMENTS: Final = {
    "CalculateAntiAffinityPriority": "serviceAntiAffinity",
    "ServiceAntiAffinityPriority": "serviceAntiAffinity",
    "NodeLabelPriority": "labelPreference",
    "RequestedToCapacityRatioPriority": "requestedToCapacityRatioArguments",
}
"""The names under which the sources know a predicate or priority that takes an argument, each with the argument."""

UNMODELLED: Final = ("ResourceLimitsPriority",)
LARGEST: Final = 2**63 - 1
"""The bound of the weighted sum of the highest scores."""


def policy(path: str | Path) -> Classic:
    """Return the configuration of the early scheduler in this Policy file; its extenders are not asked.

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
    hard = field["hardPodAffinitySymmetricWeight"]
    field["alwaysCheckAllPredicates"].boolean()
    return replace(
        _predicates(field["predicates"]),
        priorities=_priorities(field["priorities"]) if field["priorities"] else DEFAULT_PRIORITIES,
        # As upstream, 0 stands for an absent value.
        hard_weight=(hard.integer(0, 100) if hard else 0) or HARD_WEIGHT,
        unasked=of_policy(field["extenders"]),
    )


def spreads(given: Classic) -> bool:
    """Whether the configuration reads topology spread constraints."""
    names = (*given.predicates, *(each.name for each in given.priorities))
    return not {"EvenPodsSpread", "EvenPodsSpreadPriority"}.isdisjoint(names)


def _predicates(field: Field) -> Classic:
    """Return the predicates, with and without an argument, and the mandatory ones."""
    if not field:
        return Classic(predicates=DEFAULT_PREDICATES)
    items = field.items()
    names = _distinct(items)
    given = [_predicate(name, item) for name, item in zip(names, items, strict=True)]
    return Classic(
        predicates=tuple(dict.fromkeys((*MANDATORY, *(each for each in given if isinstance(each, str))))),
        label_presence=tuple(each for each in given if isinstance(each, LabelPresence)),
        service_affinity=tuple(each for each in given if isinstance(each, ServiceAffinity)),
    )


def _predicate(name: str, item: Field) -> str | LabelPresence | ServiceAffinity:
    """Return a predicate: its name, or its argument under that name."""
    item.only("name", "argument")
    argument = item["argument"]
    if not argument:
        if name in PREDICATE_ARGUMENTS:
            raise argument.error(f"expected an argument with {PREDICATE_ARGUMENTS[name]}")
        _known(item["name"], name, filtering.NAMES, "predicate")
        return name
    _takes_one(argument, name, filtering.NAMES)
    _only_one(argument, ("labelsPresence", "serviceAffinity"))
    affinity, presence = argument["serviceAffinity"], argument["labelsPresence"]
    if affinity:
        affinity.only("labels")
        return ServiceAffinity(name, _labels(affinity))
    presence.only("labels", "presence")
    return LabelPresence(name, _labels(presence), presence["presence"].boolean())


def _labels(field: Field) -> tuple[str, ...]:
    if not field["labels"].items():
        raise field["labels"].error("expected at least one label")
    return field["labels"].texts()


def _priorities(field: Field) -> tuple[Weighted, ...]:
    """Return the priorities with their weights; the weighted sum must not overflow."""
    items = field.items()
    names = _distinct(items)
    found = tuple(_weighted(name, item) for name, item in zip(names, items, strict=True))
    _alike(items, found)
    if sum(each.weight for each in found) * HIGHEST > LARGEST:
        raise field.error("the total of the weights is too large: the weighted sum would overflow")
    return found


def _alike(items: Iterable[Field], found: Iterable[Weighted]) -> None:
    """Raises: InputError where priorities with the same kind of argument have different weights, or two have a ratio.

    Kubernetes 1.17: validateCustomPriorities in pkg/scheduler/apis/config/validation.
    """
    weights: dict[str, int] = {}
    ratios = [item for item, each in zip(items, found, strict=True) if each.ratio is not None]
    if len(ratios) > 1:
        raise ratios[1]["argument"].error("expected one priority with requestedToCapacityRatioArguments")
    for item, each in zip(items, found, strict=True):
        for kind in ("serviceAntiAffinity", "labelPreference"):
            if item["argument"][kind] and weights.setdefault(kind, each.weight) != each.weight:
                raise item["weight"].error(f"expected {weights[kind]}, as of the other priority with {kind}")


def _weighted(name: str, item: Field) -> Weighted:
    """Return a priority with its weight and, if it takes one, its argument."""
    item.only("name", "weight", "argument")
    weight = item["weight"].integer(1, LARGEST // HIGHEST)
    argument = item["argument"]
    if not argument:
        if name in PRIORITY_ARGUMENTS:
            raise argument.error(f"expected an argument with {PRIORITY_ARGUMENTS[name]}")
        _known(item["name"], name, ranking.NAMES, "priority")
        return Weighted(name, weight)
    _takes_one(argument, name, ranking.NAMES)
    _only_one(argument, ("serviceAntiAffinity", "labelPreference", "requestedToCapacityRatioArguments"))
    if argument["requestedToCapacityRatioArguments"]:
        return Weighted(name, weight, ratio=_ratio(argument["requestedToCapacityRatioArguments"]))
    preference, spread = argument["labelPreference"], argument["serviceAntiAffinity"]
    if preference:
        preference.only("label", "presence")
        preferred = LabelPreference(preference["label"].required("a label key"), preference["presence"].boolean())
        return Weighted(name, weight, preference=preferred)
    spread.only("label")
    return Weighted(name, weight, spread["label"].required("a label key"))


def _ratio(field: Field) -> Ratio:
    """Return the shape and the resources of RequestedToCapacityRatioPriority.

    Kubernetes 1.17: NewFunctionShape and NewResourceAllocationPriority in pkg/scheduler/algorithm/priorities. A weight of
    0 or none is 1; the weight of a resource that is named twice is that of the last time.
    """
    field.only("shape", "resources")
    points = field["shape"].items()
    if not points:
        raise field["shape"].error("expected at least one point")
    resources = {each["name"].required("a name"): _share(each) for each in field["resources"].items()}
    shape = tuple(map(_point, points))
    for point, (before, _), (after, _) in zip(points[1:], shape, shape[1:], strict=False):
        if after <= before:
            raise point["utilization"].error(f"expected more than {before}, as utilizations ascend")
    return Ratio(shape, tuple(resources.items())) if resources else Ratio(shape)


def _point(field: Field) -> tuple[int, int]:
    field.only("utilization", "score")
    utilization, score = field["utilization"], field["score"]
    return (utilization.integer(0, 100) if utilization else 0, score.integer(0, HIGHEST) if score else 0)


def _share(field: Field) -> int:
    field.only("name", "weight")
    return (field["weight"].integer(0, LARGEST // HIGHEST) if field["weight"] else 0) or 1


def _distinct(items: Iterable[Field]) -> list[str]:
    """Return the names of the items, which must be distinct."""
    names: list[str] = []
    for item in items:
        name = item["name"].required("a name")
        if name in names:
            raise item["name"].error("this name is given twice")
        names.append(name)
    return names


def _known(field: Field, name: str, known: frozenset[str], what: str) -> None:
    """Raises: InputError if the name is not modelled or does not exist."""
    if name in UNMODELLED:
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

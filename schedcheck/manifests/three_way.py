"""The three-way merge of kubectl apply: `merged`.

A field of the manifest wins. A field that was applied before and that the manifest lacks is removed. Other fields of the
stored object stay, such as defaults. Lists with a merge key are merged by it; another list is replaced, unless it says
the same as the stored one.

Kubernetes 1.34: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go, CreateThreeWayMergePatch; the merge
keys are the patchMergeKey tags of staging/src/k8s.io/api/core/v1/types.go. Not modelled: server-side apply, and the
directives $patch and $retainKeys.
"""

from collections.abc import Mapping
from typing import Final

from schedcheck.spec.quantities import QuantityError, billionths

MERGE_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("containers", "initContainers", "ephemeralContainers", "volumes", "env", "imagePullSecrets"), ("name",)),
    "ports": ("containerPort",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey",),
    "resourceClaims": ("name",),
}  # fmt: skip
"""The keys by which the items of a list are merged, by the name of the list."""

AMOUNTS: Final = ("requests", "limits", "overhead", "sizeLimit")
"""The fields whose values are quantities: `1` and `1000m` are the same."""


def merged(stored: object, before: object, manifest: object, name: str = "", *, amounts: bool = False) -> object:
    """Return what is stored after the manifest is applied; `before` is what was applied last, None if not known."""
    amounts = amounts or name in AMOUNTS
    if isinstance(manifest, dict) and isinstance(stored, dict):
        return _maps(stored, before if isinstance(before, dict) else {}, manifest, amounts=amounts)
    if isinstance(manifest, list) and isinstance(stored, list):
        return _lists(stored, before if isinstance(before, list) else [], manifest, name)
    return stored if alike(manifest, stored, amounts=amounts) else manifest


def _maps(
    stored: dict[str, object], before: dict[str, object], manifest: dict[str, object], *, amounts: bool
) -> dict[str, object]:
    kept = {key: value for key, value in stored.items() if key in manifest or key not in before}
    given = {key: value for key, value in manifest.items() if value is not None}
    made = {key: value for key, value in kept.items() if manifest.get(key, value) is not None}
    for key, value in given.items():
        made[key] = merged(stored[key], before.get(key), value, key, amounts=amounts) if key in stored else value
    return made


def _lists(stored: list[object], before: list[object], manifest: list[object], name: str) -> list[object]:
    key = next(iter(MERGE_KEYS.get(name, ())), None)
    if key is None or not all(isinstance(each, dict) and key in each for each in (*stored, *manifest)):
        same = len(stored) == len(manifest) and all(map(alike, manifest, stored))
        return stored if same else manifest
    old, last, new = ({each[key]: each for each in items if isinstance(each, dict) and isinstance(each.get(key), str | int)}
                      for items in (stored, before, manifest))  # fmt: skip
    kept = [value for value in old if value in new or value not in last]
    order = [*kept, *(value for value in new if value not in kept)]
    return [
        old[value] if value not in new else merged(old[value], last.get(value), new[value]) if value in old else new[value]
        for value in order
    ]  # fmt: skip


def alike(manifest: object, stored: object, *, amounts: bool = False) -> bool:
    """Whether the stored value says all that the manifest says; it may say more, such as defaults."""
    if isinstance(manifest, dict) and isinstance(stored, dict):
        return all(
            key in stored and alike(value, stored[key], amounts=amounts or key in AMOUNTS)
            for key, value in manifest.items()
            if value is not None
        )
    if isinstance(manifest, list) and isinstance(stored, list):
        return len(manifest) == len(stored) and all(map(alike, manifest, stored))
    if amounts and isinstance(manifest, (str, int, float)) and isinstance(stored, (str, int, float)):
        return _amount(manifest) == _amount(stored)
    return manifest == stored


def _amount(value: str | float) -> object:
    try:
        return billionths(str(value).strip())
    except QuantityError:
        return value

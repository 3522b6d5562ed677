"""How a configuration expands that disables plugins at a point: `disabled_expansion`

The witness is the rule of kube-scheduler in words: what a point disables leaves those of multiPoint alone, `*` all of
them, and what it enables stays.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.manifests.plugin_sets import DEFAULT_ORDER
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.schedcheck.manifests.test_plugin_sets import read

POINTS = ("filter", "score", "preFilter", "preScore", "reserve")
KEPT = ("queueSort", "bind")


def right(point: str, everywhere: Sequence[str], enabled: Sequence[str], disabled: Sequence[str]) -> tuple[str, ...]:
    """Return the plugins of the point: those of it that are in multiPoint too, the others of multiPoint, the others."""
    wide = [name for name in everywhere if name in DEFAULT_PLUGINS.at(point) and not {"*", name} & {*disabled}]
    both = [name for name in enabled if name in wide]
    return (*both, *(each for each in wide if each not in both), *(each for each in enabled if each not in both))


def disabled_expansion(start: str) -> None:
    """Judge how a configuration expands in which a point disables some plugins, or all."""
    chance = Chance(f"disabled {start}")
    point = chance.choice(POINTS)
    kept = {name for each in KEPT for name in DEFAULT_PLUGINS.at(each)}
    everywhere = chance.some([name for name in DEFAULT_ORDER if name not in kept], 1, 5)
    enabled = chance.some(DEFAULT_PLUGINS.at(point), 0, 3)
    disabled = ("*",) if chance.often(0.3) else chance.some(everywhere, 1, 3)
    sets: dict[str, Mapping[str, Any]] = {name: {"enabled": _named(DEFAULT_PLUGINS.at(name))} for name in KEPT}
    sets["multiPoint"] = {"disabled": _named(("*",)), "enabled": _named(everywhere)}
    sets[point] = {"disabled": _named(disabled), "enabled": _named(enabled)}
    found, wanted = read(sets).at(point), right(point, everywhere, enabled, disabled)  # type: ignore[arg-type]
    assert found == wanted, f"{point} has {found}, not {wanted}, of {sets}"


def _named(names: Sequence[str]) -> list[Any]:
    return [{"name": name} for name in names]

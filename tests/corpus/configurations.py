"""Defects in reading a profile: `CONFIGURATIONS`; and the check for every profile: `expands_as_it_should`"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pytest import MonkeyPatch

from schedcheck.manifests import configuration
from schedcheck.manifests.plugin_sets import DEFAULT_ORDER
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from tests.corpus.decisions import K
from tests.schedcheck.manifests.test_plugin_sets import ALL, Sets, read

Named = tuple[tuple[str, int], ...]
"""Names of plugins with their weights, 0 for none."""


@dataclass(frozen=True)
class Configured:
    """A defect of this number: the plugins enabled at multiPoint and at a point; `right` is the result at that point."""

    id: str
    everywhere: Named
    point: str
    here: Named
    right: Named
    defect: Callable[[MonkeyPatch], None]


def profile(everywhere: Named, point: str, here: Named) -> Plugins:
    """The profile with only these plugins, read from a configuration; everything else is the default."""
    sets: Sets = {"multiPoint": {"disabled": ALL, "enabled": _enabled(everywhere)}, point: {"enabled": _enabled(here)}}
    for needed in ("queueSort", "bind"):
        sets[needed] = {"enabled": [{"name": name} for name in DEFAULT_PLUGINS.at(needed)]}
    return read(sets)


def _enabled(names: Named) -> list[dict[str, Any]]:
    return [{"name": name, "weight": weight} if weight else {"name": name} for name, weight in names]


def found(plugins: Plugins, point: str) -> Named:
    """The plugins of a point, at score with their weights."""
    return tuple((name, plugins.weights[name] if point == "score" else 0) for name in plugins.at(point))


def weight_of(name: str, point: str, *sets: Named) -> int:
    """At score the first weight that is given, or 1; elsewhere 0."""
    given = [weight for names in sets for other, weight in names if other == name]
    return (given[0] or 1) if point == "score" else 0


def expands_as_it_should(everywhere: Named, point: str, here: Named) -> None:
    """Assert that each plugin occurs once, with the weight of the point before that of multiPoint: first those of the
    point that are also in multiPoint, then the others of multiPoint, then the others of the point, each group in its
    own order.
    """
    plugins = profile(everywhere, point, here)
    common = [name for name, _ in everywhere if name in DEFAULT_PLUGINS.at(point)]
    own = [name for name, _ in here]
    names = found(plugins, point)
    in_turn = [name for name, _ in names]
    assert len(set(in_turn)) == len(in_turn), f"{in_turn} has a plugin twice"
    assert set(in_turn) == {*common, *own}
    group = {name: (0 if name in common else 2) if name in own else 1 for name in in_turn}
    groups = [(key, list(found)) for key, found in groupby(in_turn, key=group.__getitem__)]
    assert [key for key, _ in groups] == sorted({group[name] for name in in_turn}), f"{in_turn} is out of order"
    for key, each in groups:
        assert each == [name for name in (common if key == 1 else own) if group[name] == key]
    assert names == tuple((name, weight_of(name, point, here, everywhere)) for name in in_turn)


@st.composite
def sets(draw: st.DrawFn) -> tuple[Named, str, Named]:
    point = draw(st.sampled_from(("filter", "score", "preFilter")))
    weights = st.sampled_from((0, 2, 5))

    def some(names: Sequence[str], least: int) -> Named:
        chosen = draw(st.lists(st.sampled_from(list(names)), unique=True, min_size=least, max_size=4))
        return tuple((name, draw(weights)) for name in chosen)

    names = [name for name in DEFAULT_ORDER if name not in DEFAULT_PLUGINS.at("queueSort") + DEFAULT_PLUGINS.at("bind")]
    return some(names, 1), point, some(DEFAULT_PLUGINS.at(point), 0)


def caught() -> bool:
    """Whether some random profile is expanded wrongly."""
    checked = given(sets())(lambda drawn: expands_as_it_should(*drawn))
    quickly = settings(
        max_examples=200, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    try:
        quickly(checked)()
    except AssertionError:
        return True
    return False


def own_first(patch: MonkeyPatch) -> None:
    """All plugins enabled at the point come before those of multiPoint."""
    expanded = configuration.expanded

    def reordered(point: str, sets: Any, *others: Any) -> tuple[str, ...]:
        names, own = expanded(point, sets, *others), [each.name for each in sets[point].enabled]
        return (*(name for name in own if name in names), *(name for name in names if name not in own))

    patch.setattr(configuration, "expanded", reordered)


def overriding_twice(patch: MonkeyPatch) -> None:
    """Plugins that override multiPoint also stay in it."""
    expanded = configuration.expanded

    def repeated(point: str, sets: Any, *others: Any) -> tuple[str, ...]:
        names, own = expanded(point, sets, *others), [each.name for each in sets[point].enabled]
        return tuple(other for name in names for other in ([name, name] if name in own[1:] else [name]))

    patch.setattr(configuration, "expanded", repeated)


CONFIGURATIONS = (
    Configured(
        f"{K}108083", (("NodeUnschedulable", 0), ("TaintToleration", 0), ("NodeAffinity", 0)), "filter",
        (("NodePorts", 0), ("TaintToleration", 0)),
        (("TaintToleration", 0), ("NodeUnschedulable", 0), ("NodeAffinity", 0), ("NodePorts", 0)), own_first,
    ),
    Configured(
        f"{K}122066", (("ImageLocality", 0), ("TaintToleration", 0), ("NodeAffinity", 5)), "score",
        (("ImageLocality", 5), ("TaintToleration", 3)),
        (("ImageLocality", 5), ("TaintToleration", 3), ("NodeAffinity", 5)), overriding_twice,
    ),
)  # fmt: skip

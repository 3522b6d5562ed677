"""Random profiles, of which no scheduler can run some: `refused_profile`

Plugins that do not exist, or stand at a point that they do not extend, or twice; no Bind plugin, or two that sort the queue; weights
whose scores overflow. What is refused, and why, is said here again. Kubernetes 1.37: NewFramework, updatePluginList and
getValidScoreWeights in pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from schedcheck.checker.differential.standing import informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.framework.framework import FrameworkError
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, POINTS, Plugins
from schedcheck.spec.objects import Snapshot

MOST = 2**63 - 1
"""The greatest 64-bit number."""
SORTS = "OtherSort"
WEIGHTS = (0, 1, 100, 2**31 - 1, MOST // 1000, MOST // 100 - 20, MOST // 100 - 16, MOST // 100 - 12, MOST // 100)
EXTENDED: Mapping[str, frozenset[str]] = {
    point: frozenset(DEFAULT_PLUGINS.at(point)) | ({SORTS} if point == "queueSort" else set()) for point in POINTS
}
"""The plugins that extend each point: in the default configuration each is at every point that it extends."""


class OtherSort:
    """A plugin that sorts the queue."""

    name = SORTS

    def __init__(self, arguments: object, handle: object) -> None:
        pass

    def less(self, one: object, other: object) -> bool:
        """Whether one pod comes before another."""
        return False


def registry() -> Registry:
    """Return the default registry with another plugin that sorts the queue."""
    made = default_registry()
    made.register(SORTS, OtherSort)
    return made


def _wrong(point: str, names: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with the plugins of a point, without what else is said of it."""
    known = frozenset().union(*EXTENDED.values())
    for place, name in enumerate(names):
        if name not in known:
            yield f'"{name}" does not exist'
        elif name not in EXTENDED[point]:
            yield f'plugin "{name}" does not extend'
        elif name in names[:place]:
            yield f'plugin "{name}" already registered'


def weight(plugins: Plugins, name: str) -> int:
    """Return the weight that a Score plugin has: 1 if none is given, or 0."""
    return plugins.weights.get(name) or 1


def reasons(plugins: Plugins) -> list[str]:
    """Return parts of each reason for which a profile is refused; none if it is not."""
    found = [each for point in POINTS for each in _wrong(point, plugins.at(point))]
    if len(plugins.at("queueSort")) != 1:
        found.append(f"but got {len(plugins.at('queueSort'))}")
    if not plugins.at("bind"):
        found.append("at least one bind plugin is needed")
    total = sum(100 * weight(plugins, name) for name in dict.fromkeys(plugins.at("score")))
    return [*found, "could overflow"] if total > MOST else found


def drawn(chance: Chance) -> Plugins:
    """Return the default profile with up to two changes, right or wrong ones."""
    points, weights = DEFAULT_PLUGINS.points, DEFAULT_PLUGINS.weights
    for _ in range(chance.one(1, 1, 2)):
        point = chance.choice(POINTS)
        names = list(points.get(point, ()))
        every = sorted({name for listed in EXTENDED.values() for name in listed})
        match chance.randrange(6):
            case 0:
                names.insert(chance.randint(0, len(names)), "NoSuchPlugin")
            case 1:
                names.insert(chance.randint(0, len(names)), chance.choice(every))
            case 2:
                names = [each for each in names if chance.often(0.5)]
            case 3 | 4:
                weights = weights.set(chance.choice(DEFAULT_PLUGINS.at("score")), chance.choice(WEIGHTS))
            case 5:
                point = chance.one("queueSort", "bind")
                names = chance.one([], ["PrioritySort", SORTS], [SORTS]) if point == "queueSort" else []
        points = points.set(point, tuple(names))
    return replace(DEFAULT_PLUGINS, points=points, weights=weights)


def refused_profile(start: str) -> None:
    """Judge whether a profile is refused, and why, and which weights one has that is not."""
    plugins = drawn(Chance(f"refused {start}"))
    wanted, said, right = reasons(plugins), "", {name: weight(plugins, name) for name in plugins.at("score")}
    try:
        (made,) = informed((), Snapshot(), (plugins,), registry).frameworks.values()
        assert made.weights == right, f"the weights are {made.weights}, not {right}"
    except FrameworkError as error:
        said = str(error)
    assert bool(said) is bool(wanted), f"{said or 'no reason'} is said, not {wanted or 'none'}, of {plugins.points}"
    assert not said or any(each in said for each in wanted), f"{said} is said, not one of {wanted}"

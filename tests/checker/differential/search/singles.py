"""Random single decisions: of plain clusters, with extenders, claims and configurations: `cluster`, `extended`, ..."""

from collections.abc import Callable
from dataclasses import replace

from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.quick.questions import contest, question, smaller
from schedcheck.checker.drawing.volumes import Question
from schedcheck.manifests.plugin_sets import DEFAULT_ORDER
from schedcheck.spec.devices.claims import NOT_GIVEN
from schedcheck.spec.kubernetes.filters.dynamic_resources import unmodelled
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.testing.drawn_configurations import profiles_of, random_configuration
from tests.checker.differential.search.aftermath import agree
from tests.checker.extenders.test_as_values import listed
from tests.corpus.configurations import Named, expands_as_it_should
from tests.live.claiming import claiming
from tests.support.extending import Ruled, choosing_some, over_http


def fails(asked: Question) -> bool:
    """Whether the cycle concludes something else than specified, or cannot conclude."""
    try:
        agree(asked)
    except Exception:
        return True
    return False


def cluster(start: str) -> None:
    """Judge a cluster."""
    shown(question(Chance.of(start)))


def contested(start: str) -> None:
    """Judge a cluster in which the pod usually has to preempt."""
    shown(contest(Chance.of(start)))


def shown(asked: Question) -> None:
    """Judge a question; show a smaller one that fails too."""
    try:
        agree(asked)
    except Exception as error:
        raise AssertionError(f"{error}\nsmaller: {smaller(asked, fails)}") from error


def crowd(start: str) -> None:
    """Judge a cluster of more nodes and pods."""
    agree(question(Chance.of(start), 16, 6))


def claimed(start: str) -> None:
    """Judge a cluster in which pods claim devices."""
    chance = Chance.of(start)
    pod, there, plugins = question(chance)
    pod, there = claiming((pod, listed(pod, there)), chance, newest=chance.often(0.5))
    if unmodelled(pod, there.devices, plugins.departures) in ("", NOT_GIVEN):
        pods = tuple(each for each in there.pods if each.key != pod.key)
        agree((pod, replace(there, pods=pods), plugins))


def configured(start: str) -> None:
    """Judge a cluster under a random configuration."""
    chance = Chance.of(start)
    chance.features |= {chance.one("affinity", "soft-spread", "taints", "images", "cpu", "node-affinity", "volumes")}
    pod, there, _ = question(chance)
    document = random_configuration(chance)
    profiles = profiles_of(document)
    asked = replace(pod, scheduler_name=chance.choice(profiles).scheduler_name)
    found = difference(concluded(asked, there, *profiles), there, by_scheduler_name(asked, profiles))
    assert found is None, f"{document}\n{found}"


def expanded(start: str) -> None:
    """Judge how a configuration expands."""
    chance = Chance.of(start)
    point = chance.one("filter", "score", "preFilter", "preScore", "reserve")
    kept = {*DEFAULT_PLUGINS.at("queueSort"), *DEFAULT_PLUGINS.at("bind")}

    def some(names: tuple[str, ...], least: int) -> Named:
        return tuple((name, chance.one(0, 2, 5)) for name in chance.some(names, least, 4))

    everywhere = some(tuple(name for name in DEFAULT_ORDER if name not in kept), 1)
    expands_as_it_should(everywhere, point, some(DEFAULT_PLUGINS.at(point), 0))


def extender(chance: Chance, there: Snapshot) -> Ruled:
    """Return an extender that offers some verbs, now and then only for some pods, or in vain."""
    names = sorted(node.name for node in there.nodes)
    some: Callable[[], frozenset[str]] = lambda: frozenset(chance.some(names, 0, len(names)))  # noqa: E731
    failing, hopeless, kept, more = some(), some(), some() or frozenset(names), some()

    chosen = choosing_some(there, kept, more)
    return Ruled(
        failing=chance.one(None, lambda node: node.name in failing, lambda node: True),
        hopeless=chance.one(None, None, None, lambda node: node.name in hopeless),
        scores=chance.one(None, {name: chance.randint(0, 10) for name in names}),
        choosing=chance.one(None, chosen, lambda offered: offered),
        binds=chance.often(0.3),
        ignorable=chance.often(0.5),
        down=chance.often(0.15),
        weight=chance.one(1, 2, 3, 9),
        manages=chance.one((), (), (), ("cpu",), ("memory",), ("example.com/gpu",), ("example.com/none",)),
    )


def extended(start: str) -> None:
    """Judge a cluster with one or two extenders."""
    chance = Chance.of(start)
    pod, there, plugins = (contest if chance.often(0.4) else question)(chance)
    asked_outside(chance, (pod, there, plugins))


def asked_outside(chance: Chance, asked: Question) -> None:
    """Judge a question with one or two extenders."""
    pod, there, plugins = asked
    if chance.often(0.25):
        plugins = replace(plugins, points=plugins.points.set("score", ()).set("preScore", ()))
    extenders = [extender(chance, there) for _ in range(chance.one(1, 1, 2))]
    by_names = chance.often(0.5)
    over = [over_http(each, listed(pod, there), by_names=by_names) for each in extenders]
    agree((pod, there, plugins), extenders, over)

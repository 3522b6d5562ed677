"""An out-of-tree plugin: every failure in it is an error that names it, and valid answers are passed on"""

import re
from typing import Any

import numpy as np
import pytest
from frozendict import frozendict

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.out_of_tree import EXPECTED, PluginError, own
from schedcheck.model.production.framework.plugin import FilterPlugin, RememberingPlugin, ReservePlugin, implements
from schedcheck.model.production.framework.status import SKIP, SUCCESS, unschedulable
from schedcheck.model.production.framework.verdicts import Verdicts, verdicts
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS, Arguments
from tests.model.production.cluster import cluster
from tests.support.building import node, pod, snapshot

NODES = cluster(snapshot(node("a"), node("b"))).handle.snapshot.all()
POD = PodInfo(pod("web"))
FILTERED = (CycleState(), POD, NODES)
RESERVED = (CycleState(), POD.pod, "a")
CODES, REASONS = np.zeros(2, np.int8), np.zeros(2, np.int64)
RIGHT: dict[str, tuple[tuple[Any, ...], list[Any]]] = {
    "pre_enqueue": ((POD.pod,), [SUCCESS, unschedulable("no")]),
    "pre_filter": ((CycleState(), POD, None), [(SUCCESS, None), (SKIP, None), (SUCCESS, frozenset({"a"}))]),
    "filter": (FILTERED, [verdicts(CODES), verdicts(CODES + 1, "no")]),
    "pre_score": (FILTERED, [SUCCESS]),
    "score": (FILTERED, [REASONS, unschedulable("no")]),
    "normalize": ((*FILTERED, REASONS), [REASONS]),
    "post_filter": ((CycleState(), POD, None), [(None, SUCCESS)]),
    "reserve": (RESERVED, [SUCCESS]),
    "permit": (RESERVED, [(SUCCESS, 0), (SUCCESS, 1.5)]),
    "pre_bind": (RESERVED, [SUCCESS]),
    "bind": (RESERVED, [SKIP]),
    "remembered": ((), [(), frozenset({"a"})]),
}
WRONG: dict[str, list[Any]] = {
    "pre_enqueue": [None, True],
    "pre_filter": [SUCCESS, (SUCCESS, ["a"]), (None, None), (SUCCESS,)],
    "filter": [
        None, [0, 0], verdicts(CODES[:1]), verdicts(np.zeros(3, np.int8)), verdicts(CODES + 4), verdicts(CODES - 1),
        Verdicts(CODES, REASONS[:1], lambda _: ()),
    ],
    "pre_score": ["Skip"],
    "score": [[1, 2], REASONS[:1], np.zeros(3, np.int64), REASONS.astype(float), None],
    "normalize": [{}, REASONS.astype(np.int32)],
    "post_filter": [None, (None, None)],
    "reserve": [None],
    "permit": [SUCCESS, (SUCCESS, "1s")],
    "pre_bind": [None],
    "bind": [False],
    "remembered": [[], {}],
}  # fmt: skip


def made(**methods: Any) -> Any:
    """A plugin with these methods, as wrapped by the framework."""
    plugin = type("Any", (), {"name": "Mine", **methods})()
    return own("Mine", lambda arguments, handle: plugin)(DEFAULT_ARGUMENTS, Handle())


def test_a_plugin_has_the_name_under_which_it_is_registered() -> None:
    plugin = type("Any", (), {"name": "".join(["Mi", "ne"])})()
    assert own("Mine", lambda arguments, handle: plugin)(DEFAULT_ARGUMENTS, Handle()).name == "Mine"
    plugin.name = "Yours"
    with pytest.raises(PluginError, match="expected a plugin named Mine"):
        own("Mine", lambda arguments, handle: plugin)(DEFAULT_ARGUMENTS, Handle())


def test_every_point_with_an_answer_is_tested() -> None:
    assert set(RIGHT) == set(WRONG) == set(EXPECTED)


@pytest.mark.parametrize("method", RIGHT)
def test_a_valid_answer_is_passed_on(method: str) -> None:
    given, answers = RIGHT[method]
    for answer in answers:
        assert getattr(made(**{method: lambda self, *_, answer=answer: answer}), method)(*given) is answer


@pytest.mark.parametrize("method", WRONG)
def test_an_invalid_answer_is_reported_with_the_expected_type(method: str) -> None:
    for answer in WRONG[method]:
        plugin = made(**{method: lambda self, *_, answer=answer: answer})
        with pytest.raises(PluginError, match=rf"^plugin Mine: {method}.* gave .*, expected {EXPECTED[method][0]}$"):
            getattr(plugin, method)(*RIGHT[method][0])


def test_an_exception_is_reported_with_the_pod_and_the_source_line() -> None:
    def filter(self: Any, state: Any, pod: PodInfo, nodes: Any) -> Any:
        return pod.pod.labels["team"]

    with pytest.raises(PluginError) as caught:
        made(filter=filter).filter(*FILTERED)
    assert re.fullmatch(r"plugin Mine: filter of pod web raised KeyError: 'team' \(.*\.py:\d+\)", str(caught.value))
    assert caught.value.pod == "web"


def test_the_wrapper_implements_exactly_what_the_plugin_implements() -> None:
    filtering = made(filter=lambda *_: verdicts(CODES))
    assert implements(filtering, FilterPlugin)
    assert not implements(filtering, ReservePlugin)
    assert not implements(filtering, RememberingPlugin)


def test_a_factory_receives_the_arguments_of_its_plugin() -> None:
    seen: list[Any] = []

    class Mine:
        name = "Mine"

        def __init__(self, arguments: Any, handle: Handle) -> None:
            seen.append((arguments, handle))

    handle, arguments = Handle(), frozendict({"most": 1})
    own("Mine", Mine)(Arguments(own=frozendict({"Mine": arguments, "Other": frozendict()})), handle)
    own("Mine", Mine)(DEFAULT_ARGUMENTS, handle)
    assert seen == [(arguments, handle), (frozendict(), handle)]


def test_a_factory_that_returns_something_else_is_an_error() -> None:
    for given in (None, type("Other", (), {"name": "Other"})()):
        with pytest.raises(PluginError, match="expected a plugin named Mine"):
            own("Mine", lambda arguments, handle, given=given: given)(DEFAULT_ARGUMENTS, Handle())
    with pytest.raises(PluginError, match=r"^raised ZeroDivisionError: .*test_out_of_tree.py:\d+\)$"):
        own("Mine", lambda arguments, handle: 1 / 0)(DEFAULT_ARGUMENTS, Handle())  # type: ignore[arg-type, return-value]

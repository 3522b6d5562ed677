"""On random clusters with random extenders reached by messages, the production scheduler decides as allowed"""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.checker.drawing.contests import contests
from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.extenders.as_values import judged
from schedcheck.model.production.cycle import algorithm
from schedcheck.model.production.extenders import messages
from schedcheck.model.production.extenders.http import HttpExtender
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.test_random import SLOW
from tests.corpus.extenders import MENDED, bare_nodes, nothing_is_hopeless, victims_are_needed
from tests.support.extending import Ruled, choosing_some, over_http

Question = tuple[Pod, Snapshot, Plugins, tuple[Ruled, ...], bool]


def listed(pod: Pod, there: Snapshot) -> Snapshot:
    """The snapshot with the pod."""
    return replace(there, pods=Snapshot.of([*(each for each in there.pods if each.key != pod.key), pod]).pods)


@st.composite
def rules(draw: st.DrawFn, there: Snapshot) -> Ruled:
    names = sorted(node.name for node in there.nodes)
    some = st.frozensets(st.sampled_from(names)) if names else st.just(frozenset[str]())
    failing, hopeless, kept = draw(some), draw(some), draw(some) or frozenset(names)
    more = draw(some) if draw(st.booleans()) else frozenset[str]()

    chosen = choosing_some(there, kept, more)
    return Ruled(
        failing=draw(st.sampled_from([None, lambda node: node.name in failing])),
        hopeless=draw(st.sampled_from([None, None, lambda node: node.name in hopeless])),
        scores=draw(st.none() | st.just({name: len(name + str(i)) * i % 11 for i, name in enumerate(names)})),
        choosing=chosen if draw(st.booleans()) else None,
        ignorable=draw(st.booleans()),
        down=draw(st.integers(0, 5)) == 0,
        weight=draw(st.integers(1, 3)),
        manages=draw(st.sampled_from([(), (), (), ("cpu",), ("example.com/none",)])),
    )


@st.composite
def extended(draw: st.DrawFn) -> Question:
    pod, there, plugins = draw(st.one_of(FAMILIES.values()))
    extenders = draw(st.lists(rules(there), min_size=1, max_size=2).map(tuple))
    return pod, there, plugins, extenders, draw(st.booleans())


@st.composite
def scored(draw: st.DrawFn) -> Question:
    """An extender of great weight that only scores."""
    pod, there, plugins = draw(st.one_of(FAMILIES.values()))
    scores = {node.name: draw(st.integers(0, 10)) for node in there.nodes}
    return pod, there, plugins, (Ruled(scores=scores, weight=draw(st.integers(2, 9))),), draw(st.booleans())


@st.composite
def refused_by_all(draw: st.DrawFn) -> Question:
    """An extender that rejects every node and agrees to evictions; some nodes may need no victims."""
    pod, there = draw(contests())
    refusing = Ruled(failing=lambda node: True, choosing=lambda offered: offered)
    return pod, there, draw(st.sampled_from([DEFAULT_PLUGINS, MENDED])), (refusing,), draw(st.booleans())


def over(question: Question) -> list[HttpExtender]:
    pod, there, _, extenders, by_names = question
    return [over_http(each, listed(pod, there), by_names=by_names) for each in extenders]


def agree(question: Question) -> None:
    pod, there, plugins, extenders, _ = question
    made = concluded(pod, there, plugins, extenders=over(question))
    found = difference(made, there, plugins, extenders)
    assert found is None, found


@pytest.mark.medium
def test_the_decisions_with_extenders_are_allowed() -> None:
    settings(max_examples=200, suppress_health_check=SLOW)(given(extended())(agree))()
    settings(max_examples=50, suppress_health_check=SLOW)(given(refused_by_all())(agree))()


@settings(max_examples=100, suppress_health_check=SLOW)
@given(contests())
def test_extenders_that_agree_to_everything_change_nothing(contest: tuple[Pod, Snapshot]) -> None:
    pod, there = contest
    there = listed(pod, there)
    agreeing = Ruled(failing=lambda node: False, scores={}, choosing=lambda offered: offered)
    said = judged(pod, there, DEFAULT_PLUGINS, (agreeing,))
    assert said.decisions == decision(pod, there, DEFAULT_PLUGINS)


@pytest.mark.medium
def test_bindings_nominations_and_rejections_are_drawn() -> None:
    kinds: Counter[str] = Counter()

    @settings(max_examples=100, suppress_health_check=SLOW)
    @given(extended())
    def count(question: Question) -> None:
        pod, there, plugins, _, _ = question
        made = concluded(pod, there, plugins, extenders=over(question))
        kinds["bind" if made.hosts else "nominate" if made.nominated else "wait"] += 1

    count()
    assert min(kinds["bind"], kinds["nominate"], kinds["wait"]) >= 5


def unheard(patch: pytest.MonkeyPatch) -> None:
    """The scores of extenders are not added."""
    rated = algorithm._rated
    patch.setattr(algorithm, "_rated", lambda framework, state, pod, nodes, _: rated(framework, state, pod, nodes, ()))


def kept_all(patch: pytest.MonkeyPatch) -> None:
    """The nodes that an extender rejects are kept."""
    result = messages.filter_result
    patch.setattr(
        messages,
        "filter_result",
        lambda answer, asked, **named: replace(result(answer, asked, **named), kept=tuple(asked)),
    )


def weightless(patch: pytest.MonkeyPatch) -> None:
    """The scores of extenders count without their weight."""
    patch.setattr(
        HttpExtender, "prioritize", lambda self, pod, nodes, asked=HttpExtender.prioritize: {
            name: score // self.weight for name, score in asked(self, pod, nodes).items()
        },
    )  # fmt: skip


def always_interested(patch: pytest.MonkeyPatch) -> None:
    """The managed resources of an extender are ignored."""
    patch.setattr(HttpExtender, "interested", lambda self, pod: True)


def never_ignored(patch: pytest.MonkeyPatch) -> None:
    """An error of an ignorable extender ends the cycle."""
    patch.setattr(HttpExtender, "ignorable", property(lambda self: False, lambda self, value: None), raising=False)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("twin", "asked"),
    [
        (kept_all, extended()),
        (weightless, scored()),
        (always_interested, extended()),
        (never_ignored, extended()),
        (bare_nodes, extended()),
        (nothing_is_hopeless, extended()),
        (victims_are_needed, refused_by_all()),
        (unheard, scored()),
    ],
)
def test_a_broken_twin_of_the_extender_handling_is_detected(
    twin: object, asked: st.SearchStrategy[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(twin)
    twin(monkeypatch)
    found = settings(
        max_examples=5000, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate]
    )(given(asked)(agree))
    with pytest.raises(AssertionError):
        found()

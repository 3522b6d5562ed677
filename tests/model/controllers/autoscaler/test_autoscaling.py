"""The steps beside an autoscaler, against a second model of one Deployment whose pods all fit on one node

The second model shares no code with the first. It knows pods as letters, and one cpu metric without `behavior`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.manifests import read, scenario
from schedcheck.model.autoscaling import Autoscaler, Behavior, Direction, Metric, Policy
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import Rule, Scenario
from tests.support.building import node, pod

MOST = 3


class Small(NamedTuple):
    """Replicas of the spec and of the ReplicaSet, the pods, the earlier recommendations, and the applications left.

    A pod is absent ("-"), waiting (w), bound (b), started (s), settled (r), or ending: before (f) or
    after (e) it was started. `given`: the last manifest had
    the field `replicas`.
    """

    spec: int
    scale: int
    pods: str
    highs: tuple[int, ...]
    left: int
    given: bool


class Setting(NamedTuple):
    """minReplicas, readings, readings of pods that have just started, whether they are probed, and the manifest applied."""

    least: int
    readings: tuple[int, ...]
    starting: tuple[int, ...] | None = None
    probed: bool = False
    applied: int | None = None


def wanted(current: int, ready: Sequence[int], missing: int, unready: int) -> int:
    """The replicas for a target of 50 %, by exact fractions."""
    ratio = Fraction(sum(ready) // len(ready), 50)
    if missing == 0 and (unready == 0 or ratio <= 1):
        return current if Fraction(9, 10) <= ratio <= Fraction(11, 10) else ceil(ratio * len(ready))
    use = [*ready]
    use += [100] * missing if ratio < 1 else [0] * (missing + unready) if ratio > 1 else []
    anew = Fraction(sum(use) // len(use), 50)
    found = ceil(anew * len(use))
    still = Fraction(9, 10) <= anew <= Fraction(11, 10) or (anew - 1) * (ratio - 1) < 0
    return current if still or (anew - 1) * (found - current) < 0 else found


def recommended(state: Small, setting: Setting) -> set[int]:
    found = set[int]()
    settled, fresh, pending = (sum(state.pods.count(kind) for kind in kinds) for kinds in ("r", "s", "wb"))
    for kinds in product("mud", repeat=fresh):
        counted = kinds.count("m")
        if setting.probed and counted:
            continue
        for one in setting.readings:
            for other in (one,) if setting.starting is None else setting.starting:
                if settled + counted:
                    ready = [one] * settled + [other] * counted
                    number = wanted(state.spec, ready, kinds.count("d"), kinds.count("u") + pending)
                    found.add(min(MOST, max(setting.least, number)))
    return found


def steps(state: Small, setting: Setting) -> Iterator[Small]:
    """Every step, one for each action and successor."""

    def put(place: int, kind: str) -> Small:
        return state._replace(pods=state.pods[:place] + kind + state.pods[place + 1 :])

    if state.left:
        default = 1 if state.given else state.spec
        after = default if setting.applied is None else setting.applied
        yield state._replace(spec=after, left=state.left - 1, given=setting.applied is not None)
    for place, kind in enumerate(state.pods):
        if kind in "wbsef":
            yield put(place, {"w": "b", "b": "s", "s": "r", "e": "-", "f": "-"}[kind])
    if state.scale != state.spec:
        yield state._replace(scale=state.spec)
    active = [place for place, kind in enumerate(state.pods) if kind in "wbsr"]
    if len(active) < state.scale and "-" in state.pods:
        yield put(state.pods.index("-"), "w")
    if len(active) > state.scale:
        rank = {"w": 0, "b": 1, "s": 2, "r": 2}
        least = min(rank[state.pods[place]] for place in active)
        for place in active:
            if rank[state.pods[place]] == least:
                yield put(place, {"w": "-", "b": "f"}.get(state.pods[place], "e"))
    if state.spec == 0:
        return
    if not setting.least <= state.spec <= MOST:
        yield state._replace(spec=min(MOST, max(setting.least, state.spec)))
        return
    found = set[tuple[int, tuple[int, ...]]]()
    for number in recommended(state, setting):
        highs = (*(each for each in state.highs if each > number), number)
        for high in (*highs, number):
            after = max(setting.least, min(high, MOST, max(2 * state.spec, 4)))
            if (after, highs) != (state.spec, state.highs):
                found.add((after, highs))
    yield from (state._replace(spec=after, highs=highs) for after, highs in found)


def counted(setting: Setting, replicas: int, pods: str, left: int, given: bool) -> tuple[int, int, int]:
    """Distinct states, generated states and levels."""
    first = Small(replicas, replicas, pods, (replicas,), left, given)
    seen, level, generated, depth = {first}, [first], 1, 0
    while level:
        depth += 1
        reached = [after for state in level for after in steps(state, setting)]
        generated += len(reached)
        level = [each for each in dict.fromkeys(reached) if each not in seen]
        seen |= {*level}
    return len(seen), generated, depth


def deployed(setting: Setting, replicas: int, pods: str, left: int, given: bool, **fields: Any) -> Scenario:
    """The same as a scenario; `pods` may be absent, waiting or settled."""
    label = {"app": "web"}
    forms = [pod(f"web-{each}", 1, labels=label, owner=("ReplicaSet", "web-1")) for each in range(MOST)]
    there = [
        replace(form, node_name="n", phase="Running") if kind == "r" else form
        for form, kind in zip(forms, pods, strict=True)
    ]
    rules = (Rule("apply", bound=left, workloads=("deployment/web",), replicas=setting.applied),) if left else ()
    scaler = Autoscaler(
        "web", setting.least, MOST, (Metric("cpu", 50),), readings=setting.readings, starting=setting.starting,
        probed=setting.probed, given=given,
    )  # fmt: skip
    return Scenario(
        name="small", profile="kubernetes", pods=tuple(there), nodes=(node("n", 9),), rules=rules,
        absent=frozenset(form.key for form, kind in zip(forms, pods, strict=True) if kind == "-"),
        controllers=frozenset({"kubelet"}), rollouts=(Rollout("Deployment", "web", "default", replicas, tuple(forms)),),
        autoscalers=(scaler,), **{"properties": ("never_above(app=web, 3)",), **fields},
    )  # fmt: skip


SMALL = [
    pytest.param(Setting(2, (20, 90)), 3, "rrr", 1, True, id="below minReplicas"),
    pytest.param(Setting(1, (20, 90), applied=0), 2, "rr-", 1, True, id="applied with 0"),
    pytest.param(Setting(1, (20, 50, 120), (80,)), 2, "rw-", 0, True, id="up and down"),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("setting", "replicas", "pods", "left", "given"), SMALL)
def test_a_second_model_finds_the_same_states(
    setting: Setting, replicas: int, pods: str, left: int, given: bool
) -> None:
    found = check(deployed(setting, replicas, pods, left, given)).result
    assert (found.distinct, found.generated, found.depth) == counted(setting, replicas, pods, left, given)


EXAMPLES = {
    "bootstrap": (Setting(1, (50,), (200,)), 1, "w--", 0, False),
    "bootstrap-probed": (Setting(1, (50,), (200,), probed=True), 1, "w--", 0, False),
    "replicas-missing": (Setting(1, (50, 90)), 3, "rrr", 1, True),
    "replicas-left-out": (Setting(1, (50, 90)), 3, "rrr", 1, False),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_second_model_finds_the_states_of_each_example(name: str) -> None:
    read_example = scenario(read([Path(__file__).parents[4] / "examples" / f"autoscaler-{name}"]), frozenset())
    whole = check(replace(read_example, properties=("never_above(app=web, 3)",))).result
    assert (whole.distinct, whole.generated, whole.depth) == counted(*EXAMPLES[name])


def test_what_an_earlier_recommendation_brings_back_is_said() -> None:
    """The manifest without `replicas` sets 1, and the recommendation of 3 still counts."""
    machine = Reference(given := deployed(Setting(1, (50,)), 3, "rrr", 1, True), profile_of(given))
    (start,) = machine.initial_states()
    applied = next(
        reached for action, reached in machine.steps(start) if str(action) == "Apply(deployment/web: 3 -> 1)"
    )
    texts = {str(action) for action, _ in machine.steps(applied)}
    assert "Autoscale(deployment/web: 1 -> 3 at 50%, by an earlier recommendation)" in texts


def test_replicas_that_fell_below_the_minimum_come_back_and_others_need_a_reading() -> None:
    """What an autoscaler reads is up to the environment: no fairness makes it read 90 %."""
    for least, verdict in ((3, Verdict.HOLDS), (1, Verdict.VIOLATED)):
        asked = {"properties": ("replicas_reached(app=web, 3)",)}
        assert check(deployed(Setting(least, (50, 90)), 3, "rrr", 1, True, **asked)).result.verdict is verdict


def test_with_one_reading_on_target_all_comes_to_rest_and_with_two_it_need_not() -> None:
    for readings, verdict in (((50,), Verdict.HOLDS), ((20, 90), Verdict.VIOLATED)):
        asked = {"properties": ("comes_to_rest",)}
        assert check(deployed(Setting(1, readings), 1, "w--", 0, False, **asked)).result.verdict is verdict


def test_scaling_up_may_be_disabled_or_slowed() -> None:
    def highest(up: Direction) -> int:
        given = deployed(Setting(1, (200,)), 1, "r--", 0, False)
        own = replace(given.autoscalers[0], behavior=Behavior(up))
        machine = Reference(replace(given, autoscalers=(own,)), profile_of(given))
        seen, waiting = set(machine.initial_states()), list(machine.initial_states())
        first = max(reached.scalings[0].replicas for _, reached in machine.steps(waiting[0]))
        while waiting:
            found = {reached for _, reached in machine.steps(waiting.pop())} - seen
            seen |= found
            waiting += found
        return 10 * first + max(state.scalings[0].replicas for state in seen)

    one = (Policy("Pods", 1),)
    assert [highest(Direction(one, "Disabled")), highest(Direction(one)), highest(Direction((Policy("Pods", 4),)))] == [
        11, 23, 33,
    ]  # fmt: skip


def states(given: Scenario) -> list[State]:
    """Every reachable state."""
    machine = Reference(given, profile_of(given))
    seen = dict.fromkeys(machine.initial_states())
    waiting = list(seen)
    while waiting:
        for _, reached in machine.steps(waiting.pop()):
            if reached not in seen:
                seen[reached] = None
                waiting.append(reached)
    return list(seen)


def test_a_stateful_set_grows_and_shrinks_at_its_end() -> None:
    """With OrderedReady a pod is there only after those before it; the last one goes first."""
    given = deployed(Setting(1, (20, 90)), 1, "w--", 0, False)
    (rollout,) = given.rollouts
    pods = tuple(replace(each, owner=("StatefulSet", "web")) for each in given.pods)
    ordered = replace(rollout, kind="StatefulSet", forms=pods, ordered=True)
    found = states(replace(given, pods=pods, rollouts=(ordered,)))
    present = {tuple(each is not None for each in state.pods) for state in found}
    assert present == {(True, False, False), (True, True, False), (True, True, True), (False, False, False)} - (
        {(False, False, False)}
    )


def test_a_deleted_pod_on_an_unreachable_node_is_replaced_only_if_it_is_missing() -> None:
    given = deployed(Setting(1, (50,), applied=1), 2, "rr-", 1, True)
    lost = replace(given.nodes[0], ready="Unknown")
    given = replace(given, nodes=(lost,), controllers=given.controllers | {"owners"})
    machine = Reference(given, profile_of(given))
    seen = set[tuple[bool, bool]]()
    for state in states(given):
        lingering = any(each is not None and each.terminating for each in state.pods)
        missing = sum(each is not None and not each.terminating for each in state.pods) < state.scales[0][1]
        replaces = any(type(action).__name__ == "Replace" for action, _ in machine.steps(state))
        assert replaces == (lingering and missing)
        seen.add((lingering, missing))
    assert seen >= {(True, True), (True, False)}

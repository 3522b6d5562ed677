"""Controllers and the eviction API: one test for each guard and effect"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers import NOT_READY, UNREACHABLE, bears, conditioned, tainted_by_condition
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import CONTROLLERS, Scenario
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Taint, Toleration
from schedcheck.spec.profiles import CORRECTED
from tests.support.building import node, on_nodes, on_pods, pod, scenario, selector

WEB = {"app": "web"}
OWNED = ("ReplicaSet", "web")
NO_EXECUTE = Taint("gone", "NoExecute")


def budget(allowed: int = 0, **fields: Any) -> PodDisruptionBudget:
    """A budget over app=web."""
    return PodDisruptionBudget("web", selector=selector(**WEB), disruptions_allowed=allowed, **fields)


def controlled(*things: Any, controllers: Iterable[str] = CONTROLLERS, **fields: Any) -> Scenario:
    """A scenario in which these controllers run."""
    return scenario(*things, controllers=frozenset(controllers), **fields)


def initial(given: Scenario) -> tuple[Reference, State]:
    """The transition system of a scenario and its initial state."""
    machine = Reference(given, CORRECTED)
    return machine, next(iter(machine.initial_states()))


def texts(given: Scenario) -> list[str]:
    """The steps from the initial state, as texts."""
    machine, state = initial(given)
    return [str(action) for action, _ in machine.steps(state)]


def after(given: Scenario, text: str) -> tuple[Reference, State]:
    """The transition system, and the state that this step leads to."""
    machine, state = initial(given)
    return machine, next(found for action, found in machine.steps(state) if str(action) == text)


def test_without_controllers_no_controller_step_is_enabled() -> None:
    tired = replace(node("n", 4), ready="False", taints=(NO_EXECUTE,))
    given = controlled(pod("web-1", 1, on="n", owner=OWNED), tired, controllers=(), budgets=(budget(allowed=5),))
    assert texts(given) == []


def test_an_owner_creates_its_missing_pod_and_an_unowned_pod_stays_missing() -> None:
    given = controlled(pod("web-1", 1, owner=OWNED), pod("bare", 1), node("n", 4), absent="*", controllers=["owners"])
    assert texts(given) == ["Create(web-1)"]


@pytest.mark.parametrize(
    ("owner", "created"),
    [
        (("Node", "n"), []),
        (("apps.example.com/v1, Kind=StatefulSet", "db"), []),
        (("apps/v1beta2, Kind=StatefulSet", "db"), ["Create(db-0)"]),
        (("StatefulSet", "db"), ["Create(db-0)"]),
    ],
)
def test_static_pods_and_pods_of_unknown_controllers_are_not_recreated(
    owner: tuple[str, str], created: list[str]
) -> None:
    given = controlled(pod("db-0", 1, owner=owner), node("n", 4), absent="*", controllers=["owners"])
    assert texts(given) == created


def test_a_recreated_pod_is_pending_and_unbound() -> None:
    given = controlled(
        pod("web-1", 1, on="n", owner=OWNED, phase="Running"), node("n", 4), absent="*", controllers=["owners"]
    )
    _, state = after(given, "Create(web-1)")
    assert state.pods[0] is not None
    assert (state.pods[0].node_name, state.pods[0].phase) == ("", "Pending")


def test_a_pod_whose_template_names_a_node_is_recreated_on_it() -> None:
    away = pod("web-1", 1, owner=OWNED, template_node_name="n1")
    given = controlled(away, node("n1", 4), node("n2", 4), absent="*", controllers=["owners"])
    machine, state = after(given, "Create(web-1)")
    assert state.pods == (replace(away, node_name="n1"),)
    assert list(machine.steps(state)) == []


def test_a_pod_recreated_on_a_tainted_node_is_evicted_again_and_again() -> None:
    looping = pod("web-1", 1, on="n1", owner=OWNED, template_node_name="n1")
    given = controlled(looping, node("n1", 4, taints=(NO_EXECUTE,)), node("n2", 4))
    asked = replace(given, properties=("comes_to_rest", "evictions_end"))
    assert [str(each.verdict) for each in (check(asked).result,)] == ["violated"]
    assert {each.property.name for each in check(asked).result.violations} == {"comes_to_rest", "evictions_end"}
    free = replace(asked, pods=(replace(looping, template_node_name=""),))
    assert check(free).result.verdict == Verdict.HOLDS


def test_a_completed_pod_of_a_job_stays_and_is_not_recreated() -> None:
    given = controlled(
        pod("job-1", 1, on="n", owner=("Job", "job")),
        node("n", 4),
        rules=[on_pods("complete", "job-1")],
        controllers=["owners"],
    )
    machine, state = after(given, "Complete(job-1)")
    assert state.pods[0] is not None and state.pods[0].phase == "Succeeded"
    assert list(machine.steps(state)) == []


def test_the_kubelet_of_a_ready_node_starts_its_bound_pods() -> None:
    given = controlled(pod("web-1", 1, on="n"), node("n", 4), controllers=["kubelet"])
    machine, state = after(given, "Start(web-1)")
    assert state.pods[0] is not None and state.pods[0].phase == "Running"
    assert list(machine.steps(state)) == []


def test_a_node_that_is_not_ready_starts_no_pod() -> None:
    for ready in ("False", "Unknown"):
        given = controlled(pod("web-1", 1, on="n"), replace(node("n", 4), ready=ready), controllers=["kubelet"])
        assert texts(given) == []


def test_a_node_with_ready_false_still_ends_deleted_pods() -> None:
    ending = pod("web-1", 1, on="n", phase="Running", terminating=True)
    given = controlled(ending, replace(node("n", 4), ready="False"), controllers=["kubelet"])
    assert texts(given) == ["End(web-1)"]


def test_with_a_kubelet_a_deleted_pod_terminates_until_its_node_ends_it() -> None:
    given = controlled(
        pod("web-1", 1, on="n", phase="Running"),
        node("n", 4),
        rules=[on_pods("delete", "web-1")],
        controllers=["kubelet"],
    )
    machine, state = after(given, "Delete(web-1)")
    assert state.pods[0] is not None and state.pods[0].terminating
    assert [(str(action), found.pods) for action, found in machine.steps(state)] == [("End(web-1)", (None,))]


def test_with_a_kubelet_a_pod_completes_only_after_it_has_started() -> None:
    rules = [on_pods("complete", "web-1")]
    given = controlled(pod("web-1", 1, on="n"), node("n", 4), rules=rules, controllers=["kubelet"])
    assert texts(given) == ["Start(web-1)"]
    started = controlled(pod("web-1", 1, on="n", phase="Running"), node("n", 4), rules=rules, controllers=["kubelet"])
    assert texts(started) == ["Complete(web-1)"]


def test_a_pending_pod_is_removed_at_once_when_deleted() -> None:
    given = controlled(pod("web-1", 9), node("n", 4), rules=[on_pods("delete", "web-1")], controllers=["kubelet"])
    assert after(given, "Delete(web-1)")[1].pods == (None,)


def test_node_conditions_add_taints_and_readiness_removes_them() -> None:
    for ready, key in (("False", NOT_READY), ("Unknown", UNREACHABLE)):
        tired = replace(node("n", 4, taints=(Taint("mine", "NoSchedule"),)), ready=ready)
        tainted = conditioned(tired)
        assert {str(taint) for taint in tainted.taints} == {"mine:NoSchedule", f"{key}:NoSchedule", f"{key}:NoExecute"}
        assert list(tainted_by_condition(tainted)) == []
        assert conditioned(replace(tainted, ready="True")).taints == (Taint("mine", "NoSchedule"),)


def test_a_ready_node_without_condition_taints_is_unchanged() -> None:
    assert list(tainted_by_condition(node("n", 4))) == []


def test_only_an_unlimited_toleration_bears_a_no_execute_taint() -> None:
    tainted = node("n", 4, taints=(NO_EXECUTE,))
    assert not bears(pod(), tainted)
    assert bears(pod(tolerations=(Toleration("gone", "Exists"),)), tainted)
    assert not bears(pod(tolerations=(Toleration("gone", "Exists", seconds=300),)), tainted)
    assert bears(pod(), node("n", 4, taints=(Taint("gone", "NoSchedule"),)))


def test_a_no_execute_taint_evicts_pods_that_do_not_tolerate_it() -> None:
    given = controlled(
        pod("web-1", 1, on="n"),
        pod("daemon", 1, on="n", tolerations=(Toleration("", "Exists"),)),
        node("n", 4, taints=(NO_EXECUTE,)),
        controllers=["lifecycle"],
    )
    assert texts(given) == ["TaintEvict(web-1)"]


def test_the_disruption_controller_recounts_only_an_outdated_status() -> None:
    pods = [pod(f"web-{number}", 1, on="n", labels=WEB) for number in (1, 2)]
    stale = controlled(*pods, node("n", 4), budgets=(budget(5, min_available=1),), controllers=["disruption"])
    machine, state = after(stale, "Recount(web)")
    assert state.allowed == (1,)
    assert machine.view(state).budgets[0].disruptions_allowed == 1
    assert list(machine.steps(state)) == []


def test_the_eviction_api_uses_up_disruptions_and_rejects_when_none_is_left() -> None:
    pods = [pod(f"web-{number}", 1, on="n", labels=WEB) for number in (1, 2)]
    given = controlled(
        *pods,
        node("n", 4),
        rules=[on_pods("evict", "web-1 web-2")],
        budgets=(budget(1, min_available=1),),
        controllers=(),
    )
    machine, state = after(given, "Evict(web-1)")
    assert (state.pods[0], state.allowed) == (None, (0,))
    assert list(machine.steps(state)) == []


def test_the_eviction_api_rejects_a_pod_with_two_budgets() -> None:
    given = controlled(
        pod("web-1", 1, on="n", labels=WEB),
        node("n", 4),
        rules=[on_pods("evict", "web-1")],
        budgets=(budget(1, min_available=0), replace(budget(1, min_available=0), name="other")),
        controllers=(),
    )
    assert texts(given) == []


@pytest.mark.parametrize(
    ("phase", "controllers", "goes"),
    [("Pending", ["kubelet"], True), ("Running", ["kubelet"], False), ("Pending", ["disruption"], False)],
)
def test_no_budget_is_asked_about_a_pod_that_its_kubelet_has_still_to_start(
    phase: str, controllers: list[str], goes: bool
) -> None:
    given = controlled(
        pod("web-1", 1, on="n", labels=WEB, phase=phase),
        node("n", 4),
        rules=[on_pods("evict", "web-1")],
        budgets=(budget(0, min_available=1), replace(budget(0, min_available=1), name="other")),
        controllers=controllers,
    )
    assert ("Evict(web-1)" in texts(given)) == goes
    if goes:
        _, state = after(given, "Evict(web-1)")
        left = state.pods[0]
        assert left is not None and left.terminating and state.allowed == (0, 0)


def test_eviction_by_the_api_respects_a_budget_with_a_correct_status() -> None:
    given = draining(allowed=1)
    checked = check(replace(given, properties=("budget_kept(web)",)))
    assert checked.result.verdict == Verdict.HOLDS
    assert checked.result.coverage["Evict"] > 0


def test_eviction_by_the_api_violates_a_budget_with_an_outdated_status() -> None:
    """The broken twin: two disruptions are recorded but only one is spare, so the second eviction violates the budget."""
    checked = check(replace(draining(allowed=2), properties=("budget_kept(web)",)))
    assert checked.result.verdict == Verdict.VIOLATED
    assert len(checked.result.violations[0].trace) == 3


def draining(allowed: int) -> Scenario:
    """Two pods, one of which must stay, their owner, and a drain of the node."""
    pods = [pod(f"web-{number}", 1, on="n", labels=WEB, owner=OWNED) for number in (1, 2)]
    return controlled(
        *pods,
        node("n", 4),
        rules=[on_pods("evict", "web-1 web-2"), on_nodes("cordon", "n")],
        budgets=(budget(allowed, min_available=1, expected=2),),
        controllers=["owners", "disruption"],
    )


def test_a_pod_evicted_by_a_taint_is_recreated_and_placed_elsewhere() -> None:
    given = controlled(
        pod("web-1", 1, on="n1", owner=OWNED, phase="Running"),
        node("n1", 4),
        node("n2", 4),
        rules=[on_nodes("unready", "n1", bound=1)],
    )
    checked = check(replace(given, properties=("pod_can_still_be_bound(web-1)",)))
    assert checked.result.verdict == Verdict.HOLDS
    for kind in ("Unready", "TaintByCondition", "TaintEvict", "End", "Create", "Bind", "Start"):
        assert checked.result.coverage[kind] > 0, kind


def test_a_pod_on_an_unreachable_node_cannot_be_ended_there() -> None:
    ending: Pod = pod("web-1", 1, on="n", phase="Running", terminating=True)
    given = controlled(ending, replace(node("n", 4), ready="Unknown"), controllers=["kubelet"])
    assert texts(given) == []

"""The StatefulSet and DaemonSet controllers: which pod is created, deleted or replaced next"""

from collections.abc import Sequence

import pytest

from schedcheck.model.controllers import daemon_set, stateful_set
from schedcheck.model.rollouts import Rollout
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, Requirement
from tests.support.building import pod

# A StatefulSet is written as text: for each ordinal a pod of the former (f) or the present template (p), available
# (upper case), bound and not available (lower case), being deleted (x), or absent (-).


def stateful(replicas: int, beyond: int = 0, **fields: object) -> Rollout:
    forms = tuple(pod(f"db-{number}", uid="new") for number in range(replicas))
    former = tuple(pod(f"db-{number}") for number in range(replicas + beyond))
    return Rollout("StatefulSet", "db", "default", replicas, forms, former, "new", **{"ordered": True, **fields})


def written(text: str) -> dict[tuple[str, str], Pod]:
    found = {}
    for number, letter in enumerate(text):
        if letter != "-":
            phase = "Running" if letter.isupper() or letter == "x" else "Pending"
            uid = "new" if letter in "pP" else ""
            made = pod(f"db-{number}", on="n", phase=phase, uid=uid, terminating=letter == "x")
            found[made.key] = made
    return found


def following(rollout: Rollout, text: str) -> list[str]:
    return [f"{'+' if create else '-'}{each.name[-1]}{each.uid}" for each, create in stateful_set.steps(rollout, written(text))]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("FFF", ["-2"]),
        ("FFx", []),
        ("FF-", ["+2new"]),
        ("FFp", []),
        ("FFP", ["-1"]),
        ("FPP", ["-0"]),
        ("PPP", []),
        # A pod below that is not available blocks everything.
        ("fFF", []),
        ("-FF", ["+0new"]),
        ("Ff-", []),
    ],
)
def test_an_ordered_update_goes_down_one_by_one(text: str, steps: list[str]) -> None:
    assert following(stateful(3), text) == steps


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("---", ["+0new", "+1new", "+2new"]),
        ("FFF", ["-2"]),
        # Updates wait for a pod above that is not available, even if the policy is Parallel.
        ("FFp", []),
        ("fFF", ["-2"]),
        ("fFP", ["-1"]),
        ("FxP", []),
    ],
)
def test_a_parallel_set_creates_at_once_and_updates_one_by_one(text: str, steps: list[str]) -> None:
    assert following(stateful(3, ordered=False), text) == steps


def test_a_partition_keeps_the_former_template_below_it() -> None:
    made = stateful(3, partition=2)
    assert following(made, "FFF") == ["-2"]
    assert following(made, "FFP") == []
    assert following(made, "F-P") == ["+1"]
    assert following(made, "FF-") == ["+2new"]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("PPFF", ["-3"]),
        ("PPFx", []),
        ("PPF-", ["-2"]),
        # An unavailable pod is deleted only if no unavailable one is below it.
        ("PPFf", ["-3"]),
        ("PPff", []),
        ("Ppff", []),
    ],
)
def test_pods_beyond_the_replicas_go_from_the_highest_ordinal(text: str, steps: list[str]) -> None:
    assert following(stateful(2, beyond=2), text) == steps


def test_a_parallel_set_deletes_all_beyond_the_replicas() -> None:
    assert following(stateful(1, beyond=2, ordered=False), "PFf") == ["-2", "-1"]


# A DaemonSet on the nodes 0, 1 …: on each the letters of its pods.


def daemons(number: int, surge: int = 0, unavailable: int = 1) -> Rollout:
    def on(node: int) -> Affinity:
        return Affinity(node_required=(NodeSelectorTerm((), (Requirement("metadata.name", "In", (f"n{node}",)),)),))

    forms = tuple(pod(f"new-{node}", uid="new", affinity=on(node)) for node in range(number))
    former = tuple(pod(f"old-{node}", affinity=on(node)) for node in range(number))
    return Rollout("DaemonSet", "ds", "default", number, forms, former, "new", surge, unavailable)


def on_nodes(crowds: Sequence[str]) -> dict[tuple[str, str], Pod]:
    found = {}
    for number, crowd in enumerate(crowds):
        for letter in crowd:
            new = letter in "pP"
            phase = "Running" if letter.isupper() or letter == "x" else "Pending"
            made = pod(f"{'new' if new else 'old'}-{number}", on=f"n{number}", phase=phase, uid="new" if new else "", terminating=letter == "x")  # fmt: skip
            found[made.key] = made
    return found


@pytest.mark.parametrize(
    ("surge", "unavailable", "crowds", "steps"),
    [
        (0, 1, ("F", "F"), {"-old-0", "-old-1"}),
        (0, 1, ("x", "F"), set()),
        (0, 1, ("", "F"), {"+new-0"}),
        (0, 1, ("p", "F"), set()),
        (0, 2, ("p", "F"), {"-old-1"}),
        (0, 1, ("P", "F"), {"-old-1"}),
        # A former pod that is not available is replaced whatever the limit.
        (0, 1, ("p", "f"), {"-old-1"}),
        (1, 0, ("F", "F"), {"+new-0", "+new-1"}),
        (1, 0, ("Fp", "F"), set()),
        (1, 0, ("fp", "F"), {"-old-0", "+new-1"}),
        (1, 0, ("FP", "F"), {"-old-0", "+new-1"}),
        (1, 0, ("Fp", "f"), {"+new-1"}),
        (2, 0, ("Fp", "F"), {"+new-1"}),
        (0, 1, ("P", "P"), set()),
        # A node that is not to have a pod any more.
        (0, 1, ("P", "P", "F"), {"-old-2"}),
    ],
)
def test_daemons_are_replaced_within_their_limits(
    surge: int, unavailable: int, crowds: tuple[str, ...], steps: set[str]
) -> None:
    made = daemons(2, surge, unavailable)
    if len(crowds) > 2:
        extra = pod("old-2")
        made = Rollout("DaemonSet", "ds", "default", 2, made.forms, (*made.former, extra), "new", surge, unavailable)
    found = daemon_set.steps(made, on_nodes(crowds))
    assert {f"{'+' if create else '-'}{each.name}" for each, create in found} == steps

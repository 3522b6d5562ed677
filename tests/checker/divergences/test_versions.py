"""What changed between versions: each row, its smallest case, its predicate, its feature gate, and the page"""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, pairwise

import pytest

from docs import versions
from docs.cases import EXAMPLES, PENDING, stored
from docs.divergences import MARK, commands, without_outputs
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import cases
from schedcheck.checker.divergences.row import Row
from schedcheck.checker.divergences.rows import decided
from schedcheck.checker.divergences.version_rows import CHANGES, OF_DEVICES, OF_GROUPS, UNSEEN, Told, told
from schedcheck.manifests.feature_gates import GANGS, WITH_GANGS, WITHOUT
from schedcheck.manifests.gate_defaults import GATES, READ, needs
from schedcheck.spec.decisions import Nominate, Wait
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.requests import unresized
from schedcheck.spec.values import NO_AMOUNTS
from tests.checker.divergences.searching import searched, the_smallest_is_stored

BY_NAME = {"argnames": "each", "argvalues": CHANGES, "ids": [each.name for each in CHANGES]}
WRITTEN = versions.PAGE.read_text()
BY_EVENT: dict[str, Told] = {
    "untolerated-taint-named": Wait,
    "nomination-unmentioned": Nominate,
    "idle-claims-mentioned": Wait,
}
"""The changes that only the event shows, with the kind of decision."""


def of(profile: str) -> Departures:
    """The departures of the version with this profile."""
    return VERSIONS[profile.removeprefix("kubernetes-")].departures


def answer(each: Row, case: Case, departures: Departures) -> frozenset[str]:
    """What the row compares: events or decisions."""
    if each.name in BY_EVENT:
        return told(case, departures, BY_EVENT[each.name])
    return frozenset(map(str, decided(case, departures)))


def test_every_departure_that_tells_two_successive_versions_apart_has_a_row() -> None:
    newest_first = list(VERSIONS.values())
    apart = {
        (which.value, f"kubernetes-{older.name}", f"kubernetes-{newer.name}")
        for newer, older in pairwise(newest_first)
        for which in older.departures ^ newer.departures
    }
    unseen = {(one.name, f"kubernetes-{name}") for name, several in UNSEEN.items() for one in several}
    others = {*OF_DEVICES, *OF_GROUPS}
    rest = {each for each in apart if Departure(each[0]) not in others and (each[0], each[2]) not in unseen}
    assert rest == {(each.name, *each.witnesses) for each in CHANGES}
    assert {name for name, *_ in apart} >= {each.value for each in others}


def test_every_row_has_a_unique_name_and_a_folder() -> None:
    names = [each.name for each in (*CHANGES, *(one for several in UNSEEN.values() for one in several))]
    assert len(set(names)) == len(names)
    assert {path.name for path in (EXAMPLES / "versions").iterdir()} == {each.name for each in CHANGES}


@pytest.mark.parametrize(**BY_NAME)
def test_the_smallest_case_still_differs_and_by_this_departure_alone(each: Row) -> None:
    case, which = stored(each), frozenset({Departure(each.name)})
    older, newer = map(of, each.witnesses)
    before, since = each.answers(case)
    assert before != since
    assert (answer(each, case, older), answer(each, case, newer)) == (before, since)
    assert (answer(each, case, older ^ which), answer(each, case, newer ^ which)) == (since, before)


@pytest.mark.parametrize("each", searched(CHANGES))
def test_nothing_smaller_in_the_domain_differs(each: Row) -> None:
    the_smallest_is_stored(each)


@pytest.mark.parametrize(**BY_NAME)
def test_only_the_event_of_some_differs(each: Row) -> None:
    case = stored(each)
    older, newer = ({str(made) for made in decided(case, of(one))} for one in each.witnesses)
    assert (older == newer) == (each.name in BY_EVENT) == (not each.compared)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(**BY_NAME)
def test_the_predicate_covers_every_difference_of_its_domain_but_not_everything(each: Row) -> None:
    spared = 0
    for case in islice(cases(each.domain), 600):
        before, since = each.answers(case)
        made = {one for profile in each.witnesses for one in decided(case, of(profile))}
        changed = [one for one in made if before != since and (each.name in BY_EVENT or str(one) in before ^ since)]
        assert bool(changed) == (before != since)
        assert all(each.covers(one, case.snapshot) for one in changed)
        spared += before == since and not any(each.covers(one, case.snapshot) for one in made)
    assert spared > 0


def pending(snapshot: Snapshot, change: Callable[[Pod], Pod]) -> Snapshot:
    """The snapshot with the pending pod changed."""
    return replace(snapshot, pods=tuple(change(pod) if pod.name == PENDING else pod for pod in snapshot.pods))


NEAR: dict[Departure, Callable[[Snapshot], Snapshot]] = {
    Departure.UNTOLERATED_TAINT_NAMED: lambda s: replace(s, nodes=tuple(replace(each, taints=()) for each in s.nodes)),
    # A pod without requests is not scored by the balance.
    Departure.BALANCED_WITH_THE_POD_ALONE: lambda s: pending(
        s,
        lambda pod: replace(pod, containers=tuple(replace(each, requests=NO_AMOUNTS) for each in pod.containers)),
    ),
    Departure.IMAGE_VOLUMES_UNRATED: lambda s: pending(s, lambda pod: replace(pod, volumes=())),
    Departure.DECLARED_FEATURES_IGNORED: lambda s: replace(
        s, nodes=tuple(replace(each, declared_features=s.pods[0].required_features) for each in s.nodes)
    ),
    Departure.POD_LEVEL_STATUS_IGNORED: lambda s: replace(s, pods=tuple(map(unresized, s.pods))),
    Departure.GREATEST_OF_EACH_CONTAINER: lambda s: replace(s, pods=tuple(map(unresized, s.pods))),
    Departure.PORTWORX_BY_ANNOTATION: lambda s: replace(
        s,
        storage=replace(
            s.storage,
            nodes=tuple(
                replace(each, migrated=frozenset({"kubernetes.io/portworx-volume"})) for each in s.storage.nodes
            ),
        ),
    ),
    Departure.NAMESPACE_SELECTOR_ON_NO_LABELS: lambda s: replace(
        s, namespaces=tuple(replace(each, labels=each.labels.delete("team")) for each in s.namespaces)
    ),
    Departure.IMAGE_VOLUMES_UNCOUNTED: lambda s: pending(s, lambda pod: replace(pod, volumes=())),
    # The pod is not more important than the other.
    Departure.NOMINATION_UNMENTIONED: lambda s: pending(s, lambda pod: replace(pod, priority=0)),
    Departure.IDLE_CLAIMS_MENTIONED: lambda s: replace(
        s, nodes=tuple(replace(each, unschedulable=False) for each in s.nodes)
    ),
    Departure.MISSING_DRIVERS_IGNORED: lambda s: replace(
        s,
        storage=replace(s.storage, drivers=tuple(replace(each, required_on_nodes=False) for each in s.storage.drivers)),
    ),
    Departure.STORAGE_CAPACITY_UNRATED: lambda s: pending(s, lambda pod: replace(pod, volumes=())),
    Departure.LATER_BUDGETS_UNCHARGED: lambda s: replace(s, budgets=s.budgets[:1]),
}
"""Changes that remove from a smallest case the one thing that makes the versions differ."""


@pytest.mark.parametrize(**BY_NAME)
def test_without_its_one_condition_the_smallest_case_agrees_and_is_not_covered(each: Row) -> None:
    snapshot = NEAR[Departure(each.name)](stored(each).snapshot)
    near = Case(next(pod for pod in snapshot.pods if pod.name == PENDING), snapshot)
    assert not each.differs(near)
    assert not any(each.covers(one, snapshot) for one in decided(near, of(each.witnesses[0])))


@pytest.mark.parametrize("gate", WITHOUT)
def test_the_default_of_a_feature_gate_is_its_departure_in_each_version(gate: str) -> None:
    which, _ = WITHOUT[gate]
    for name, version in VERSIONS.items():
        default = GATES[gate].get(version.patch)
        assert (which in version.departures) == (default is None or not default.on), name


# The page.


def test_the_page_is_generated_from_the_rows() -> None:
    assert without_outputs(WRITTEN) == versions.page()


def test_the_page_has_a_section_and_a_link_from_its_version_for_each_change() -> None:
    for each in (*CHANGES, *(one for several in UNSEEN.values() for one in several)):
        assert WRITTEN.count(f"\n## {each.name}\n") == 1
        (line,) = (
            line for line in WRITTEN.splitlines() if "` | 1.3" in line and f"[{each.name}](#{each.name})" in line
        )
        assert line.startswith("| `kubernetes-1.3")


def test_each_smallest_case_is_shown_by_a_command_with_its_output() -> None:
    for each in CHANGES:
        for command in commands(each):
            assert f"$ {command}\n" in WRITTEN
            assert f"$ {command}\n{MARK}" not in WRITTEN


def test_the_gates_that_the_page_says_are_refused_are_refused() -> None:
    for gate, minor in versions.REFUSED:
        assert versions.refusal(gate, minor).startswith("--feature-gates: ")
    assert versions.refusal("VolumeLimitScaling=false", "1.37") == ""


def test_the_gates_that_the_page_says_are_not_modelled_are_off_and_refused() -> None:
    rows = versions.NOT_MODELLED.partition("| gates |")[2].partition("And this")[0]
    gates = [gate for gate in sorted(READ) if gate in re.findall(r"\w+", rows)]
    assert len(gates) == 9
    for gate in gates:
        for name, version in VERSIONS.items():
            if version.patch in GATES[gate] and not (gate in GANGS and version.patch in WITH_GANGS):
                assert not GATES[gate][version.patch].on
                on = ",".join(f"{each}=true" for each in with_needed(gate, version.patch))
                assert "is not modelled" in versions.refusal(on, name), on
    assert not {*gates} & {*WITHOUT}


def with_needed(gate: str, patch: str) -> set[str]:
    """Return the gate with those that it needs."""
    return {gate}.union(*(with_needed(each, patch) for each in needs(gate, patch)))


def test_a_changed_row_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "CHANGES", (replace(CHANGES[0], title="Nothing of the kind."), *CHANGES[1:]))
    assert without_outputs(WRITTEN) != versions.page()

"""Resource claims in TLA+: operators and modules of random scenarios answer as Python does; each broken operator shows

Operators are asked about every pod and node of a random scenario, and the counts of modules are those of `check`. The
evaluator and the checker of the language run the modules here.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.language.checking.checking import check as check_module
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds
from schedcheck.manifests import read
from schedcheck.manifests import scenario as scenario_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Nominate, Wait
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.tla_export.export import export
from schedcheck.tla_export.values import NULL
from tests.tla.counts import machine_of
from tests.tla.devices_asked import Asked, ours, unlike
from tests.tla.devices_broken import BROKEN, BROKEN_SHARING, BROKEN_STEPS, broken
from tests.tla.devices_shown import SHOWN_BY
from tests.tla.random_devices import SHARING, STALE, exportable
from tests.tla.regenerate import EXAMPLES, TLA
from tests.tla.sharing_devices import CASES

Found = tuple[str, int, int, int]
OPERATORS = (*range(700), *range(5000, 5100))
SHARED = range(SHARING, SHARING + 900)
"""The seeds of scenarios with shared counters and devices that are allocated several times: 671 can be exported."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "start",
    [
        pytest.param(each, marks=[pytest.mark.slow] if each not in (0, 700) else [])
        for each in range(0, len(OPERATORS), 50)
    ],
)
def test_every_operator_answers_as_its_twin(start: int) -> None:
    different = {
        (scenario.profile, question): number
        for number, scenario in enumerate(exportable(OPERATORS[start : start + 50]))
        for question in unlike(scenario)
    }
    assert different == {}


@pytest.mark.medium
@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(start, start + 30), marks=[pytest.mark.slow] if start > SHARING else [])
        for start in SHARED[::30]
    ],
    ids=str,
)
def test_every_operator_answers_as_its_twin_where_devices_are_shared(seeds: range) -> None:
    different = {
        (scenario.profile, question): number
        for number, scenario in enumerate(exportable(seeds))
        for question in unlike(scenario)
    }
    assert different == {}


@pytest.mark.parametrize("case", CASES)
def test_every_operator_answers_as_its_twin_on_a_small_case(case: str) -> None:
    assert unlike(CASES[case]) == []


def test_devices_are_shared_in_the_scenarios_of_these_seeds() -> None:
    """Each feature is there, and some claim gets a share of a device that another one has already."""
    devices = [scenario.devices for scenario in exportable(SHARED[:120])]
    every = [[device for listing in each.slices for device in listing.devices] for each in devices]
    assert sum(any(device.consumes for device in some) for some in every) > 20
    assert sum(any(device.multiple and device.policies for device in some) for some in every) > 40
    held = [[claim.allocation for claim in each.claims if claim.allocation is not None] for each in devices]
    assert sum(any(result.shared for each in some for result in each.results) for some in held) > 20


@pytest.mark.medium
def test_the_answers_vary() -> None:
    seen: dict[str, set[object]] = {}
    several, failing = 0, 0
    for scenario in exportable(OPERATORS[:250]):
        for question, answer in ours(Asked(scenario)).items():
            name = question.partition(" ")[0]
            seen.setdefault(name, set()).add(answer)
            several += name == "BoundClaims" and str(answer).count("ResourceClaim") > 4
            failing += "Error" in str(answer)
    assert min(map(len, seen.values())) > 1
    assert several > 20 and failing > 3


def of_module(scenario: Scenario, folder: Path, changed: Mapping[str, str] | None = None) -> Found:
    """The verdict and the counts of the module of a scenario; `changed` are texts of modules that replace others."""
    export(scenario, folder)
    for name, text in (changed or {}).items():
        (folder / f"{name}.tla").write_text(text, encoding="utf-8")
    name = next(path.stem for path in folder.glob("MC_*.tla"))
    read_ = loaded(folder / f"{name}.tla", (folder, TLA), MODULES)
    model = Model(read_.modules, read_.root.name, configuration(folder / f"{name}.cfg"))
    result = check_module(model, Bounds(seconds=300)).result
    assert not result.stopped
    return result.verdict.value, result.distinct, result.generated, result.depth


def of_check(scenario: Scenario) -> Found:
    result = check(scenario, symmetry=False).result
    return "violated" if result.violations else "holds", result.distinct, result.generated, result.depth


FREEING = (2017, 2272, 2549, 2579, 2410, 2571, 2001, 2054, 2163, 2182, 2234, 2332, 2364, 2379, 2456, 2485, 2523, 2564)
"""The seeds of scenarios in which PostFilter deallocates a claim, or a pod is evicted; in 2485 one decision does both."""
OTHERS = (
    1003,
    1015,
    1022,
    1109,
    *range(1000, 1003),
    *range(1004, 1015),
    *range(1016, 1022),
    *range(1023, 1060),
    *range(5100, 5120),
)
SOON = {2017, 2272, 2549, 1003, 1015, 1022, 1109}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "seed", [pytest.param(each, marks=[] if each in SOON else [pytest.mark.slow]) for each in (*FREEING, *OTHERS)]
)
def test_a_module_has_the_counts_of_check(seed: int, tmp_path: Path) -> None:
    for scenario in exportable([seed]):
        assert of_module(scenario, tmp_path) == of_check(scenario)


SHARED_SOON = {10127, 10129}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "seed", [pytest.param(each, marks=[] if each in SHARED_SOON else [pytest.mark.slow]) for each in SHARED[:130]]
)
def test_a_module_has_the_counts_of_check_where_devices_are_shared(seed: int, tmp_path: Path) -> None:
    """A violated module stops earlier than check, which finishes the level: then only the verdicts are equal."""
    for scenario in exportable([seed]):
        found, expected = of_module(scenario, tmp_path), of_check(scenario)
        assert found[0] == expected[0]
        assert found == expected or found[0] == "violated"


def test_claims_are_freed_and_pods_evicted_in_the_scenarios_of_these_seeds() -> None:
    seen = [steps_of(scenario) for scenario in exportable(FREEING)]
    assert len(seen) == len(FREEING) and all(each & {"freed", "EvictVictim"} for each in seen)
    assert sum("freed" in each for each in seen) > 10 and sum("EvictVictim" in each for each in seen) > 3


def steps_of(scenario: Scenario) -> set[str]:
    """The names of the actions, and "freed" if a claim is deallocated by a decision that does not bind."""
    machine = machine_of(scenario)
    queue = list(machine.initial_states())
    seen, names = set(queue), set()
    for state in queue:
        for action, after in machine.steps(state):
            names.add(type(action).__name__)
            if isinstance(action, Wait | Nominate) and after.claims != state.claims:
                names.add("freed")
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return names


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        pytest.param(name, *each, marks=[pytest.mark.slow] if number else [])
        for number, (name, each) in enumerate((name, each) for name, rows in BROKEN_STEPS.items() for each in rows)
    ],
)
def test_a_broken_step_changes_the_counts_of_some_scenario(module: str, old: str, new: str, tmp_path: Path) -> None:
    changed = broken(module, old, new)
    assert any(
        found != of_check(scenario)
        for number, scenario in enumerate(exportable((*FREEING, *OTHERS)))
        if (found := tried(scenario, tmp_path / str(number), changed)) is not None
    )


def tried(scenario: Scenario, folder: Path, changed: Mapping[str, str]) -> Found | None:
    """What the broken module finds; None if it ends in an error."""
    try:
        return of_module(scenario, folder, changed)
    except Exception:
        return None


@pytest.mark.medium
def test_the_example_has_the_counts_of_check(tmp_path: Path) -> None:
    example = scenario_of(read([EXAMPLES / "devices"]), NO_FAULTS)
    _, *counts = of_check(example)
    # By hand: infer is bound to large, the earlier alternative, or not tried yet; train waits in both states, since large
    # has one free device, and batch is not in the queue. With the first state these are four generated states.
    assert counts == [2, 4, 2]
    assert of_module(example, tmp_path) == ("holds", 2, 4, 2)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("module", "old", "new"), [(name, *each) for name, rows in BROKEN.items() for each in rows])
def test_a_broken_operator_answers_otherwise(module: str, old: str, new: str) -> None:
    changed = broken(module, old, new)
    assert any(differs(scenario, changed) for scenario in chain(shown_by(module, old, new), lazily(few)))


@pytest.mark.parametrize(
    ("module", "old", "new"), [(name, *each) for name, rows in BROKEN_SHARING.items() for each in rows]
)
def test_a_broken_operator_answers_otherwise_where_devices_are_shared(module: str, old: str, new: str) -> None:
    changed = broken(module, old, new)
    assert any(differs(scenario, changed) for scenario in chain(shown_by(module, old, new), lazily(sharing)))


TELLING = (10007, 10008, 10011, 10017, 10021, 10035, 10052, 10053, 10066, 10085, 10090, 10155, 10165, 10168)
"""The seeds of the scenarios that show broken operators first."""


@cache
def sharing() -> tuple[Scenario, ...]:
    """Scenarios with shared devices that show each broken operator."""
    return (*CASES.values(), *exportable(TELLING))


@cache
def few() -> tuple[Scenario, ...]:
    """Scenarios that show each broken operator."""
    return (STALE, *exportable((*OPERATORS[:300], *OPERATORS[700:])))


def shown_by(module: str, old: str, new: str) -> Iterator[Scenario]:
    """The scenario that showed the broken operator before."""
    where = SHOWN_BY.get((module, old, new), "")
    if isinstance(where, int):
        yield from exportable([where])
    else:
        yield CASES.get(where, STALE)


def test_an_older_generation_serves_no_node() -> None:
    assert unlike(STALE) == []
    refused = ours(Asked(STALE))
    assert refused["DynamicResourcesRefusal p n0"] != NULL


def lazily(made: Callable[[], tuple[Scenario, ...]]) -> Iterator[Scenario]:
    """The scenarios, made only if they are looked at."""
    yield from made()


def differs(scenario: Scenario, changed: Mapping[str, str]) -> bool:
    """Whether an answer changes; an error is none."""
    try:
        return unlike(scenario, changed) != []
    except Exception:
        return False

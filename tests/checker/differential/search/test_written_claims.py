"""What a binding writes into claims: few cases show nothing, and defects show soon"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pytest import MonkeyPatch

from schedcheck.model.production.devices.allocator import Allocator
from tests.checker.differential.search.written_claims import written_claim


def usable_everywhere(patch: MonkeyPatch) -> None:
    """Devices can be used on every node."""
    patch.setattr(Allocator, "_terms", lambda *given: None)


def _freed(one: Any) -> Any:
    device = replace(one.candidate.device, binds_to_node=False)
    return replace(one, candidate=replace(one.candidate, device=device))


def no_other_binds(patch: MonkeyPatch) -> None:
    """A device that binds to its node does so only if its slice names the node."""
    terms = Allocator._terms

    def made(self: Allocator, taken: Any) -> Any:
        free = [_freed(each) for each in taken]
        return terms(self, free)

    patch.setattr(Allocator, "_terms", made)


def found(cases: int) -> bool:
    """Whether one of the first cases shows a difference."""
    for number in range(cases):
        try:
            written_claim(f"twin {number}")
        except AssertionError:
            return True
    return False


def test_the_first_cases_show_nothing() -> None:
    assert not found(50)


@pytest.mark.parametrize("defect", [usable_everywhere, no_other_binds], ids=lambda each: each.__name__)
def test_a_wrong_place_of_an_allocation_is_found(
    defect: Callable[[MonkeyPatch], None], monkeypatch: MonkeyPatch
) -> None:
    defect(monkeypatch)
    assert found(200)

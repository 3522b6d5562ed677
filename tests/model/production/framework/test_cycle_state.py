"""The cycle state: values stored by plugins during a cycle"""

from dataclasses import dataclass, field

import pytest

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError


@dataclass
class Counter:
    numbers: list[int] = field(default_factory=list)

    def clone(self) -> "Counter":
        return Counter(list(self.numbers))


@dataclass
class Shared:
    numbers: list[int] = field(default_factory=list)


def test_written_values_are_read_back_until_they_are_deleted() -> None:
    state = CycleState()
    with pytest.raises(NotFoundError, match="not found: a"):
        state.read("a", Counter)
    data = Counter([1])
    state.write("a", data)
    assert state.read("a", Counter) is data
    state.write("a", Counter([2]))
    assert state.read("a", Counter) == Counter([2])
    state.delete("a")
    state.delete("a")
    with pytest.raises(NotFoundError):
        state.read("a", Counter)


def test_a_missing_key_and_a_wrong_type_are_different_errors() -> None:
    state = CycleState()
    state.write("a", Counter())
    with pytest.raises(TypeError, match="a: expected Shared, found Counter"):
        state.read("a", Shared)


def test_a_clone_copies_copyable_values_and_shares_the_others() -> None:
    state = CycleState()
    state.write("own", Counter([1]))
    state.write("shared", Shared([1]))
    state.skip_filter = frozenset({"A"})
    copy = state.clone()
    copy.read("own", Counter).numbers.append(2)
    copy.read("shared", Shared).numbers.append(2)
    copy.write("new", Counter())
    assert state.read("own", Counter) == Counter([1])
    assert state.read("shared", Shared) == Shared([1, 2])
    assert copy.read("shared", Shared) is state.read("shared", Shared)
    assert copy.skip_filter == {"A"}
    with pytest.raises(NotFoundError):
        state.read("new", Counter)

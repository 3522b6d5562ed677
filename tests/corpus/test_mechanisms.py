"""Each defect of the corpus has a label, which says what its patch shares with the real defect"""

import json
from pathlib import Path

import pytest

from tests.corpus.__main__ import defects
from tests.corpus.elsewhere import REASONS
from tests.corpus.mechanisms import KINDS, NOT_BUILT, SAME, mechanisms, patched

LISTED = [each["id"] for each in json.loads((Path(__file__).parent / "bugs.json").read_text(encoding="utf-8"))]
OWN = "kubernetes/kubernetes#"


def test_each_defect_has_one_label_of_a_known_kind() -> None:
    assert sorted(LISTED) == list(mechanisms())
    assert {each.kind for each in mechanisms().values()} == KINDS.keys()


def test_each_analog_says_what_differs() -> None:
    for name, (kind, difference) in mechanisms().items():
        assert (difference == "") == (kind in (SAME, NOT_BUILT)), name


def test_only_defects_without_a_test_are_not_built() -> None:
    unbuilt = {name for name, each in mechanisms().items() if each.kind == NOT_BUILT}
    assert unbuilt == set(REASONS) == set(LISTED) - {name for name, *_ in defects()}


def test_no_defect_of_another_scheduler_counts_as_the_same() -> None:
    assert {name for name, each in mechanisms().items() if each.kind == SAME and not name.startswith(OWN)} == set()


def test_of_defects_with_one_patch_all_but_one_are_labelled_so() -> None:
    by_patch: dict[tuple[object, ...], list[str]] = {}
    for name, defect, _ in defects():
        by_patch.setdefault(patched(defect), []).append(name)
    shared = [names for names in by_patch.values() if len(set(names)) > 1]
    assert shared != []
    for names in shared:
        assert sum(mechanisms()[name].kind == "shared patch" for name in names) >= len(names) - 1, names


def test_a_patch_that_is_put_in_twice_is_recognised() -> None:
    def one(owner: object, name: str, twin: object) -> object:
        return lambda patch: patch.setattr(owner, name, twin)

    def own(patch: pytest.MonkeyPatch) -> None:
        """Put in nothing."""

    assert patched(one(str, "a", 1)) == patched(one(str, "a", 1)) != patched(one(str, "a", 2))
    assert patched(own) == (own,)

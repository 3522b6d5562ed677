"""The sample is spread over files and places, determined by the seed, and unaffected by changes of other files"""

from collections import Counter
from pathlib import Path

import pytest

from tests.mutants import drawn as remembering
from tests.mutants.__main__ import main
from tests.mutants.enumeration import Mutant, enumerated
from tests.mutants.sample import sample, spread

TEXTS = {
    "spec/large.py": "".join(f"def f{n}(a, b):\n    return a < b + {n}\n" for n in range(20)),
    "spec/small.py": "A = 1\n",
}


def drawn(texts: dict[str, str], size: int, seed: int = 1) -> list[Mutant]:
    return [mutant for mutant, _ in sample(enumerated(texts), texts, size, seed)]


def test_every_file_gets_one_mutant_and_the_rest_by_places() -> None:
    assert spread({"a": 1, "b": 30, "c": 10}, 3) == {"a": 1, "b": 1, "c": 1}
    assert spread({"a": 1, "b": 30, "c": 10}, 41) == {"a": 1, "b": 30, "c": 10}
    assert sum(spread({"a": 1, "b": 33, "c": 77, "d": 5}, 60).values()) == 60


def test_a_sample_has_its_size_and_no_mutant_twice() -> None:
    made = drawn(TEXTS, 40)
    assert len(made) == len(set(made)) == 40
    assert {each.file for each in made} == set(TEXTS)


def test_each_place_is_drawn_once_before_any_twice() -> None:
    places = Counter(each.start for each in drawn(TEXTS, 61) if each.file == "spec/large.py")
    assert set(places.values()) <= {1, 2}
    assert len(places) > 55


def test_the_seed_determines_the_sample() -> None:
    assert drawn(TEXTS, 20) == drawn(TEXTS, 20)
    assert drawn(TEXTS, 20) != drawn(TEXTS, 20, seed=2)


def test_lines_added_above_do_not_change_the_sample() -> None:
    moved = {**TEXTS, "spec/large.py": '"""Added."""\n\n' + TEXTS["spec/large.py"]}
    assert [(each.within, each.operator, each.line) for each in drawn(moved, 20)] == [
        (each.within, each.operator, each.line) for each in drawn(TEXTS, 20)
    ]


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"^no file of these can be changed: nowhere$"):
        main(["--folder", "nowhere"], tmp_path)


def test_a_sample_may_be_smaller_than_requested() -> None:
    assert len(drawn({"spec/small.py": "A = 1\n"}, 10)) == 2


def test_a_sample_is_remembered_until_a_text_or_what_is_asked_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"spec/small.py": TEXTS["spec/small.py"]}

    def asked(texts: dict[str, str], size: int, seed: int) -> list[tuple[Mutant, str]]:
        return remembering.drawn(tmp_path, texts, {"spec/small.py": texts["spec/small.py"]}, size, seed)

    first = asked(small, 2, 1)
    assert first == sample(enumerated(small), small, 2, 1) and len(first) == 2

    def drawn_anew(*_: object) -> list[tuple[Mutant, str]]:
        raise LookupError

    monkeypatch.setattr(remembering, "sample", drawn_anew)
    assert asked(small, 2, 1) == first
    for texts, size, seed in [({"spec/small.py": "A = 3\n"}, 2, 1), (TEXTS, 2, 1), (small, 1, 1), (small, 2, 2)]:
        with pytest.raises(LookupError):
            asked(texts, size, seed)

"""The draw is spread over the files and the places, is decided by the seed, and stays when another file changes."""

from collections import Counter

from tests.mutants.enumeration import Mutant, enumerated
from tests.mutants.sample import sample, spread

TEXTS = {
    "spec/large.py": "".join(f"def f{n}(a, b):\n    return a < b + {n}\n" for n in range(20)),
    "spec/small.py": "A = 1\n",
}


def drawn(texts: dict[str, str], size: int, seed: int = 1) -> list[Mutant]:
    return [mutant for mutant, _ in sample(enumerated(texts), texts, size, seed)]


def test_every_file_has_one_and_the_rest_goes_by_places() -> None:
    assert spread({"a": 1, "b": 30, "c": 10}, 3) == {"a": 1, "b": 1, "c": 1}
    assert spread({"a": 1, "b": 30, "c": 10}, 41) == {"a": 1, "b": 30, "c": 10}
    assert sum(spread({"a": 1, "b": 33, "c": 77, "d": 5}, 60).values()) == 60


def test_a_draw_has_its_size_and_no_mutant_twice() -> None:
    made = drawn(TEXTS, 40)
    assert len(made) == len(set(made)) == 40
    assert {each.file for each in made} == set(TEXTS)


def test_each_place_is_drawn_once_before_any_twice() -> None:
    places = Counter(each.start for each in drawn(TEXTS, 61) if each.file == "spec/large.py")
    assert set(places.values()) <= {1, 2}
    assert len(places) > 55


def test_the_seed_decides_the_draw() -> None:
    assert drawn(TEXTS, 20) == drawn(TEXTS, 20)
    assert drawn(TEXTS, 20) != drawn(TEXTS, 20, seed=2)


def test_lines_added_above_leave_the_draw_as_it_is() -> None:
    moved = {**TEXTS, "spec/large.py": '"""Added."""\n\n' + TEXTS["spec/large.py"]}
    assert [(each.within, each.operator, each.line) for each in drawn(moved, 20)] == [
        (each.within, each.operator, each.line) for each in drawn(TEXTS, 20)
    ]


def test_there_may_be_fewer_than_asked() -> None:
    assert len(drawn({"spec/small.py": "A = 1\n"}, 10)) == 2

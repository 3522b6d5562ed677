"""Which mutants exist, and which are left out as meaningless"""

import pytest

from tests.mutants.enumeration import becomes, enumerated, mutants


def changes(source: str) -> set[str]:
    """The changed line in each mutant of `source`."""
    return {
        becomes(each, source, made)
        for each in enumerated({"spec/any.py": source})
        if (made := each.mutated(source)) is not None
    }


def test_comparisons_numbers_and_conjunctions_are_mutated() -> None:
    made = changes("def fits(a, b):\n    return a <= b and b < 7\n")
    assert {
        "return a < b and b < 7",
        "return a > b and b < 7",
        "return a <= b or b < 7",
        "return a <= b and b <= 7",
        "return a <= b and b < 8",
        "return a <= b and b < 6",
    } <= made


def test_loops_conditions_and_negations_are_mutated() -> None:
    made = changes("def f(these, done):\n    for each in these:\n        if not done:\n            return True\n")
    assert made == {"for each in []:", "if not not done:", "if  done:", "return False"}


@pytest.mark.parametrize(
    "source",
    [
        "def f(a: int | None) -> str | None:\n    return a\n",
        "class A:\n    a: int | None\n",
        "Key = int | tuple[str, ...] | None\n",
        "Act = Bind | Wait\n",
        "Disk = Volume | RBD\n",
        "def f(a, *, b):\n    return a, b\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    A = 1 + 2\n",
        "def f(a):\n    return cast(int | None, a)\n",
        "def f(a, b):\n    return list(zip(a, b, strict=True))\n",
        "@cache\ndef f(a):\n    return a\n",
        "@functools.lru_cache(maxsize=1)\ndef f(a):\n    return a\n",
        '"""1 + 2 == 3 and not 4."""\n',
        "class A(Protocol):\n    @property\n    def f(self): ...\n",
        "def f(*these, **those):\n    return g(*these, **those)\n",
    ],
)
def test_mutants_that_no_test_can_distinguish_are_left_out(source: str) -> None:
    assert changes(source) == set()


@pytest.mark.parametrize(
    ("source", "change"),
    [
        ("def f(a: int | None):\n    return a | 1\n", "return a & 1"),
        ("Sum = LEAST | MOST\n", "Sum = LEAST & MOST"),
        ("def f(a, b):\n    return list(zip(a, b))[0]\n", "return list(zip(a, b))[ 1]"),
        ("def f(a, b=True):\n    return a, b\n", "def f(a, b=False):"),
        ("class A:\n    a: int = 1\n", "a: int = 2"),
        ("def f(a):\n    return a == Other.ONE\n", "return a is Other.ONE"),
        ("@dataclass(frozen=True)\nclass A:\n    pass\n", "@dataclass(frozen=False)"),
    ],
)
def test_meaningful_mutants_nearby_are_kept(source: str, change: str) -> None:
    assert change in changes(source)


def test_identity_comparisons_of_enumeration_members_are_left_out() -> None:
    source = "class Code(StrEnum):\n    ONE = 'one'\n\n\ndef f(a):\n    return a == Code.ONE\n"
    made = changes(source)
    assert "return a is Code.ONE" not in made
    assert {"return a != Code.ONE", "return a is not Code.ONE"} <= made


@pytest.mark.parametrize("least", ['""', "()", "frozenset()"])
def test_order_comparisons_with_the_least_value_are_left_out(least: str) -> None:
    made = changes(f"def f(a):\n    return a == {least}\n")
    assert f"return a <= {least}" not in made
    assert {f"return a != {least}", f"return a >= {least}", f"return a < {least}"} <= made
    assert f"return a > {least}" not in changes(f"def f(a):\n    return a != {least}\n")
    assert "return len(a) <= 0" not in changes("def f(a):\n    return len(a) == 0\n")
    assert "return len(a) <= 1" in changes("def f(a):\n    return len(a) == 1\n")
    assert "return a <= 0" in changes("def f(a):\n    return a == 0\n")


def test_a_mutant_that_python_refuses_or_warns_about_is_left_out() -> None:
    made = changes("def f(a):\n    return a == 'text'\n")
    assert "return a != 'text'" in made
    assert "return a is 'text'" not in made


def test_a_mutant_has_its_definition_and_its_position_in_characters() -> None:
    source = "class A:\n    def f(self):\n        return 'é' + self\n\n\nB = 1\n"
    found = [(each.within, each.line, each.start) for each in mutants("spec/any.py", source)]
    assert set(found) == {("A.f", "return 'é' + self", (3, 19)), ("", "B = 1", (6, 4))}


def test_each_occurrence_changes_its_own_place() -> None:
    source = "A = 1 + 1\nB = 1\n"
    numbers = [each for each in mutants("spec/any.py", source) if each.operator == "NumberReplacer"]
    made = [each.mutated(source) for each in numbers]
    assert [text.split("\n")[:2] for text in made if text is not None] == [
        ["A = 2 + 1", "B = 1"],
        ["A = 0 + 1", "B = 1"],
        ["A = 1 + 2", "B = 1"],
        ["A = 1 + 0", "B = 1"],
        ["A = 1 + 1", "B = 2"],
        ["A = 1 + 1", "B = 0"],
    ]


def test_a_mutant_whose_line_is_gone_has_an_empty_text() -> None:
    assert changes("@one\ndef f():\n    pass\n") == {""}


def test_a_mutant_with_the_same_value_is_left_out() -> None:
    assert changes("A = 1e30\n") == set()
    assert changes("A = 1e3\n") == {"A = 1001.0", "A = 999.0"}

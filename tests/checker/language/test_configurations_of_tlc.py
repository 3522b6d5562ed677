"""TLC configurations: their content, and refusals"""

from pathlib import Path

import pytest

from schedcheck.checker.language.checking.config import configuration, read_configuration
from schedcheck.checker.language.evaluation.configuration import Assignment, Configuration, Replacement
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Misread
from tests.checker.language.trees import AT, apply, name, number


def assigned(text: str, value: tree.Expression, module: str | None = None) -> Assignment:
    return Assignment(text, (), value, module, at=AT)


def set_of(*elements: tree.Expression) -> tree.SetOf:
    return tree.SetOf(elements, at=AT)


WHOLE = r"""
(* A model. *)
SPECIFICATION Spec \* or INIT and NEXT
CONSTANTS
  N = 3   Least = -2
  Text = "a\tb"
  Yes = TRUE
  Node = {n1, n2}  Nested = { {1}, {}, {"a", {x}} }
  Op(1, a) = 2
  Here = [Inner]There
  Next <- MCNext
  Nat <- [Naturals]MCNat
  \prec <- Less
  I!x <- y
CONSTANT n1 = n1
INVARIANTS TypeOK Safe
INVARIANT Other
PROPERTY Live
PROPERTIES Fair
CONSTRAINT Small
ACTION_CONSTRAINTS Step
SYMMETRY Perms VIEW Seen ALIAS Shown
POSTCONDITION After
CHECK_DEADLOCK FALSE
"""


def test_every_statement_of_a_configuration_is_read() -> None:
    assert read_configuration(WHOLE, "M.cfg") == Configuration(
        assignments=(
            assigned("N", number(3)),
            assigned("Least", apply("-.", number(2))),
            assigned("Text", tree.String("a\tb", at=AT)),
            assigned("Yes", name("TRUE")),
            assigned("Node", set_of(name("n1"), name("n2"))),
            assigned(
                "Nested",
                set_of(set_of(number(1)), set_of(), set_of(tree.String("a", at=AT), set_of(name("x")))),
            ),
            Assignment("Op", (number(1), name("a")), number(2), None, at=AT),
            assigned("Here", name("There"), "Inner"),
            assigned("n1", name("n1")),
        ),
        replacements=(
            Replacement("Next", "MCNext", None, at=AT),
            Replacement("Nat", "MCNat", "Naturals", at=AT),
            Replacement(r"\prec", "Less", None, at=AT),
            Replacement("I!x", "y", None, at=AT),
        ),
        specification=name("Spec"),
        invariants=(name("TypeOK"), name("Safe"), name("Other")),
        properties=(name("Live"), name("Fair")),
        constraints=(name("Small"),),
        action_constraints=(name("Step"),),
        symmetry=name("Perms"),
        view=name("Seen"),
        alias=name("Shown"),
        postconditions=(name("After"),),
        check_deadlock=False,
    )


def test_an_empty_configuration_has_no_content() -> None:
    assert read_configuration("", "M.cfg") == Configuration()


def test_every_name_has_its_position() -> None:
    said = read_configuration("INIT Init\nNEXT\n  Next", "M.cfg")
    assert (said.init and said.init.at, said.next and said.next.at) == (
        tree.Position("M.cfg", 1, 6),
        tree.Position("M.cfg", 3, 3),
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("INVARAINT x", "1:1: expected a keyword such as INVARIANT or the end, found INVARAINT"),
        ("_PERIODIC x", "1:1: _PERIODIC is not supported"),
        ("INIT", "1:5: expected a name, found the end of the text"),
        ("INIT a\nINIT b", "2:1: INIT is given twice"),
        ("CHECK_DEADLOCK maybe", "1:16: expected TRUE or FALSE after CHECK_DEADLOCK, found maybe"),
        ("CHECK_DEADLOCK TRUE CHECK_DEADLOCK TRUE", "1:21: CHECK_DEADLOCK is given twice"),
        ("CONSTANT N", "1:11: expected `(`, `<-` or `=`, found the end of the text"),
        ("CONSTANT N = 1\nN = 2", "2:1: N is given twice"),
        ("CONSTANT N = <<1>>", "1:14: expected a number, a string, a set or a model value, found `<<`"),
        ("CONSTANT N = 1 .. 2", "1:19: expected `!`, `(`, `<-` or `=`, found 2"),
        ("CONSTANT N = {1, 2", "1:19: expected `,` or `}`, found the end of the text"),
        ("CONSTANT N = 1.5", "1:14: expected a number, a string, a set or a model value, found 1.5"),
        ("(* open", "1:1: this comment does not end"),
    ],
)
def test_an_invalid_configuration_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(Misread) as refused:
        read_configuration(text, "M.cfg")
    assert str(refused.value) == f"M.cfg:{says}"


def test_a_set_may_be_nested_to_any_depth() -> None:
    said = read_configuration("CONSTANT N = " + "{" * 5000 + "}" * 5000, "M.cfg")
    assert len(said.assignments) == 1


def test_a_file_is_read_under_its_name(tmp_path: Path) -> None:
    (tmp_path / "M.cfg").write_text("VIEW\n", encoding="utf-8")
    with pytest.raises(Misread, match=r"^M\.cfg:2:1: expected a name, found the end of the text$"):
        configuration(tmp_path / "M.cfg")

"""Conjunction and disjunction lists by column. SANY refuses each text refused here and reads the others in this way."""

import pytest

from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.parser import parsed_expression
from tests.checker.language.trees import AT, apply, conjunction, disjunction, name, refusal, same, units

A, B, C, D = (name(letter) for letter in "abcd")


def read(*lines: str) -> tree.Expression:
    return parsed_expression("\n".join(lines))


def test_bullets_in_one_column_are_a_list() -> None:
    assert read(r"/\ a", r"/\ b") == conjunction(A, B)


def test_bullets_on_one_line_are_operators_within_one_item() -> None:
    assert read(r"/\ a /\ b") == conjunction(apply("/\\", A, B))


def test_a_bullet_to_the_right_is_an_operator() -> None:
    assert read(r"/\ a", r"  /\ b", r"/\ c") == conjunction(apply("/\\", A, B), C)


def test_a_bullet_to_the_left_ends_the_list_and_is_an_operator() -> None:
    assert read(r"  /\ a", r"  /\ b", r" /\ c") == apply("/\\", conjunction(A, B), C)


def test_a_bullet_of_the_other_kind_in_the_column_is_an_operator_after_the_list() -> None:
    assert read(r"/\ a", r"/\ b", r"\/ c") == apply("\\/", conjunction(A, B), C)


def test_conjunction_and_disjunction_lists_nest() -> None:
    text = [r"/\ \/ a", r"   \/ /\ b", r"      /\ c", r"/\ d"]
    assert read(*text) == conjunction(disjunction(A, conjunction(B, C)), D)


def test_an_inner_list_ends_at_the_column_of_an_outer_bullet() -> None:
    text = [r"\/ /\ a", r"   /\ b", r"\/ /\ c", r"   /\ d"]
    assert read(*text) == disjunction(conjunction(A, B), conjunction(C, D))


def test_a_list_ends_at_the_closing_bracket_that_surrounds_it() -> None:
    assert read(r"(/\ a", r" /\ b) => c") == apply("=>", conjunction(A, B), C)


def test_brackets_within_an_item_contain_separate_lists() -> None:
    text = [r"/\ f({/\ a", r"      /\ b})", r"/\ c"]
    assert read(*text) == conjunction(apply("f", tree.SetOf((conjunction(A, B),), at=AT)), C)


@pytest.mark.parametrize("bracketed", [("(a", "/\\ b)"), ("f(a", ")"), ("[x |-> a", ", y |-> b]"), ("{a", "}")])
def test_brackets_do_not_suspend_the_columns(bracketed: tuple[str, str]) -> None:
    first, second = bracketed
    assert "must stand to the right of column 1" in refusal(f"/\\ {first}\n{second}\n/\\ c")
    assert read(f"/\\ {first}", f"  {second}", "/\\ c")


def test_if_then_else_end_the_lists_between_them() -> None:
    one = r"IF /\ a /\ b THEN \/ c \/ d ELSE /\ a"
    assert read(one) == tree.If(conjunction(apply("/\\", A, B)), disjunction(apply("\\/", C, D)), conjunction(A), at=AT)


def test_an_if_within_an_item_extends_to_the_next_bullet() -> None:
    text = [r"/\ IF a", r"      THEN /\ b", r"           /\ c", r"      ELSE d", r"/\ a"]
    assert read(*text) == conjunction(tree.If(A, conjunction(B, C), D, at=AT), A)


def test_then_to_the_left_of_its_list_is_refused() -> None:
    assert "THEN must stand to the right of column 3" in refusal("  /\\ IF a\n  THEN b ELSE c")


def test_a_case_arm_ends_the_list_of_the_previous_arm() -> None:
    text = [r"CASE a -> /\ b", r"          /\ c", r"       [] d -> a"]
    assert read(*text) == tree.Case(((A, conjunction(B, C)), (D, A)), None, at=AT)


def test_a_case_ends_with_its_item() -> None:
    text = [r"/\ CASE a -> b", r"     [] c -> d", r"/\ a"]
    assert read(*text) == conjunction(tree.Case(((A, B), (C, D)), None, at=AT), A)


def test_an_inner_case_takes_the_following_arms() -> None:
    assert same("CASE a -> CASE b -> c [] d -> a", "CASE a -> (CASE b -> c [] d -> a)")


def test_a_quantifier_extends_to_the_end_of_its_item() -> None:
    text = [r"/\ \E x \in a : /\ b", r"                /\ c", r"/\ d"]
    bounds = (tree.Bound(("x",), A, at=AT),)
    assert read(*text) == conjunction(tree.Quantified(r"\E", bounds, conjunction(B, C), at=AT), D)


def test_a_list_in_the_set_of_a_quantifier_ends_at_its_colon() -> None:
    assert same(r"\A x \in /\ a /\ b : c", r"\A x \in (/\ a /\ b) : c")


def test_a_colon_ends_no_list_that_began_before_its_quantifier() -> None:
    text = [r"/\ \A x \in a : b", r"/\ {x \in a : /\ b", r"              /\ c} = d"]
    kept = tree.Filter("x", A, conjunction(B, C), at=AT)
    every = tree.Quantified(r"\A", (tree.Bound(("x",), A, at=AT),), B, at=AT)
    assert read(*text) == conjunction(every, apply("=", kept, D))


def test_a_comma_ends_a_list() -> None:
    assert same(r"f(/\ a /\ b, \/ c)", r"f((/\ a /\ b), (\/ c))")


def test_the_next_definition_ends_a_list_even_to_its_right() -> None:
    text = [r"LET x == /\ a", r"         /\ b", r"              y == c IN d"]
    x, y = tree.Definition("x", (), conjunction(A, B), at=AT), tree.Definition("y", (), C, at=AT)
    assert read(*text) == tree.Let((x, y), D, at=AT)


def test_in_ends_the_lists_of_the_definitions() -> None:
    text = [r"/\ LET x == /\ a", r"            /\ b IN c", r"/\ d"]
    let = tree.Let((tree.Definition("x", (), conjunction(A, B), at=AT),), C, at=AT)
    assert read(*text) == conjunction(let, D)


def test_the_next_unit_ends_a_list() -> None:
    first, second = units("x == /\\ a\n     /\\ b\n           VARIABLE c")
    assert first == tree.Definition("x", (), conjunction(A, B), at=AT)
    assert second == tree.Variables(("c",), at=AT)


def test_an_operator_at_the_column_or_left_of_it_applies_to_the_whole_list() -> None:
    assert read(r"  /\ a", r"  /\ b", r"  => c") == apply("=>", conjunction(A, B), C)


def test_an_operator_to_the_right_of_the_column_belongs_to_the_item() -> None:
    assert read(r"  /\ a", r"  /\ b", r"   => c") == conjunction(A, apply("=>", B, C))


def test_an_operand_at_the_column_is_refused() -> None:
    assert refusal("/\\ a\n/\\ b\nc") == "expression:3:1: expected an operator or the end, found c"


def test_a_bullet_without_an_item_is_refused() -> None:
    assert refusal("/\\ a\n/\\\n/\\ b") == "expression:3:1: expected an expression, found `/\\`"


def test_always_begins_an_expression_where_an_operand_is_expected() -> None:
    assert same("CASE a -> []b [] c -> []d", "CASE a -> ([]b) [] c -> ([]d)")


def test_a_tab_extends_to_the_next_multiple_of_eight() -> None:
    assert read("\t/\\ a", "        /\\ b") == conjunction(A, B)
    assert read("  \t/\\ a", "        /\\ b") == conjunction(A, B)


def test_a_comment_keeps_the_column_of_the_following_text() -> None:
    assert read(r"(* one *) /\ a", r"          /\ b") == conjunction(A, B)


def test_a_unicode_symbol_counts_as_its_characters() -> None:
    assert read("∧ ∨ a", "  ∨ b", "∧ c") == conjunction(disjunction(A, B), C)
    assert read("x ∈ (∧ a", "     ∧ b)") == apply(r"\in", name("x"), conjunction(A, B))

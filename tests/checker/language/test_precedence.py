"""Operator precedence. The ranges are those of "Specifying Systems", table 6."""

import pytest

from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.parser import parsed_expression
from tests.checker.language.trees import AT, apply, name, number, refusal, same

A, B, C = (name(letter) for letter in "abc")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r"a + b * c", r"a + (b * c)"),
        (r"a - b + c", r"(a - b) + c"),
        (r"a + b - c", r"a + (b - c)"),
        (r"a - b - c", r"(a - b) - c"),
        (r"a \cup b \cup c", r"(a \cup b) \cup c"),
        (r"a /\ b => c", r"(a /\ b) => c"),
        (r"~ a = b", r"~ (a = b)"),
        (r"~ a /\ b", r"(~ a) /\ b"),
        (r"a => [] b", r"a => ([] b)"),
        (r"[]<> a /\ b", r"([](<> a)) /\ b"),
        (r"a ~> b /\ c", r"a ~> (b /\ c)"),
        (r"- a + b", r"(- a) + b"),
        (r"- a ^ b", r"- (a ^ b)"),
        (r"a - - b", r"a - (- b)"),
        (r"a * ~ b", r"a * (~ b)"),
        (r"a = - b + c", r"a = ((- b) + c)"),
        (r"1 .. n - 1", r"1 .. (n - 1)"),
        (r"a \in b \cup c", r"a \in (b \cup c)"),
        (r"DOMAIN f \cup a", r"(DOMAIN f) \cup a"),
        (r"SUBSET UNION a", r"SUBSET (UNION a)"),
        (r"UNCHANGED f[x]", r"UNCHANGED (f[x])"),
        (r"a + b'", r"a + (b')"),
        (r"~ a'", r"~ (a')"),
        (r"f[x]'", r"(f[x])'"),
        (r"f'[x].y", r"((f')[x]).y"),
        (r"a :> b @@ c :> d", r"(a :> b) @@ (c :> d)"),
        (r"a % b * c", r"a % (b * c)"),
        (r"a \o b \o c", r"(a \o b) \o c"),
        (r"a <=> b \/ c", r"a <=> (b \/ c)"),
        (r"a = b <=> c = d", r"(a = b) <=> (c = d)"),
        (r"a /\ \E x \in b : x /\ c", r"a /\ (\E x \in b : (x /\ c))"),
        (r"a + IF b THEN c ELSE a + b", r"a + (IF b THEN c ELSE (a + b))"),
        (r"l :: a /\ b", r"l :: (a /\ b)"),
        (r"a => l(x, y) :: b /\ c", r"a => (l(x, y) :: (b /\ c))"),
    ],
)
def test_the_operator_of_higher_precedence_binds_first(text: str, meant: str) -> None:
    assert same(text, meant)


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        (r"a /\ b \/ c", r"/\ ", r" \/"),
        (r"a \cup b \cap c", r"\cup ", r" \cap"),
        (r"a \cup b \ c", r"\cup ", " \\"),
        (r"a * b / c", "* ", " /"),
        (r"a => b <=> c ~> d", "<=> ", " ~>"),
        (r"a \in b = c", r"\in ", " ="),
        (r"[]a = b", "[] ", " ="),
        (r"UNCHANGED a'", "UNCHANGED ", " '"),
        (r"SUBSET a \X b", "SUBSET ", r" \X"),
        (r"a \X b \o c", r"\X ", r" \o"),
        (r"a + b % c", "+ ", " %"),
        (r"a * l :: b + c", "* ", " +"),
        (r"a * -b", "* ", " -."),
        (r"a ^ -b", "^ ", " -."),
    ],
)
def test_overlapping_ranges_need_parentheses(text: str, first: str, second: str) -> None:
    assert f"{first}and{second} side by side are ambiguous: put parentheses" in refusal(text)


@pytest.mark.parametrize("operator", ["=>", "<=>", "~>", "=", r"\in", "<", "..", "/", "^", "%", r"\ "[:1]])
def test_a_non_associative_operator_may_not_be_repeated(operator: str) -> None:
    assert f"{operator} twice in a row is ambiguous: put parentheses" in refusal(f"a {operator} b {operator} c")


def test_an_error_points_at_the_second_operator() -> None:
    assert refusal("a /\\ b\n  \\/ c").startswith("expression:2:3: ")


def test_a_unary_minus_is_a_different_operator() -> None:
    assert parsed_expression("- 3") == apply("-.", number(3))
    assert parsed_expression("a - 3") == apply("-", A, number(3))


def test_a_product_has_all_its_factors_at_once() -> None:
    assert parsed_expression(r"a \X b \times c") == tree.Product((A, B, C), at=AT)
    assert parsed_expression(r"(a \X b) \X c") == tree.Product((tree.Product((A, B), at=AT), C), at=AT)
    assert parsed_expression(r"a \X (b \X c)") == tree.Product((A, tree.Product((B, C), at=AT)), at=AT)


@pytest.mark.parametrize(
    ("written", "operator"),
    [
        (r"a \union b", r"\cup"),
        (r"a ∪ b", r"\cup"),
        (r"a =< b", "<="),
        (r"a \leq b", "<="),
        (r"a /= b", "#"),
        (r"a ≠ b", "#"),
        (r"a \land b", "/\\"),
        (r"a ∧ b", "/\\"),
        (r"a \equiv b", "<=>"),
        (r"a \circ b", r"\o"),
        (r"a (+) b", r"\oplus"),
        (r"a (\X) b", r"\otimes"),
    ],
)
def test_synonyms_of_an_operator_are_parsed_to_one_name(written: str, operator: str) -> None:
    assert parsed_expression(written) == apply(operator, A, B)


def test_synonyms_of_one_operator_still_associate() -> None:
    assert same(r"a \union b ∪ c", r"(a \cup b) \cup c")

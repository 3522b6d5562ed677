"""What each construct of TLA+ is in the tree."""

import pytest

from schedcheck.checker.language import tree
from schedcheck.checker.language.parser import parsed_expression
from tests.checker.language.trees import AT, apply, name, number, refusal, same

A, B, C, S, X, Y = (name(letter) for letter in "abcSxy")


def bound(*patterns: tree.Pattern, domain: tree.Expression | None = S) -> tree.Bound:
    return tree.Bound(patterns, domain, at=AT)


EXPRESSIONS: list[tuple[str, tree.Expression]] = [
    ("42", number(42)),
    (r"\b101", number(5)),
    (r"\O17", number(15)),
    (r"\hfF", number(255)),
    (r'"a \"b\" \\ \n \t"', tree.String('a "b" \\ \n \t', at=AT)),
    ('"(* no comment *)"', tree.String("(* no comment *)", at=AT)),
    ("TRUE", name("TRUE")),
    ("@", name("@")),
    ("1a", name("1a")),
    ("_x", name("_x")),
    ("Op(a, b)", apply("Op", A, B)),
    ("Op(+, -, -., /\\)", apply("Op", name("+"), name("-"), name("-."), name("/\\"))),
    ("Op(-a, =)", apply("Op", apply("-.", A), name("="))),
    ("Op(LAMBDA x, y : x + y, a)", apply("Op", tree.Lambda(("x", "y"), apply("+", X, Y), at=AT), A)),
    (r"\o(a, b)", apply(r"\o", A, B)),
    ("I!Op(a)", tree.Through((("I", ()),), "Op", (A,), at=AT)),
    ("I(a)!J!b", tree.Through((("I", (A,)), ("J", ())), "b", (), at=AT)),
    (r"I!\oplus(a, b)", tree.Through((("I", ()),), r"\oplus", (A, B), at=AT)),
    ("x'", apply("'", X)),
    ("x^+", apply("^+", X)),
    ("f[a, b]", tree.Index(name("f"), (A, B), at=AT)),
    ("f[a][b]", tree.Index(tree.Index(name("f"), (A,), at=AT), (B,), at=AT)),
    ("a.b.c", tree.Field(tree.Field(A, "b", at=AT), "c", at=AT)),
    ("a.IF", tree.Field(A, "IF", at=AT)),
    ("{}", tree.SetOf((), at=AT)),
    ("{a, b}", tree.SetOf((A, B), at=AT)),
    (r"{x \in S}", tree.SetOf((apply(r"\in", X, S),), at=AT)),
    (r"{x \in S : a}", tree.Filter("x", S, A, at=AT)),
    (r"{<<x, y>> \in S : a}", tree.Filter(("x", "y"), S, A, at=AT)),
    (r"{x \in S : y \in S}", tree.Filter("x", S, apply(r"\in", Y, S), at=AT)),
    (r"{x \in S \cup a : b}", tree.Filter("x", apply(r"\cup", S, A), B, at=AT)),
    (r"{x + y : x \in S}", tree.Image(apply("+", X, Y), (bound("x"),), at=AT)),
    (
        r"{x : x, y \in S, <<a, b>> \in c}",
        tree.Image(X, (bound("x", "y"), bound(("a", "b"), domain=C)), at=AT),
    ),
    (r"{(x \in S) : y \in S}", tree.Image(apply(r"\in", X, S), (bound("y"),), at=AT)),
    (r"[x \in S |-> a]", tree.Function((bound("x"),), A, at=AT)),
    (r"[x, y \in S, <<a, b>> \in c |-> x]", tree.Function((bound("x", "y"), bound(("a", "b"), domain=C)), X, at=AT)),
    ("[S -> a]", tree.FunctionSet(S, A, at=AT)),
    ("[a |-> b]", tree.Record((("a", B),), at=AT)),
    ("[a |-> b, IF |-> c]", tree.Record((("a", B), ("IF", C)), at=AT)),
    ("[a : b, c : S]", tree.RecordSet((("a", B), ("c", S)), at=AT)),
    (
        "[a EXCEPT ![b] = @, !.x[y, c].S = 1]",
        tree.Except(
            A,
            (
                tree.Update(((B,),), name("@"), at=AT),
                tree.Update(("x", (Y, C), "S"), number(1), at=AT),
            ),
            at=AT,
        ),
    ),
    ("<<>>", tree.Tuple((), at=AT)),
    ("<<a, b>>", tree.Tuple((A, B), at=AT)),
    ("[a]_x", tree.Action(False, A, X, at=AT)),
    ("[a]_<<x, y>>", tree.Action(False, A, tree.Tuple((X, Y), at=AT), at=AT)),
    ("<<a>>_x", tree.Action(True, A, X, at=AT)),
    ("[][a]_x", apply("[]", tree.Action(False, A, X, at=AT))),
    ("WF_x(a)", tree.Fairness(False, X, A, at=AT)),
    ("SF_<<x, y>>(a)", tree.Fairness(True, tree.Tuple((X, Y), at=AT), A, at=AT)),
    ("WF_x(y)(a)", tree.Fairness(False, apply("x", Y), A, at=AT)),
    ("WF_I!x(a)", tree.Fairness(False, tree.Through((("I", ()),), "x", (), at=AT), A, at=AT)),
    (r"\A x : a", tree.Quantified(r"\A", (bound("x", domain=None),), A, at=AT)),
    (r"\E x, y \in S, c \in a : b", tree.Quantified(r"\E", (bound("x", "y"), bound("c", domain=A)), B, at=AT)),
    (r"\AA x : a", tree.Quantified(r"\AA", (bound("x", domain=None),), A, at=AT)),
    (r"\EE x, y : a", tree.Quantified(r"\EE", (bound("x", "y", domain=None),), A, at=AT)),
    (r"CHOOSE x \in S : a", tree.Choose("x", S, A, at=AT)),
    (r"CHOOSE <<x, y>> \in S : a", tree.Choose(("x", "y"), S, A, at=AT)),
    ("CHOOSE x : a", tree.Choose("x", None, A, at=AT)),
    ("IF a THEN b ELSE c", tree.If(A, B, C, at=AT)),
    ("CASE a -> b [] c -> x [] OTHER -> y", tree.Case(((A, B), (C, X)), Y, at=AT)),
    ("UNCHANGED <<x, y>>", apply("UNCHANGED", tree.Tuple((X, Y), at=AT))),
    ("ENABLED a ~> b -+-> c"[:14], apply("~>", apply("ENABLED", A), B)),
    ("a -+-> b", apply("-+->", A, B)),
    (r"a \notin S", apply(r"\notin", A, S)),
]


@pytest.mark.parametrize(("text", "expression"), EXPRESSIONS, ids=[text for text, _ in EXPRESSIONS])
def test_a_construct_is_its_node(text: str, expression: tree.Expression) -> None:
    assert parsed_expression(text) == expression


UNICODE = [
    ("a ∧ b", r"a /\ b"),
    ("a ∨ ¬b", r"a \/ ~b"),
    ("∀ x ∈ S : a", r"\A x \in S : a"),
    ("∃ x ∈ S : a ∉ S", r"\E x \in S : a \notin S"),
    ("⟨a, b⟩ ∪ a ∩ b"[:7], "<<a, b>>"),
    ("a ⊆ b", r"a \subseteq b"),
    ("[S → a]", "[S -> a]"),
    ("[x ∈ S ↦ a]", r"[x \in S |-> a]"),
    ("a ≤ b", "a <= b"),
    ("a ≥ b", "a >= b"),
    ("a × b × c", r"a \X b \X c"),
    ("□a ⇒ ◇b", "[]a => <>b"),
    ("a ↝ b", "a ~> b"),
    ("a ⇔ b", "a <=> b"),
    ("⟨a⟩_x", "<<a>>_x"),
    ("x′", "x'"),
    ("ℕ ∪ ℤ", r"Nat \cup Int"),
    ("1‥2", "1..2"),
    ("S⁺", "S^+"),
    ("a ∘ b", r"a \o b"),
    ("l ∷ a", "l :: a"),
    ("CASE a → b □ c → a", "CASE a -> b [] c -> a"),
]


@pytest.mark.parametrize(("written", "meant"), UNICODE)
def test_unicode_is_read_as_what_it_stands_for(written: str, meant: str) -> None:
    assert same(written, meant)


def test_let_has_definitions_recursion_functions_and_instances() -> None:
    text = r"LET RECURSIVE f(_)  f(x) == a  g[x \in S] == b  a ++ b == c  I(x) == INSTANCE M WITH y <- x, + <- - IN a"
    parameter = tree.Parameter("x", at=AT)
    assert parsed_expression(text) == tree.Let(
        (
            tree.Recursive((tree.Parameter("f", 1, at=AT),), at=AT),
            tree.Definition("f", (parameter,), A, at=AT),
            tree.FunctionDefinition("g", (bound("x"),), B, at=AT),
            tree.Definition("++", (tree.Parameter("a", at=AT), tree.Parameter("b", at=AT)), C, at=AT),
            tree.Instance("I", (parameter,), "M", (("y", X), ("+", name("-"))), at=AT),
        ),
        A,
        at=AT,
    )


def test_every_node_knows_where_it_begins() -> None:
    found = parsed_expression("  a +\n   f[b]", "Some")
    assert isinstance(found, tree.Apply)
    assert found.at == tree.Position("Some", 1, 3)
    assert found.arguments[1].at == tree.Position("Some", 2, 4)


REFUSED = [
    ("a + THEN", "1:5: expected an expression, found THEN"),
    ("", "1:1: expected an expression, found the end of the text"),
    ("IF a THEN b", "1:12: expected ELSE, found the end of the text"),
    ("(a]", "1:3: expected `)`, found `]`"),
    ("f(a,)", "1:5: expected an expression, found `)`"),
    ("a ; b", "1:3: expected an operator or the end, found `;`"),
    ("x == 1", "1:1: expected an expression, found the definition that begins with x"),
    (r"{x \in S : a, b}", "1:15: expected one expression after `:` in a set of what satisfies it"),
    ("{a, b : x}", "1:7: expected one expression before `:` in a set"),
    ("{a : b + c}", r"1:6: expected names to bind, as in x, y \in S"),
    (r"\A x + y : a", r"1:4: expected names to bind, as in x, y \in S"),
    (r"\E x \in S, y : a", r"1:13: expected \in and a set after what is bound"),
    ("[x, y |-> 1]", r"1:2: expected \in and a set after what is bound"),
    (r"[x \in S |-> 1, y |-> 2]", "1:15: expected `]` after the function"),
    ("[a, b : c]", "1:5: expected one name before `:` in a set of records"),
    (r"CHOOSE x, y \in S : a", r"1:11: expected one name or tuple of names, as in x \in S"),
    ("CASE OTHER -> a", "1:1: OTHER stands last in a CASE, after at least one other arm"),
    ("CASE OTHER -> a [] b -> c", "1:1: OTHER stands last in a CASE, after at least one other arm"),
    ("1 + 1.5", "1:5: 1.5 is a decimal: only integers are supported"),
    ("Op!1", "1:4: `!1` selects a part of a definition, which is not supported"),
    ("Op(a)!:", "1:7: `!:` selects a part of a definition, which is not supported"),
    ("Op!<<", "1:4: `!<<` selects a part of a definition, which is not supported"),
    ('"a', "1:1: expected an expression, found a string that does not end on its line"),
    (r'a = "\q"', r"1:5: \q in a string: the escapes are \n \t \r \f \" " + "\\\\"),
    ("a (* b (* c *)", "1:3: this comment does not end"),
    ("WF_x", "1:1: expected one action in parentheses after WF_ and its subscript"),
    ("1 :: c", "1:3: `::` follows no label: a name, or a name with names in parentheses"),
    ("TAKE", "1:1: expected an expression, found TAKE"),
    ("9" * 4001, "1:1: a number of 4001 digits is too long: at most 4000"),
]


@pytest.mark.parametrize(("text", "says"), REFUSED, ids=[text[:20] for text, _ in REFUSED])
def test_what_is_no_expression_is_refused_with_its_place(text: str, says: str) -> None:
    assert refusal(text) == f"expression:{says}"

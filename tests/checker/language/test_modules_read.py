"""Modules as trees, and the refusal of invalid ones"""

import pytest

from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.parser import parsed
from tests.checker.language.trees import AT, apply, module, name, number, refusal_of_module, units

A, B, S = name("a"), name("b"), name("S")


def parameter(text: str, arity: int = 0) -> tree.Parameter:
    return tree.Parameter(text, arity, at=AT)


def definition(text: str, body: tree.Expression, *parameters: tree.Parameter) -> tree.Definition:
    return tree.Definition(text, parameters, body, at=AT)


UNITS: list[tuple[str, tuple[tree.Unit, ...]]] = [
    ("", ()),
    ("--------", ()),
    ("VARIABLE x", (tree.Variables(("x",), at=AT),)),
    ("VARIABLES x, y", (tree.Variables(("x", "y"), at=AT),)),
    ("CONSTANT N", (tree.Constants((parameter("N"),), at=AT),)),
    (
        r"CONSTANTS F(_, _), _+_, -._, _^+, _\prec_",
        (
            tree.Constants(
                (
                    parameter("F", 2),
                    parameter("+", 2),
                    parameter("-.", 1),
                    parameter("^+", 1),
                    parameter(r"\prec", 2),
                ),
                at=AT,
            ),
        ),
    ),
    ("x == 1", (definition("x", number(1)),)),
    ("x ≜ 1", (definition("x", number(1)),)),
    ("f(a, g(_)) == a", (definition("f", A, parameter("a"), parameter("g", 1)),)),
    (r"a \oplus b == a", (definition(r"\oplus", A, parameter("a"), parameter("b")),)),
    ("a (+) b == a", (definition(r"\oplus", A, parameter("a"), parameter("b")),)),
    ("-. a == b", (definition("-.", B, parameter("a")),)),
    ("a^+ == b", (definition("^+", B, parameter("a")),)),
    (
        r"f[a \in S] == b",
        (tree.FunctionDefinition("f", (tree.Bound(("a",), S, at=AT),), B, at=AT),),
    ),
    ("LOCAL x == 1", (tree.Definition("x", (), number(1), local=True, at=AT),)),
    ("INSTANCE N", (tree.Instance(None, (), "N", (), at=AT),)),
    ("LOCAL INSTANCE N", (tree.Instance(None, (), "N", (), local=True, at=AT),)),
    ("I == INSTANCE N", (tree.Instance("I", (), "N", (), at=AT),)),
    (
        "I(a) == INSTANCE N WITH x <- a + b, + <- Plus, F <- LAMBDA y : a, G <- -",
        (
            tree.Instance(
                "I",
                (parameter("a"),),
                "N",
                (
                    ("x", apply("+", A, B)),
                    ("+", name("Plus")),
                    ("F", tree.Lambda(("y",), A, at=AT)),
                    ("G", name("-")),
                ),
                at=AT,
            ),
        ),
    ),
    ("ASSUME a", (tree.Assume(None, A, at=AT),)),
    ("AXIOM Ax == a", (tree.Assume("Ax", A, at=AT),)),
    ("ASSUMPTION a", (tree.Assume(None, A, at=AT),)),
    ("RECURSIVE f(_), g", (tree.Recursive((parameter("f", 1), parameter("g")), at=AT),)),
    (
        "---- MODULE Inner ----\nx == 1\n====\ny == 2",
        (tree.Module("Inner", (), (definition("x", number(1)),), at=AT), definition("y", number(2))),
    ),
]


@pytest.mark.parametrize(("body", "expected"), UNITS, ids=[body for body, _ in UNITS])
def test_each_unit_becomes_its_node(body: str, expected: tuple[tree.Unit, ...]) -> None:
    assert units(body) == expected


def test_text_around_the_module_is_ignored() -> None:
    text = 'No "TLA+ (* here ====\n---- MODULE M ----\nEXTENDS A, B\nx == 1\n====\nNor "here (*'
    assert parsed(text, "M") == tree.Module("M", ("A", "B"), (definition("x", number(1)),), at=AT)


def test_windows_line_ends_are_accepted() -> None:
    found = parsed(module("x == 1").replace("\n", "\r\n"), "M")
    assert found.units == (definition("x", number(1)),)
    assert found.units[0].at == tree.Position("M", 2, 1)


def test_a_definition_may_follow_a_postfix_operator() -> None:
    assert units("x == a'\ny == a^*\nz == b") == (
        definition("x", apply("'", A)),
        definition("y", apply("^*", A)),
        definition("z", B),
    )


def test_comments_nest_and_are_not_recognised_in_strings() -> None:
    body = 'x == "(*" (* one (* two *) " *) \\* three (*\ny == "*)" \\* "'
    assert units(body) == (
        definition("x", tree.String("(*", at=AT)),
        definition("y", tree.String("*)", at=AT)),
    )


THEOREMS = [
    "THEOREM a",
    "LEMMA ASSUME NEW x, NEW CONSTANT y, ASSUME b PROVE c PROVE a",
    "THEOREM ASSUME a PROVE LET c == 1 d == 2 IN c = d\nOBVIOUS",
    "PROPOSITION a PROOF BY Fact, <1>2 DEF b",
    "COROLLARY a\n<1>1. b\n  BY c\n<1> DEFINE d == 1\n          e == 2\n<1> QED BY <1>1",
    "THEOREM a\n<1>1. b\n  <2>1. c\n    OMITTED\n  <2> QED OBVIOUS\n<1>a SUFFICES ASSUME c PROVE d\n<1>q. QED\n"
    "  <2>1. c\n  <2> x == 1\n  <2> QED BY <2>1",
    "THEOREM a\nPROOF\n<*>1. b\n<+> QED\n<*> QED",
    "USE DEF a\nHIDE b",
]


@pytest.mark.parametrize("theorem", THEOREMS)
@pytest.mark.parametrize("after", ["y == 2", "VARIABLE y", "ASSUME y", "INSTANCE y", "a ++ b == y", "-----"])
def test_unnamed_theorems_and_proofs_are_skipped(theorem: str, after: str) -> None:
    assert units(f"x == 1\n{theorem}\n{after}") == units(f"x == 1\n{after}")


def test_theorems_may_follow_each_other() -> None:
    assert units("\n".join(THEOREMS)) == ()


REFUSED = [
    ("VARIABLES x,", "3:1: expected a name, found `====`"),
    ("x == ", "3:1: expected an expression or INSTANCE, found `====`"),
    ("LOCAL VARIABLE x", "2:7: expected INSTANCE or a definition, found VARIABLE"),
    ("x == 1\ny = 2", "3:1: expected an operator, a declaration, a definition or `====`, found y"),
    ("x == (1\ny == 2", "3:1: expected `)`, found the definition that begins with y"),
    ("x == IF a\ny == 2", "3:1: expected THEN, found the definition that begins with y"),
    ("x == y == z", "2:6: expected an expression or INSTANCE, found the definition that begins with y"),
    ("f[a] == 1", r"2:3: expected \in and a set after what is bound"),
    ("I == INSTANCE N WITH x = 1", "2:24: expected `<-`, found `=`"),
    ("x == 1 ]", "2:8: expected a declaration, a definition or `====`, found `]`"),
    ("x == <1>2", "2:6: expected an expression or INSTANCE, found `<1>2`"),
    ("LET x == 1 IN x", "2:1: expected a declaration, a definition, EXTENDS or `====`, found LET"),
]


@pytest.mark.parametrize(("body", "says"), REFUSED)
def test_an_invalid_module_is_refused_with_its_place(body: str, says: str) -> None:
    assert refusal_of_module(body) == f"M:{says}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "M:1:1: no module begins here: expected ---- MODULE name ----"),
        (
            "---- MODULE M ----\nx == 1\n",
            "M:3:1: expected a declaration, a definition or `====`, found the end of the text",
        ),
        ("---- MODULE 1 ----\n====", "M:1:13: expected a name, found 1"),
        ("---- MODULE M\nx == 1\n====", "M:2:1: expected `----`, found the definition that begins with x"),
    ],
)
def test_a_text_without_a_complete_module_is_refused(text: str, says: str) -> None:
    with pytest.raises(Misread) as refused:
        parsed(text, "M")
    assert str(refused.value) == says

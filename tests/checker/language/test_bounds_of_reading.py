"""Long and deep texts are read, or refused with an error, in time that grows with their length"""

from time import process_time

import pytest

from schedcheck.checker.language.syntax.parser import parsed, parsed_expression
from tests.checker.language.trees import module, refusal

DEPTH = 2000

DEEP = {
    "parentheses": "(" * DEPTH + "a" + ")" * DEPTH,
    "sets": "{" * DEPTH + "}" * DEPTH,
    "calls": "f(" * DEPTH + "a" + ")" * DEPTH,
    "negations": "~" * DEPTH + "a",
    "conditions": "IF a THEN b ELSE " * DEPTH + "c",
    "quantifiers": r"\A x \in S : " * DEPTH + "a",
    "cases": "CASE a -> " * DEPTH + "b",
    "arms": "CASE a -> b " + "[] a -> b " * DEPTH,
    "definitions": "LET a == 1 IN " * DEPTH + "b",
    "sums": "a" + " + a" * DEPTH,
    "products": "a" + r" \X a" * DEPTH,
    "indices": "f" + "[a]" * DEPTH,
    "lists": "\n".join(" " * depth + "/\\" for depth in range(1000)) + " a",
    "items": "/\\ a\n" * DEPTH,
    "comments": "(*" * DEPTH + "*)" * DEPTH + "a",
}


@pytest.mark.parametrize("kind", DEEP)
def test_long_and_deep_expressions_are_read(kind: str) -> None:
    parsed_expression(DEEP[kind])


@pytest.mark.parametrize("text", ["(" * DEPTH, "(" * DEPTH + "]", "{a : " * DEPTH, "a => " * DEPTH + "a", "(*" * DEPTH])
def test_a_deep_and_invalid_text_is_refused(text: str) -> None:
    assert refusal(text).startswith("expression:1:")


@pytest.mark.slow
def test_ten_thousand_lines_are_read_in_seconds() -> None:
    definition = "\n".join(
        (
            r"Op{}(x, y) ==",
            r"  /\ \A z \in S : z + x * 3 = [a |-> y, b |-> {{1, 2, 3}}].a",
            r"  /\ IF x > y THEN f[x] = y ELSE UNCHANGED <<x, y>>",
            r"  /\ \/ x' = [x EXCEPT ![1] = @ + 1]",
            r"     \/ y",
        )
    )
    text = module("\n".join(definition.format(number) for number in range(2000)))
    before = process_time()
    assert len(parsed(text, "M").units) == 2000
    assert process_time() - before < 30

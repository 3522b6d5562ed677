"""The tokens of TLA+, their notation, and the kind of each.

The lexer recognises words, symbols, numbers, strings and the like (`TERMINALS`). `typed` then tells keywords from names
and gives each symbol its canonical name.
"""

import re

from lark import Token

from schedcheck.checker.language.syntax.operators import INFIX, ONE_NAME, POSTFIX, PREFIX, one_name

KEYWORDS: dict[str, str] = {
    **{
        word: word
        for word in [
            "EXTENDS",
            "RECURSIVE",
            "LOCAL",
            "INSTANCE",
            "WITH",
            "IF",
            "THEN",
            "ELSE",
            "LET",
            "IN",
            "CASE",
            "OTHER",
        ]
    },
    **{word: word for word in ["CHOOSE", "EXCEPT", "LAMBDA"]},
    **dict.fromkeys(("VARIABLE", "VARIABLES"), "VARIABLE"),
    **dict.fromkeys(("CONSTANT", "CONSTANTS"), "CONSTANT"),
    **dict.fromkeys(("ASSUME", "ASSUMPTION", "AXIOM"), "ASSUME"),
    **dict.fromkeys(("THEOREM", "LEMMA", "PROPOSITION", "COROLLARY"), "THEOREM"),
    **dict.fromkeys(("USE", "HIDE"), "USE"),
    **dict.fromkeys(
        [
            "BY",
            "OBVIOUS",
            "OMITTED",
            "PROOF",
            "QED",
            "DEFINE",
            "DEF",
            "DEFS",
            "HAVE",
            "TAKE",
            "PICK",
            "WITNESS",
            "SUFFICES",
        ],
        "OF_PROOFS",
    ),
    **dict.fromkeys(
        ["PROVE", "NEW", "STATE", "ACTION", "ACTIONS", "TEMPORAL", "TEMPORALS", "ONLY", "MODULE"], "OF_PROOFS"
    ),
    **dict.fromkeys((word for word in PREFIX if word.isalpha()), "OPERATOR"),
}

MARKS: dict[str, str] = {
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQUARE",
    "]": "RSQUARE",
    "]_": "ACTION",
    "{": "LBRACE",
    "}": "RBRACE",
    "<<": "LTUPLE",
    ">>": "RTUPLE",
    ">>_": "CHANGE",
    ",": "COMMA",
    ":": "COLON",
    "::": "LABEL",
    ".": "DOT",
    "_": "UNDERSCORE",
    "==": "DEF",
    "=": "EQUALS",
    "!": "BANG",
    "->": "ARROW",
    "<-": "GETS",
    "|->": "MAPSTO",
    r"\A": "QUANTIFIER",
    r"\E": "QUANTIFIER",
    r"\AA": "QUANTIFIER",
    r"\EE": "QUANTIFIER",
    "/\\": "AND",
    "\\/": "OR",
}

_MARKS_OTHERWISE = {
    "≜": "==",
    "⟨": "<<",
    "⟩": ">>",
    "⟩_": ">>_",
    "→": "->",
    "←": "<-",
    "↦": "|->",
    "∷": "::",
    "∀": r"\A",
    "∃": r"\E",
    r"\forall": r"\A",
    r"\exists": r"\E",
}

_NUMBER_SETS = {"ℕ": "Nat", "ℤ": "Int", "ℝ": "Real"}

_SYMBOLS = sorted(
    {symbol for symbol in {*PREFIX, *INFIX, *POSTFIX, *ONE_NAME, *MARKS, *_MARKS_OTHERWISE} if not symbol.isalpha()},
    key=lambda symbol: (-len(symbol), symbol),
)


def _pattern(expression: str) -> str:
    return "/" + expression.replace("/", r"\/") + "/"


TERMINALS = rf"""
BEGIN.9: /-{{4,}} *MODULE/
LINE.9: /-{{4,}}/
END.9: /={{4,}}/
STEP.8: /<(?:[0-9]+|[+*])>[A-Za-z0-9_]*\.*/
FAIR.8: /[WS]F_/
WORD.7: /[0-9_]*[A-Za-z][A-Za-z0-9_]*|@(?!@)|[{"".join(_NUMBER_SETS)}]/
DECIMAL.6: /[0-9]+\.[0-9]+/
NUMBER.5: /[0-9]+|\\[oO][0-7]+|\\[bB][01]+|\\[hH][0-9a-fA-F]+/
STRING.5: /"(?:[^"\\\n]|\\.)*"/
SIGN.4: {_pattern("|".join(re.escape(symbol) for symbol in _SYMBOLS))}
STRAY.1: /[^ \n]/
BLANK.1: /[ \n]+/
"""

RAW = ("BEGIN", "LINE", "END", "STEP", "FAIR", "WORD", "DECIMAL", "NUMBER", "STRING", "SIGN", "STRAY")

NAMED_NEXT = ("DOT", "INSTANCE", "BEGIN")
"""Kinds of tokens after which a keyword is an ordinary name, such as that of a field."""


PARTS = frozenset({"<<", ">>", ":", "@"})
"""Symbols that select a part of a definition after a `!`; numbers do so too."""


def typed(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the kinds that the grammar uses."""
    kinds: list[Token] = []
    for index, token in enumerate(tokens):
        kind, value = _kind(token)
        before = kinds[-1].type if kinds else ""
        named = before in NAMED_NEXT
        if before == "BANG" and _MARKS_OTHERWISE.get(value, value) in PARTS:
            kind, value = "PART", _MARKS_OTHERWISE.get(value, value)
        elif before == "BANG" and token.type == "NUMBER" and value.isdigit():
            kind, value = "PART", value.lstrip("0") or "0"
        elif token.type == "WORD" and kind != "NAME" and (named or _maps(tokens, index + 1)):
            kind = "NAME"
        kinds.append(Token.new_borrow_pos(kind, value, token))
    return kinds


def _maps(tokens: list[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].value in ("|->", "↦")


def _kind(token: Token) -> tuple[str, str]:
    if token.type == "WORD":
        return KEYWORDS.get(token.value, "NAME"), _NUMBER_SETS.get(token.value, token.value)
    if token.type == "SIGN":
        symbol = one_name(_MARKS_OTHERWISE.get(token.value, token.value))
        return MARKS.get(symbol, "OPERATOR"), symbol
    return token.type, token.value

"""Token passes that mark where definitions begin and remove theorems and proofs.

The statements of named theorems are kept.

A definition begins at the first token of the left side of its `==`. TLA+ has no other sign of it, and no expression
before it extends that far. A theorem ends where the next unit of the module begins. Units within its proof, such as
those of DEFINE, do not count: a structured proof ends after the QED of its outermost level.
"""

from collections.abc import Iterator

from lark import Token

from schedcheck.checker.language.syntax.operators import INFIX, POSTFIX, PREFIX

BREAK = "BREAK"
"""The kind of the token that marks the beginning of a definition."""

UNIT_STARTS = frozenset(
    {
        BREAK,
        "VARIABLE",
        "CONSTANT",
        "RECURSIVE",
        "LOCAL",
        "INSTANCE",
        "ASSUME",
        "THEOREM",
        "USE",
        "LINE",
        "BEGIN",
        "END",
    }
)

_ENDS = frozenset({"NAME", "NUMBER", "PART", "STRING", "STEP", "RPAR", "RSQUARE", "RBRACE", "RTUPLE"})
_ENDING_WORDS = frozenset({"OBVIOUS", "OMITTED", "QED", "PROOF"})
_PROOFS = frozenset({"PROOF", "BY", "OBVIOUS", "OMITTED"})


def marked(tokens: list[Token]) -> list[Token]:
    """Return the tokens with a mark before each definition."""
    openers = _openers(tokens)
    starts = {_start(tokens, openers, index) for index, token in enumerate(tokens) if token.type == "DEF" and index > 0}
    both: list[Token] = []
    for index, token in enumerate(tokens):
        if index in starts and not (both and both[-1].type in ("THEOREM", "ASSUME")):
            both.append(Token.new_borrow_pos(BREAK, token.value, token))
        both.append(token)
    return both


def _openers(tokens: list[Token]) -> dict[int, int]:
    """Return the place of the opening bracket for each `)` and `]`."""
    openers: dict[int, int] = {}
    waiting: dict[str, list[int]] = {"LPAR": [], "LSQUARE": []}
    closes = {"RPAR": "LPAR", "RSQUARE": "LSQUARE", "ACTION": "LSQUARE"}
    for index, token in enumerate(tokens):
        if token.type in waiting:
            waiting[token.type].append(index)
        elif token.type in closes and waiting[closes[token.type]]:
            openers[index] = waiting[closes[token.type]].pop()
    return openers


def _start(tokens: list[Token], openers: dict[int, int], definition: int) -> int:
    """Return the place of the first token of the definition whose `==` is at `definition`."""
    before = definition - 1
    if tokens[before].type in ("RPAR", "RSQUARE"):
        return max(openers.get(before, before) - 1, 0)
    if tokens[before].value in POSTFIX:
        return max(before - 1, 0)
    if before >= 1 and tokens[before - 1].value in PREFIX:
        return before - 1
    if before >= 2 and tokens[before - 1].value in INFIX and tokens[before - 2].type == "NAME":
        return before - 2
    return before


def without_proofs(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens without proofs, USE, HIDE and unnamed theorems."""
    index = 0
    while index < len(tokens):
        if tokens[index].type in ("THEOREM", "USE"):
            named = index + 2 < len(tokens) and tokens[index + 2].type == "DEF"
            end = _end(tokens, index + 3 if named else index + 1)
            if named and tokens[index].type == "THEOREM":
                yield from _statement(tokens[index:end])
            index = end
        else:
            yield tokens[index]
            index += 1


def _statement(theorem: list[Token]) -> Iterator[Token]:
    """Yield the statement of a named theorem without its proof; an ASSUME/PROVE is replaced by a single token."""
    yield from theorem[:3]
    if len(theorem) > 3 and theorem[3].type == "ASSUME":
        yield Token.new_borrow_pos("PROVE", theorem[3].value, theorem[3])
        return
    for token in theorem[3:]:
        if token.type == "STEP" or token.value in _PROOFS:
            return
        yield token


def _end(tokens: list[Token], first: int) -> int:
    """Return the place where the unit ends; `first` is the place of the first token of its content."""
    lets = assumptions = 0
    steps = _Steps()
    for index in range(first, len(tokens)):
        token = tokens[index]
        over = lets <= 0 and assumptions <= 0 and steps.over()
        if token.type == "END" or (over and index > first and token.type in UNIT_STARTS):
            return index
        lets += (token.type == "LET") - (token.type == "IN")
        assumptions += (token.type == "ASSUME") - (token.value == "PROVE")
        if token.type == "STEP" and _begins_step(tokens, index):
            steps.step(token.value, is_qed=index + 1 < len(tokens) and tokens[index + 1].value == "QED")
    return len(tokens)


def _begins_step(tokens: list[Token], index: int) -> bool:
    """Whether a proof step begins here; otherwise the step's name refers to the fact it proves."""
    before = tokens[index - 1]
    ends = before.type in _ENDS or before.value in _ENDING_WORDS or before.value in POSTFIX
    return ends or tokens[index].value.endswith(".")


class _Steps:
    """The open levels of a proof, and whether each has reached its QED."""

    def __init__(self) -> None:
        self._levels: list[tuple[int, bool]] = []

    def over(self) -> bool:
        return all(qed for _, qed in self._levels)

    def step(self, written: str, is_qed: bool) -> None:
        level = self._level(written[1 : written.index(">")])
        while self._levels and self._levels[-1][0] >= level:
            self._levels.pop()
        self._levels.append((level, is_qed))

    def _level(self, written: str) -> int:
        if written == "+":
            return self._levels[-1][0] + 1 if self._levels else 1
        if written == "*":
            return next((level for level, qed in reversed(self._levels) if not qed), 1)
        return int(written)

"""The operator symbols of TLA+: canonical names, fixity and precedence.

An operator has a range of precedences. Of two neighbouring operators, the one with the entirely higher range binds
first. If the ranges overlap, the expression is ambiguous and needs parentheses. Ranges and associativity are those of
table 6 of "Specifying Systems" and of SANY, which reads `-` before an operand as `-.`.
"""

from dataclasses import dataclass
from enum import Enum


class Fixity(Enum):
    """The position of an operator relative to its operands."""

    PREFIX = "prefix"
    INFIX = "infix"
    POSTFIX = "postfix"


@dataclass(frozen=True, slots=True)
class Operator:
    """The precedence of an operator symbol, from `low` to `high`, and whether `a op b op c` means `(a op b) op c`."""

    symbol: str
    fixity: Fixity
    low: int
    high: int
    associative: bool = False


def _family(fixity: Fixity, low: int, high: int, associative: bool, symbols: str) -> dict[str, Operator]:
    return {symbol: Operator(symbol, fixity, low, high, associative) for symbol in symbols.split()}


PREFIX: dict[str, Operator] = {
    **_family(Fixity.PREFIX, 4, 4, False, "~"),
    **_family(Fixity.PREFIX, 4, 15, False, "[] <> ENABLED UNCHANGED"),
    **_family(Fixity.PREFIX, 10, 13, False, "SUBSET UNION DOMAIN"),
    **_family(Fixity.PREFIX, 12, 12, False, "-."),
}

POSTFIX: dict[str, Operator] = _family(Fixity.POSTFIX, 15, 15, False, "' ^+ ^* ^#")

INFIX: dict[str, Operator] = {
    **_family(Fixity.INFIX, 1, 1, False, "=>"),
    **_family(Fixity.INFIX, 2, 2, False, "<=> ~> -+->"),
    **_family(Fixity.INFIX, 3, 3, True, r"/\ \/"),
    **_family(
        Fixity.INFIX, 5, 5, False, r"= # < > <= >= \in \notin \subseteq \subset \supset \supseteq := ::= |- |= -| =|"
    ),
    **_family(
        Fixity.INFIX, 5, 5, False, r"\prec \succ \preceq \succeq \sim \simeq \ll \gg \asymp \approx \cong \doteq"
    ),
    **_family(Fixity.INFIX, 5, 5, False, r"\propto \sqsubset \sqsubseteq \sqsupset \sqsupseteq"),
    **_family(Fixity.INFIX, 5, 14, True, r"\cdot"),
    **_family(Fixity.INFIX, 6, 6, True, "@@"),
    **_family(Fixity.INFIX, 7, 7, False, "<: :>"),
    **_family(Fixity.INFIX, 8, 8, True, r"\cup \cap"),
    **_family(Fixity.INFIX, 8, 8, False, "\\"),
    **_family(Fixity.INFIX, 9, 9, False, ".. ..."),
    **_family(Fixity.INFIX, 9, 13, True, r"$ $$ ?? ## \uplus \sqcap \sqcup"),
    **_family(Fixity.INFIX, 9, 13, False, "!!"),
    **_family(Fixity.INFIX, 9, 14, False, r"\wr"),
    **_family(Fixity.INFIX, 10, 10, True, r"+ ++ \oplus"),
    **_family(Fixity.INFIX, 10, 11, True, "| || %%"),
    **_family(Fixity.INFIX, 10, 11, False, "%"),
    **_family(Fixity.INFIX, 10, 13, True, r"\X"),
    **_family(Fixity.INFIX, 11, 11, True, r"- -- \ominus"),
    **_family(Fixity.INFIX, 13, 13, True, r"* ** & && \odot \otimes \star \o \bigcirc \bullet"),
    **_family(Fixity.INFIX, 13, 13, False, r"/ // \oslash \div"),
    **_family(Fixity.INFIX, 14, 14, False, "^ ^^"),
}

_WRITTEN = r"""
~ \lnot \neg ¬ | [] □ | <> ◇ ⋄ | /\ \land ∧ | \/ \lor ∨ | <=> \equiv ≡ ⇔ | # /= ≠ | <= =< \leq ≤ | >= \geq ≥
\X \times × | \cap \intersect ∩ | \cup \union ∪ | \o \circ ∘ | \oplus (+) ⊕ | \ominus (-) ⊖ | \odot (.) ⊙
\oslash (/) ⊘ | \otimes (\X) ⊗ | \approx ≈ | := ≔ | \asymp ≍ | \bigcirc ◯ | ::= ⩴ | \bullet ● | \cdot ⋅ | \cong ≅
\div ÷ | \doteq ≐ | .. ‥ | ... … | !! ‼ | \gg ≫ | => ⇒ | \in ∈ | \notin ∉ | =| ⫤ | ~> ↝ | \ll ≪ | -| ⊣ | -+-> ⇸
\prec ≺ | \preceq ⪯ | \succ ≻ | \succeq ⪰ | \propto ∝ | ?? ⁇ | |= ⊨ | |- ⊢ | \sim ∼ | \simeq ≃ | \sqcap ⊓
\sqcup ⊔ | \sqsubset ⊏ | \sqsubseteq ⊑ | \sqsupset ⊐ | \sqsupseteq ⊒ | \star ⋆ | \subset ⊂ | \subseteq ⊆ | \supset ⊃
\supseteq ⊇ | \uplus ⊎ | || ‖ | \wr ≀ | ^+ ⁺ | ' ′
"""

ONE_NAME: dict[str, str] = {
    written: synonyms[0]
    for line in _WRITTEN.splitlines()
    for synonyms in (group.split() for group in line.split(" | "))
    for written in synonyms
}
"""The canonical name of every symbol with several notations."""


def one_name(symbol: str) -> str:
    r"""Return the operator's name in the syntax tree: `\cup` for `\union` and for `∪`."""
    return ONE_NAME.get(symbol, symbol)

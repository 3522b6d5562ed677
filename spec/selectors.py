"""Selectors: node-selector terms matched on nodes, label selectors matched on labels of pods and namespaces.

Operators: Numeral, Less, MatchNS, MatchTerm, Selects.
"""

import re
from collections.abc import Mapping

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.objects import Node
from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, Requirement

_NUMERAL = re.compile(r"[+-]?[0-9]+", re.ASCII)


def numeral(text: str) -> int | None:
    """Return the integer that `text` writes in base 10; None if it is not an integer or lies outside 64 bits.

    TLA+: CONSTANT Numeral, a function from the strings that write an integer to what they write
    Kubernetes 1.34: Go's strconv.ParseInt(text, 10, 64), as the operators Gt and Lt use it.
    """
    # The longest 64-bit numeral has 19 digits. Beyond that can only be leading zeros, which int() limits.
    digits = text.lstrip("+-").lstrip("0")
    if not _NUMERAL.fullmatch(text) or len(digits) > 19:
        return None
    value = int(text[: text.startswith("-")] + (digits or "0"))
    return value if -(2**63) <= value < 2**63 else None


def match_ns(requirement: Requirement, labels: Mapping[str, str], faults: Faults) -> bool:
    r"""Whether labels (or fields) satisfy one requirement of a selector.

    TLA+: MatchNS(Requirement, Labels) ==
            LET Key == Requirement.Key
                Values == Requirement.Values
            IN CASE Requirement.Operator = "In" -> Key \in DOMAIN Labels /\ Labels[Key] \in Values
                 [] Requirement.Operator = "NotIn" -> ~(Key \in DOMAIN Labels /\ Labels[Key] \in Values)
                 [] Requirement.Operator = "Exists" -> "exits-misspelt" \notin Faults /\ Key \in DOMAIN Labels
                 [] Requirement.Operator = "DoesNotExist" -> ~(Key \in DOMAIN Labels)
                 [] Requirement.Operator = "Gt" ->
                      Key \in DOMAIN Labels /\ \A Value \in Values : Less(Value, Labels[Key])
                 [] Requirement.Operator = "Lt" ->
                      Key \in DOMAIN Labels /\ \A Value \in Values : Less(Labels[Key], Value)
                 [] OTHER -> FALSE
    """
    key, values = requirement.key, requirement.values
    match requirement.operator:
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return not (key in labels and labels[key] in values)
        case "Exists":
            return Fault.EXITS_MISSPELT not in faults and key in labels
        case "DoesNotExist":
            return not (key in labels)  # noqa: E713
        case "Gt":
            return key in labels and all(less(value, labels[key], faults) for value in values)
        case "Lt":
            return key in labels and all(less(labels[key], value, faults) for value in values)
        case _:
            return False


def less(text: str, other: str, faults: Faults) -> bool:
    r"""Whether both texts are integers and the first is smaller.

    TLA+: Less(Text, Other) ==
            /\ "text-is-no-number" \notin Faults
            /\ Text \in DOMAIN Numeral
            /\ Other \in DOMAIN Numeral
            /\ Numeral[Text] < Numeral[Other]
    """
    left, right = numeral(text), numeral(other)
    return Fault.TEXT_IS_NO_NUMBER not in faults and left is not None and right is not None and left < right


def match_term(term: NodeSelectorTerm, node: Node, faults: Faults) -> bool:
    r"""Whether `node` matches a node-selector term. A term without requirements matches no node.

    TLA+: MatchTerm(Term, Node) ==
            LET Fields == [Field \in {"metadata.name"} |-> Node.Name]
            IN IF "requirement-for-term" \in Faults
               THEN \/ \E Requirement \in Term.MatchExpressions : MatchNS(Requirement, Node.Labels)
                    \/ \E Requirement \in Term.MatchFields : MatchNS(Requirement, Fields)
               ELSE /\ Term.MatchExpressions # {} \/ Term.MatchFields # {}
                    /\ \A Requirement \in Term.MatchExpressions : MatchNS(Requirement, Node.Labels)
                    /\ \A Requirement \in Term.MatchFields : MatchNS(Requirement, Fields)
    """
    fields = {"metadata.name": node.name}
    expressions = [match_ns(requirement, node.labels, faults) for requirement in term.match_expressions]
    on_fields = [match_ns(requirement, fields, faults) for requirement in term.match_fields]
    if Fault.REQUIREMENT_FOR_TERM in faults:
        return any(expressions) or any(on_fields)
    return bool(expressions or on_fields) and all(expressions) and all(on_fields)


def selects(selector: LabelSelector | None, labels: Mapping[str, str], faults: Faults) -> bool:
    r"""Whether a label selector matches `labels`; a null selector matches nothing, an empty selector everything.

    TLA+: Selects(Selector, Labels) ==
            /\ Selector # Null
            /\ \A Label \in DOMAIN Selector.MatchLabels :
                 Label \in DOMAIN Labels /\ Selector.MatchLabels[Label] = Labels[Label]
            /\ \A Requirement \in Selector.MatchExpressions : MatchNS(Requirement, Labels)
    """
    return (
        selector is not None
        and all(label in labels and value == labels[label] for label, value in selector.match_labels.items())
        and all(match_ns(requirement, labels, faults) for requirement in selector.match_expressions)
    )

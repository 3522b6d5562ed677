------------------------------- MODULE Selectors -------------------------------
(* Selectors: node-selector terms select nodes, label selectors select pods   *)
(* and namespaces by their labels.                                            *)
(*                                                                            *)
(* Labels are functions from strings to strings, so a selector is a predicate *)
(* on a function and its domain.  One predicate, MatchNS, serves nodes, pods  *)
(* and namespaces; Kubernetes admits Gt and Lt for nodes only, which is       *)
(* checked where the objects are read.  TLA+ does not say which strings write *)
(* integers, so the constant Numeral does; the published model asks whether   *)
(* the string is an integer, which no string is ("text-is-no-number").        *)
EXTENDS Snapshots

Less(Text, Other) ==
  /\ "text-is-no-number" \notin Faults
  /\ Text \in DOMAIN Numeral
  /\ Other \in DOMAIN Numeral
  /\ Numeral[Text] < Numeral[Other]

MatchNS(Requirement, Labels) ==
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

MatchTerm(Term, Node) ==
  LET Fields == [Field \in {"metadata.name"} |-> Node.Name]
  IN IF "requirement-for-term" \in Faults
     THEN \/ \E Requirement \in Term.MatchExpressions : MatchNS(Requirement, Node.Labels)
          \/ \E Requirement \in Term.MatchFields : MatchNS(Requirement, Fields)
     ELSE /\ Term.MatchExpressions # {} \/ Term.MatchFields # {}
          /\ \A Requirement \in Term.MatchExpressions : MatchNS(Requirement, Node.Labels)
          /\ \A Requirement \in Term.MatchFields : MatchNS(Requirement, Fields)

Selects(Selector, Labels) ==
  /\ Selector # Null
  /\ \A Label \in DOMAIN Selector.MatchLabels :
       Label \in DOMAIN Labels /\ Selector.MatchLabels[Label] = Labels[Label]
  /\ \A Requirement \in Selector.MatchExpressions : MatchNS(Requirement, Labels)
===============================================================================

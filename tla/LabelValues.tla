------------------------------ MODULE LabelValues ------------------------------
(* Sets of label values, as Karpenter computes with them.                     *)
(*                                                                            *)
(* The values that a label may have are [But, Named]: those named, or with    *)
(* But all except those named.  Requirements are a function from labels to    *)
(* such values.                                                               *)
EXTENDS Snapshots

OneOf(Some) == [But |-> FALSE, Named |-> Some]

AnyValue == [But |-> TRUE, Named |-> {}]

NoValue == OneOf({})

Allows(Values, Value) == (Value \in Values.Named) # Values.But

(* The operators NotIn and DoesNotExist. *)
Negative(Values) == Values.But = (Values.Named # {})

IsOne(Values) == ~Values.But /\ Cardinality(Values.Named) = 1

MeetingOf(Some) ==
  LET Listed == {Values \in Some : ~Values.But}
      Excluded == UNION {Values.Named : Values \in Some \ Listed}
      Common == {Value \in UNION {Values.Named : Values \in Listed} : \A Values \in Listed : Value \in Values.Named}
  IN IF Listed = {} THEN [But |-> TRUE, Named |-> Excluded] ELSE OneOf(Common \ Excluded)

Meets(Values, Others) == MeetingOf({Values, Others}) # NoValue

ExpressionValues(Requirement) ==
  CASE Requirement.Operator = "In" -> OneOf(Requirement.Values)
    [] Requirement.Operator = "NotIn" -> [But |-> TRUE, Named |-> Requirement.Values]
    [] Requirement.Operator = "Exists" -> AnyValue
    [] OTHER -> NoValue

ValuesIn(Requirements, Key) == IF Key \in DOMAIN Requirements THEN Requirements[Key] ELSE AnyValue

Combined(Some, Others) ==
  [Key \in DOMAIN Some \union DOMAIN Others |-> MeetingOf({ValuesIn(Some, Key), ValuesIn(Others, Key)})]

OfLabels(Labels) == [Key \in DOMAIN Labels |-> OneOf({Labels[Key]})]

OfExpressions(Some) ==
  [Key \in {Each.Key : Each \in Some} |-> MeetingOf({ExpressionValues(Each) : Each \in {One \in Some : One.Key = Key}})]

Intersect(Has, Wants) ==
  \A Key \in DOMAIN Has \intersect DOMAIN Wants :
    Meets(Has[Key], Wants[Key]) \/ (Negative(Has[Key]) /\ Negative(Wants[Key]))

(* Labels that are not defined are denied, unless they are among Undefined. *)
Compatible(Has, Wants, Undefined) ==
  /\ \A Key \in DOMAIN Wants : Key \in Undefined \/ Key \in DOMAIN Has \/ Negative(Wants[Key])
  /\ Intersect(Has, Wants)
================================================================================

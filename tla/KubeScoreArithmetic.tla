-------------------------- MODULE KubeScoreArithmetic --------------------------
(* The arithmetic of kube-scheduler's scores.                                 *)
(*                                                                            *)
(* Scores are functions from the candidate nodes to integers.  Go truncates   *)
(* quotients towards zero, where TLA+ rounds down.  Rounded is the nearest    *)
(* integer to a non-negative quotient, halves up.  Kubernetes has 64 bits and *)
(* TLC has 32: amounts are divided by a common divisor beforehand, as         *)
(* everywhere.                                                                *)
(*                                                                            *)
(* Where Kubernetes computes in 64-bit floating point, an exact result is     *)
(* written here as an integer.  Each module of a score says where the result  *)
(* is not exact, and what it is instead.                                      *)
EXTENDS Arithmetic, Sequences, FiniteSets

Highest == 100

Magnitude(Number) == IF Number < 0 THEN -Number ELSE Number

Quotient(Dividend, Divisor) ==
  LET Whole == Magnitude(Dividend) \div Magnitude(Divisor)
  IN IF (Dividend < 0) = (Divisor < 0) THEN Whole ELSE -Whole

Rounded(Dividend, Divisor) ==
  LET Half == IF (Dividend < 0) = (Divisor < 0) THEN Divisor ELSE -Divisor
  IN Quotient(2 * Dividend + Half, 2 * Divisor)

Greatest(Scores) == Max({0} \union {Scores[Node] : Node \in DOMAIN Scores})

DefaultNormalised(Scores, Reverse) ==
  [Node \in DOMAIN Scores |->
    IF Greatest(Scores) = 0 THEN IF Reverse THEN Highest ELSE Scores[Node]
    ELSE LET Share == Quotient(Highest * Scores[Node], Greatest(Scores))
         IN IF Reverse THEN Highest - Share ELSE Share]
================================================================================

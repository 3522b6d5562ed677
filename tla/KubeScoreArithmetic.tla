-------------------------- MODULE KubeScoreArithmetic --------------------------
(* The arithmetic of kube-scheduler's scores.                                 *)
(*                                                                            *)
(* Scores are functions from the nodes that are to choose from to integers.   *)
(* Go cuts the fraction of a quotient off, towards zero, where TLA+ rounds    *)
(* down. Rounded is the nearest integer to a quotient that is not negative,   *)
(* halves up. Kubernetes has 64 bits and TLC has 32: amounts are divided by a *)
(* common divisor before they come here, as everywhere.                       *)
(*                                                                            *)
(* Where Kubernetes counts in 64-bit floating point, what is exact in it is   *)
(* written here as the integer that it is, and each module of a score says    *)
(* where it is not exact, and what it gives instead.                          *)
EXTENDS Arithmetic, Sequences, FiniteSets

Highest == 100

Magnitude(Number) == IF Number < 0 THEN -Number ELSE Number

Quotient(Dividend, Divisor) ==
  LET Whole == Magnitude(Dividend) \div Magnitude(Divisor)
  IN IF (Dividend < 0) = (Divisor < 0) THEN Whole ELSE -Whole

Rounded(Dividend, Divisor) ==
  LET Half == IF (Dividend < 0) = (Divisor < 0) THEN Divisor ELSE -Divisor
  IN Quotient(2 * Dividend + Half, 2 * Divisor)

Greatest(Scores) == Max({Scores[Node] : Node \in DOMAIN Scores})

DefaultNormalised(Scores, Reverse) ==
  [Node \in DOMAIN Scores |->
    IF Greatest(Scores) = 0 THEN IF Reverse THEN Highest ELSE Scores[Node]
    ELSE LET Share == Quotient(Highest * Scores[Node], Greatest(Scores))
         IN IF Reverse THEN Highest - Share ELSE Share]
================================================================================

----------------------------- MODULE KubeImportance ----------------------------
(* The order of importance of pods, and the order of damages.                 *)
(*                                                                            *)
(* A pod is more important than another if its priority is higher, or equal   *)
(* and it started earlier.  A snapshot does not record the order of equally   *)
(* important pods, so every order is allowed.  Damages are tuples, compared   *)
(* lexicographically.                                                         *)
EXTENDS Snapshots

MoreImportant(Pod, Other) ==
  \/ Pod.Spec.Priority > Other.Spec.Priority
  \/ Pod.Spec.Priority = Other.Spec.Priority /\ Pod.Status.StartTime < Other.Status.StartTime

RECURSIVE Orders(_)
Orders(Some) ==
  IF Some = {} THEN {<<>>}
  ELSE UNION {{<<First>> \o Rest : Rest \in Orders(Some \ {First})} :
               First \in {Pod \in Some : ~\E Other \in Some : MoreImportant(Other, Pod)}}

NoWorse(Tuple, Other) ==
  \/ Tuple = Other
  \/ \E i \in DOMAIN Tuple : Tuple[i] < Other[i] /\ \A j \in 1 .. i - 1 : Tuple[j] = Other[j]
================================================================================

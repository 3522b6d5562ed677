------------------------------ MODULE KubeChoice -------------------------------
(* The end of a scheduling cycle of kube-scheduler: the nodes that may be     *)
(* chosen.                                                                    *)
(*                                                                            *)
(* The nominated node is chosen if it is feasible, and so is a single         *)
(* feasible node.  Otherwise the nodes are scored, and only then does an      *)
(* error in scoring count.  Any of the best nodes may be chosen.              *)
EXTENDS KubeFilters, KubeScores

Choice(Pod, Snapshot) ==
  LET Possible == Feasible(Pod, Snapshot)
      Own == {Node \in Possible : Node.Name = Pod.Status.NominatedNodeName}
      Found == Scored(Pod, Possible, Snapshot)
      Ends(Kind, Mode, Hosts) == [Kind |-> Kind, Mode |-> Mode, Hosts |-> Hosts]
  IN IF Own # {} THEN Ends("scheduled", "nominated", Own)
     ELSE IF Failure(Pod, Snapshot) THEN Ends("error", "", {})
     ELSE IF Possible = {} THEN Ends("unschedulable", "", {})
     ELSE IF Cardinality(Possible) = 1 THEN Ends("scheduled", "single", Possible)
     ELSE IF Found.Error THEN Ends("error", "", {})
     ELSE Ends("scheduled", "scored", Found.Best)
================================================================================

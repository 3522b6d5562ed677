------------------------------ MODULE KubeEvicting -----------------------------
(* The decisions of kube-scheduler, together with the evictions that follow.  *)
(*                                                                            *)
(* kube-scheduler 1.34 keeps a preemptor out of its queue until all of its    *)
(* victims are evicted (PreEnqueue of DefaultPreemption); so here it is not   *)
(* tried before.                                                              *)
EXTENDS KubeControlLoop, Deleting

KubeDecision(Pod) ==
  /\ Identity(Pod) \notin {Pair[1] : Pair \in ToEvict}
  /\ \E Decided \in KubeDecisions(Pod, Objects) :
       /\ Objects' = KubeAfter(Decided, Pod, Objects)
       /\ ToEvict' = DueEvictions(ToEvict \union {<<Identity(Pod), Identity(Victim)>> : Victim \in Decided.Victims},
                                  Objects')
================================================================================

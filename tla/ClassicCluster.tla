----------------------------- MODULE ClassicCluster ----------------------------
(* The system with the early scheduler in it.                                 *)
(*                                                                            *)
(* A waiting pod of the highest priority is taken up. It is bound to one of   *)
(* the best of the nodes that it passes, or pods are evicted for it at once,  *)
(* or it waits. What is around it is as in Cluster; there is no fairness.     *)
(*                                                                            *)
(* To run it, fix the constants in a module that extends this one, as the     *)
(* modules MC_classic_* beside it do; Created is KubeNewlyArrived.            *)
EXTENDS ClassicPreemption, Surroundings

ASSUME Faults = {}

EarlyTurn(Snapshot) ==
  LET Waiting == Unbound(Snapshot)
  IN {Pod \in Waiting : \A Other \in Waiting : Other.Spec.Priority <= Pod.Spec.Priority}

EarlyBind(Pod, Node) ==
  Becomes(Pod, {[Pod EXCEPT !.Spec.NodeName = Node.Name, !.Status.NominatedNodeName = ""]})

EarlyDecision(Pod) ==
  LET Best_ == EarlyBest(Pod, Objects)
      Evictions == EarlyPermitted(Pod, Objects)
  IN IF Best_ # {} THEN \E Node \in Best_ : EarlyBind(Pod, Node)
     ELSE IF Evictions # {} THEN \E Victims \in Evictions :
            Objects' = (Objects \ Victims) \union EarlyRecreated(Victims)
     ELSE UNCHANGED Objects

ClassicInit == Beginning

ClassicNext ==
  \/ ByItself
  \/ (\E Pod \in EarlyTurn(Objects) : EarlyDecision(Pod)) /\ UNCHANGED Left

ClassicSpec == ClassicInit /\ [][ClassicNext]_<<Objects, Left>>
================================================================================

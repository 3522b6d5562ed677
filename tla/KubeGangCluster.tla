---------------------------- MODULE KubeGangCluster ----------------------------
(* The system with kube-scheduler 1.35 and its gang scheduling in it: that of *)
(* KubeCluster, and the ends of the time limits of waiting pods.              *)
(*                                                                            *)
(* Not modelled: preemption, so that ToEvict stays empty.  A scenario with    *)
(* several priorities is not exported.  Created is GangNewlyArrived.          *)
EXTENDS KubeGangs

GangRates(Pod, Node, Snapshot) == KubeRates(Pod, Node, AsPlaced(Snapshot))

EveryGangDecision(Kinds, Keeps(_, _)) ==
  \A Pod \in GangTurn(Objects) : \A Decided \in GangDecisions(Pod, Objects) :
    Decided.Kind \in Kinds => Keeps(Pod, Decided)

GangInit == Beginning /\ ToEvict = {}

GangNext ==
  \/ /\ ByItself
     /\ UNCHANGED ToEvict
  \/ /\ \E Pod \in Pods(Objects) : Terminate(Pod) \/ TimeOut(Pod)
     /\ UNCHANGED <<Left, ToEvict>>
  \/ /\ GangScheduler
     /\ UNCHANGED <<Left, ToEvict>>

GangSpec == GangInit /\ [][GangNext]_<<Objects, Left, ToEvict>>
================================================================================

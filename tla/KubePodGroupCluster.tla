-------------------------- MODULE KubePodGroupCluster --------------------------
(* The system with kube-scheduler and its gang scheduling in it: that of      *)
(* KubeCluster, in which a PodGroup has one cycle.                            *)
(*                                                                            *)
(* Not modelled: preemption, so that ToEvict stays empty.  A scenario with    *)
(* several priorities is not exported.                                        *)
EXTENDS KubePodGroups

EveryPodGroupDecision(Kinds, Keeps(_, _)) ==
  \A Pod \in PodGroupTurn(Objects) : \A Decided \in PodGroupDecisions(Pod, Objects) :
    Decided.Kind \in Kinds => Keeps(Pod, Decided)

PodGroupInit == Beginning /\ ToEvict = {}

PodGroupNext ==
  \/ /\ ByItself
     /\ UNCHANGED ToEvict
  \/ /\ \E Pod \in Pods(Objects) : Terminate(Pod)
     /\ UNCHANGED <<Left, ToEvict>>
  \/ /\ PodGroupScheduler
     /\ UNCHANGED <<Left, ToEvict>>

PodGroupSpec == PodGroupInit /\ [][PodGroupNext]_<<Objects, Left, ToEvict>>
================================================================================

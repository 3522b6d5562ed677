------------------------------ MODULE KubeCluster ------------------------------
(* The system with kube-scheduler in it.                                      *)
(*                                                                            *)
(* A step is one event, one step of a controller, the eviction or the end of  *)
(* a victim, or one decision.  Any of the unbound pods may be tried: the      *)
(* queue is not modelled.  There is no fairness, so this module states only   *)
(* safety.                                                                    *)
(*                                                                            *)
(* To run it, fix the constants in a module that extends this one, as the     *)
(* modules MC_kube_* beside it do; Created is KubeNewlyArrived.               *)
EXTENDS KubeEvicting

KubeInit == Beginning /\ ToEvict = {}

KubeNext ==
  \/ /\ ByItself
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
  \/ /\ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ UNCHANGED Left
  \/ /\ \E Pod \in KubeTurn(Objects) : KubeDecision(Pod)
     /\ UNCHANGED Left

KubeSpec == KubeInit /\ [][KubeNext]_<<Objects, Left, ToEvict>>
================================================================================

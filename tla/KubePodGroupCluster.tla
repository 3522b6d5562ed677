-------------------------- MODULE KubePodGroupCluster --------------------------
(* The system with kube-scheduler and its gang scheduling in it: that of      *)
(* KubeCluster, in which a PodGroup has one cycle, and preempts as a whole.   *)
(* No pod of it is asked while pods of its victims are still to be evicted.   *)
EXTENDS KubeGroupDecisions

EveryPodGroupDecision(Kinds, Keeps(_, _)) ==
  \A Pod \in PodGroupTurn(Objects) : Identity(Pod) \in {Pair[1] : Pair \in ToEvict} \/
    \A Decided \in PodGroupDecisions(Pod, Objects) : Decided.Kind \in Kinds => Keeps(Pod, Decided)

PodGroupDecision(Pod) ==
  /\ Identity(Pod) \notin {Pair[1] : Pair \in ToEvict}
  /\ \E Decided \in PodGroupDecisions(Pod, Objects) :
       /\ Objects' = PodGroupAfter(Decided, Pod, Objects)
       /\ ToEvict' = DueEvictions(ToEvict \union {<<Identity(Each), Identity(Victim)>> :
                                                   Each \in WaitingWith(Decided, Pod, Objects), Victim \in Decided.Victims},
                                  Objects')

PodGroupInit == Beginning /\ ToEvict = {}

PodGroupNext ==
  \/ /\ ByItself
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
  \/ /\ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ UNCHANGED Left
  \/ /\ \E Pod \in PodGroupTurn(Objects) : PodGroupDecision(Pod)
     /\ UNCHANGED Left

PodGroupSpec == PodGroupInit /\ [][PodGroupNext]_<<Objects, Left, ToEvict>>
================================================================================

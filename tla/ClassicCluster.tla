----------------------------- MODULE ClassicCluster ----------------------------
(* The system with the early scheduler in it.                                 *)
(*                                                                            *)
(* Any unbound pod may be tried: the order is the affair of the queue.  The   *)
(* pod is bound to one of the best nodes that pass, or nominated to a node    *)
(* from which pods are evicted for it, or it stays unbound.  Kubernetes 1.17  *)
(* deletes the victims before it tries another pod; here each eviction is a   *)
(* step of its own, and only the preemptor waits for them.  Pods of lower     *)
(* priority lose their nomination to the node at once.  The environment is    *)
(* that of KubeCluster; there is no fairness.                                 *)
(*                                                                            *)
(* To run it, fix the constants in a module that extends this one, as the     *)
(* modules MC_classic_* beside it do; Created is KubeNewlyArrived.            *)
EXTENDS ClassicPreemption, Nominating, Deleting

ASSUME Faults = {}

EarlyTurn(Snapshot) == {Pod \in Unbound(Snapshot) : ~Pod.Terminating}

EarlyWithoutANode(Pod, Snapshot) ==
  LET Evictions == EarlyPermitted(Pod, Snapshot)
      Hopeless == Worthwhile(Pod, Snapshot) = {}
  IN CASE Nodes(Snapshot) = {} \/ ~EarlyEligible(Pod, Snapshot) -> {Wait(Pod, FALSE)}
       [] OTHER -> IF Evictions = {} THEN {Wait(Pod, Hopeless)}
                   ELSE {Nominate(Each.Node, Each.Victims) : Each \in Evictions}

EarlyDecisions(Pod, Snapshot) ==
  LET Best_ == EarlyBest(Pod, Snapshot)
  IN IF Best_ # {} THEN {Bind(Node) : Node \in Best_} ELSE EarlyWithoutANode(Pod, Snapshot)

EarlyAfter(Decided, Pod, Snapshot) ==
  LET Losing == IF Decided.Kind = "Nominate" THEN Outranked(Pod, Decided.Node, Snapshot) ELSE {}
      After(Object) ==
        CASE Object = Pod /\ Decided.Kind = "Bind" ->
               [Pod EXCEPT !.Spec.NodeName = Decided.Node.Name, !.Status.NominatedNodeName = ""]
          [] Object = Pod /\ Decided.Kind = "Nominate" ->
               [Pod EXCEPT !.Status.NominatedNodeName = Decided.Node.Name]
          [] Object = Pod /\ Decided.Unnominated -> [Pod EXCEPT !.Status.NominatedNodeName = ""]
          [] Object \in Losing -> [Object EXCEPT !.Status.NominatedNodeName = ""]
          [] OTHER -> Object
  IN {After(Object) : Object \in Snapshot}

EarlyDecision(Pod) ==
  /\ Identity(Pod) \notin {Pair[1] : Pair \in ToEvict}
  /\ \E Decided \in EarlyDecisions(Pod, Objects) :
       /\ Objects' = EarlyAfter(Decided, Pod, Objects)
       /\ ToEvict' = DueEvictions(ToEvict \union {<<Identity(Pod), Identity(Victim)>> : Victim \in Decided.Victims},
                                  Objects')

ClassicInit == Beginning /\ ToEvict = {}

ClassicNext ==
  \/ /\ ByItself
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
  \/ /\ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ UNCHANGED Left
  \/ (\E Pod \in EarlyTurn(Objects) : EarlyDecision(Pod)) /\ UNCHANGED Left

ClassicSpec == ClassicInit /\ [][ClassicNext]_<<Objects, Left, ToEvict>>
================================================================================

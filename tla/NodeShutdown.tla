------------------------------ MODULE NodeShutdown -----------------------------
(* Graceful node shutdown with priorities: the kubelet ends the pods of its   *)
(* node group by group.                                                       *)
(*                                                                            *)
(* ShutdownPriorities are those of shutdownGracePeriodByPodPriority,          *)
(* ascending.  A pod belongs to the greatest one that is not above its own    *)
(* priority, or to the lowest.  A shutdown is                                 *)
(*   [Node, Waiting, Killed, Overdue]                                         *)
(* where Node is a name, and the others hold the identities of pods that have *)
(* not ended: Killed the group whose time runs, Waiting a sequence of the     *)
(* groups that follow, none of them empty, and Overdue those whose time is    *)
(* over.                                                                      *)
EXTENDS Binding, Arithmetic

CONSTANT ShutdownPriorities  (* A sequence of priorities, ascending. *)

GroupOf(Priority) ==
  Max({1} \union {i \in DOMAIN ShutdownPriorities : ShutdownPriorities[i] <= Priority})

NotEnded(Name, Snapshot) ==
  {Pod \in Pods(Snapshot) : Pod.Spec.NodeName = Name /\ ~Completed(Pod)}

(* The next group begins once no pod is left of the one before. *)
Proceeding(Shutdown) ==
  IF Shutdown.Killed # {} \/ Shutdown.Waiting = <<>> THEN Shutdown
  ELSE [Shutdown EXCEPT !.Killed = Head(Shutdown.Waiting), !.Waiting = Tail(@)]

ShutdownOf(Node, Snapshot) ==
  LET Of(i) == {Identity(Pod) : Pod \in {Each \in NotEnded(Node.Name, Snapshot) : GroupOf(Each.Spec.Priority) = i}}
      Groups == [i \in DOMAIN ShutdownPriorities |-> Of(i)]
  IN Proceeding([Node |-> Node.Name,
                 Waiting |-> SelectSeq(Groups, LAMBDA Group : Group # {}),
                 Killed |-> {},
                 Overdue |-> {}])

KnownTo(Shutdown) ==
  Shutdown.Killed \union Shutdown.Overdue \union UNION {Shutdown.Waiting[i] : i \in DOMAIN Shutdown.Waiting}

(* The shutdown after the time of the group that is killed. *)
Expired(Shutdown) ==
  Proceeding([Shutdown EXCEPT !.Overdue = @ \union Shutdown.Killed, !.Killed = {}])

(* The shutdown without pods that have ended or left. *)
Lasting(Shutdown, Snapshot) ==
  LET Here == {Identity(Pod) : Pod \in NotEnded(Shutdown.Node, Snapshot)}
      Groups == [i \in DOMAIN Shutdown.Waiting |-> Shutdown.Waiting[i] \intersect Here]
  IN Proceeding([Shutdown EXCEPT
                   !.Waiting = SelectSeq(Groups, LAMBDA Group : Group # {}),
                   !.Killed = @ \intersect Here,
                   !.Overdue = @ \intersect Here])

(* A node that is gone does not shut down. *)
LastingOnes(Some, Snapshot) ==
  {Lasting(Shutdown, Snapshot) : Shutdown \in {Each \in Some : \E Node \in Nodes(Snapshot) : Node.Name = Each.Node}}
================================================================================

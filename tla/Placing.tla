-------------------------------- MODULE Placing --------------------------------
(* The pods that may be tried, and the nodes to which they may be bound.      *)
(*                                                                            *)
(* A step of the scheduler tries one unbound pod of the highest priority and  *)
(* binds it to a feasible node of the highest viability.  Kubernetes breaks   *)
(* ties by chance; here each of the tied choices is a possible step, so a     *)
(* model checker sees all of them.  Binding rewrites one record of the set    *)
(* and leaves the others unchanged.                                           *)
EXTENDS Filters, Ratings

Turn(Snapshot) ==
  LET Waiting == Unbound(Snapshot)
  IN {Pod \in Waiting : \A Other \in Waiting : Other.Spec.Priority <= Pod.Spec.Priority}

SchedulingEnabled(Pod) ==
  \E Node \in Nodes(Objects) : Feasibility(Pod, Node, Objects)

Scheduling(Pod) ==
  LET Feasible == {Node \in Nodes(Objects) : Feasibility(Pod, Node, Objects)}
  IN \E Node \in Feasible :
       /\ \A Other \in Feasible : Viability(Pod, Other, Objects) <= Viability(Pod, Node, Objects)
       /\ Objects' = {IF Object = Pod THEN [Pod EXCEPT !.Spec.NodeName = Node.Name] ELSE Object :
                       Object \in Objects}
===============================================================================

-------------------------------- MODULE NodePools ------------------------------
(* The node pools of a cluster autoscaler, and the pods that the drain of a   *)
(* node moves.                                                                *)
(*                                                                            *)
(* A pool is                                                                  *)
(*   [Name, Least, Most, Template, Names, Trials]                             *)
(* where Template is a node without the label of its hostname, Names the      *)
(* names that its nodes may get, in order, and Trials those of the nodes of a *)
(* simulation.  The facts of a pod are                                        *)
(*   [Daemon, Mirror, Replicated, SafeToEvict, LocalStorage, Kind, Group,     *)
(*    Sizes]                                                                  *)
(* where Kind is one number for pods that differ in name and status alone,    *)
(* Group one for those of them with the same controller, and Sizes says, for  *)
(* each pool, the place of the pod in the order of the shares of a new node   *)
(* that pods request.  A pod that is simulated as created again, while it is  *)
(* still there, has the same facts.                                           *)
EXTENDS Environment

CONSTANTS
  AutoscaledPools,  (* A set of pools.                                        *)
  PoolLabel,     (* The label by which nodes belong to pools.                 *)
  DrainedNodes,  (* "tainted" or "removed": how the simulation of a removal   *)
                 (* sees the node without its pods.                           *)
  KeptNodes,     (* The names of nodes that are never removed.                *)
  PodFacts,      (* From the identities of pods to their facts.               *)
  NodeLimits     (* From the names of nodes that offer cpu and memory to      *)
                 (* [cpu, memory]: what pods may request of both, at most, on *)
                 (* a node that is little used.                               *)

ASSUME DrainedNodes \in {"tainted", "removed"}

DrainTaint == [Key |-> "ToBeDeletedByClusterAutoscaler", Value |-> "", Effect |-> "NoSchedule"]

InPool(Node, Pool) ==
  PoolLabel \in DOMAIN Node.Labels /\ Node.Labels[PoolLabel] = Pool.Name

NodesIn(Pool, Snapshot) == {Node \in Nodes(Snapshot) : InPool(Node, Pool)}

Pooled(Node) == \E Pool \in AutoscaledPools : InPool(Node, Pool)

FreshNode(Pool, Name) ==
  Relabelled([Pool.Template EXCEPT !.Name = Name], "kubernetes.io/hostname", Name)

Draining(Node) == DrainTaint.Key \in {Taint.Key : Taint \in Node.Spec.Taints}

Marked(Node) ==
  [Node EXCEPT !.Spec.Taints = @ \union {DrainTaint}, !.Spec.Unschedulable = TRUE]

Unmarked(Node) ==
  [Node EXCEPT
    !.Spec.Taints = {Taint \in @ : Taint.Key # DrainTaint.Key},
    !.Spec.Unschedulable = FALSE]

FactsOf(Pod) == PodFacts[Identity(Pod)]

PodsSeen(Name, Snapshot) ==
  {Pod \in Pods(Snapshot) : Pod.Spec.NodeName = Name /\ ~Completed(Pod)}

(* Pods of DaemonSets and mirror pods end with their node. *)
ToBeMoved(Name, Snapshot) ==
  {Pod \in PodsSeen(Name, Snapshot) : ~FactsOf(Pod).Mirror /\ ~FactsOf(Pod).Daemon}

(* Whether a pod forbids the removal of its node. *)
Blocks(Pod, Snapshot) ==
  LET Facts == FactsOf(Pod)
      Over == {Budget \in Budgets(Snapshot) : Protects(Budget, Pod)}
  IN IF Facts.Mirror \/ Facts.Daemon \/ Facts.SafeToEvict = "true" THEN FALSE
     ELSE IF ~Facts.Replicated THEN TRUE
     ELSE IF Pod.Namespace = "kube-system" /\ Over = {} THEN FALSE
     ELSE \/ Facts.SafeToEvict = "false"
          \/ Facts.LocalStorage
          \/ \E Budget \in Over : Budget.DisruptionsAllowed < 1
================================================================================

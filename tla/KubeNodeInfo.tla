----------------------------- MODULE KubeNodeInfo ------------------------------
(* A node with its pods, including those added or removed for a trial.        *)
(*                                                                            *)
(* Filters judge nodes as they would be: with the pods nominated to them, or  *)
(* without potential victims.  An info is [Node, Pods, Ports, Changes]: Pods  *)
(* and the Ports that they use are those of the trial, and Changes gives for  *)
(* each pod added or removed the difference to the snapshot, 0 if it was put  *)
(* back.                                                                      *)
(*                                                                            *)
(* Kubernetes keeps the ports of a node as a set, and removing a pod removes  *)
(* its ports, though another pod may use one of them (departure               *)
(* "ports-are-a-set").                                                        *)
EXTENDS KubeRequests

HostPorts(Pod) ==
  LET Containers == Pod.Spec.Containers \o Sidecars(Pod.Spec.InitContainers)
  IN {[Port EXCEPT !.Address = IF @ = "" THEN "0.0.0.0" ELSE @] :
       Port \in UNION {Containers[i].Ports : i \in DOMAIN Containers}}

Held(Some) == UNION {HostPorts(Pod) : Pod \in Some}

NodeInfo(Node, Some) ==
  [Node |-> Node, Pods |-> Some, Ports |-> Held(Some), Changes |-> [Pod \in {} |-> 0]]

NodeInfos(Snapshot) ==
  {NodeInfo(Node, Occupants(Node, Snapshot)) : Node \in Nodes(Snapshot)}

Added(Info, More) ==
  LET Before == Info.Changes
  IN [Info EXCEPT
       !.Pods = @ \union More,
       !.Ports = @ \union Held(More),
       !.Changes = [Pod \in DOMAIN Before \union More |->
         Given(Before, Pod) + (IF Pod \in More THEN 1 ELSE 0)]]

Removed(Info, Fewer) ==
  LET Before == Info.Changes
      Rest == Info.Pods \ Fewer
  IN [Info EXCEPT
       !.Pods = Rest,
       !.Ports = IF "ports-are-a-set" \in Departures THEN @ \ Held(Fewer) ELSE Held(Rest),
       !.Changes = [Pod \in DOMAIN Before \union Fewer |->
         Given(Before, Pod) - (IF Pod \in Fewer THEN 1 ELSE 0)]]

TakenThere(Info, Resource) ==
  Sum([Pod \in Info.Pods |-> Given(Occupied(Pod), Resource)])
================================================================================

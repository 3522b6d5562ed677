---------------------------- MODULE KubeScoreImages ----------------------------
(* The score ImageLocality: the more and the larger images of the pod a node  *)
(* already has, the better.                                                   *)
(*                                                                            *)
(* Sizes are in a unit of which a mebibyte has a whole number.  An image      *)
(* counts by the share of nodes that have it, in Kubernetes in floating point *)
(* and truncated to bytes.  A model in which the result is not a whole number *)
(* of units, or not exact, is refused.  The size of an image is the one       *)
(* reported by the node with it that the cache saw first.                     *)
EXTENDS KubeSnapshots, KubeScoreArithmetic

CONSTANTS
  Mebibyte,  (* The number of units in a mebibyte.             *)
  SeenAs     (* From each node name to its rank of being seen. *)

ImageNames(Node) == UNION {Node.Status.Images[i].Names : i \in DOMAIN Node.Status.Images}

ImageSize(Name, Snapshot) ==
  LET Holders == {Node \in Nodes(Snapshot) : Name \in ImageNames(Node)}
      First == CHOOSE Node \in Holders : \A Other \in Holders : SeenAs[Node.Name] <= SeenAs[Other.Name]
      Images == First.Status.Images
  IN IF Holders = {} THEN 0 ELSE Images[Min({i \in DOMAIN Images : Name \in Images[i].Names})].Size

ImageLocalityScore(Pod, Among, Snapshot) ==
  LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
      Holders(Name) == Cardinality({Node \in Nodes(Snapshot) : Name \in ImageNames(Node)})
      Worth(Name) == (ImageSize(Name, Snapshot) * Holders(Name)) \div Cardinality(Nodes(Snapshot))
      Least == 23 * Mebibyte
      Most == 1000 * Mebibyte * Len(Containers)
      Here(Node) == Sum([i \in DOMAIN Containers |->
        IF Containers[i].Image \in ImageNames(Node) THEN Worth(Containers[i].Image) ELSE 0])
  IN [Node \in Among |-> Quotient(Highest * (Max({Min({Here(Node), Most}), Least}) - Least), Most - Least)]
================================================================================

---------------------------- MODULE KubeScoreImages ----------------------------
(* The score ImageLocality: the more and the larger images of the pod a node  *)
(* already has, the better.  The images of a pod are those that its           *)
(* containers run, and those that it mounts as volumes; departures leave out  *)
(* the latter, or count only the containers.                                  *)
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

RatedImages(Pod) ==
  LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
      Run == [i \in DOMAIN Containers |-> Containers[i].Image]
  IN IF "image-volumes-unrated" \in Departures THEN Run ELSE Run \o Pod.Spec.ImageVolumes

NumberOfImages(Pod) ==
  IF "image-volumes-uncounted" \in Departures THEN Len(Pod.Spec.InitContainers) + Len(Pod.Spec.Containers)
  ELSE Len(RatedImages(Pod))

ImageLocalityScore(Pod, Among, Snapshot) ==
  LET Rated == RatedImages(Pod)
      Holders(Name) == Cardinality({Node \in Nodes(Snapshot) : Name \in ImageNames(Node)})
      Worth(Name) == (ImageSize(Name, Snapshot) * Holders(Name)) \div Cardinality(Nodes(Snapshot))
      Least == 23 * Mebibyte
      Most == 1000 * Mebibyte * NumberOfImages(Pod)
      Here(Node) == Sum([i \in DOMAIN Rated |-> IF Rated[i] \in ImageNames(Node) THEN Worth(Rated[i]) ELSE 0])
  IN [Node \in Among |-> Quotient(Highest * (Max({Min({Here(Node), Most}), Least}) - Least), Most - Least)]
================================================================================

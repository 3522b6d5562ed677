------------------------------ MODULE KubeDevices ------------------------------
(* A choice of devices for claims, and the conditions on it.                  *)
(*                                                                            *)
(* A situation is [Node, Claims, Slots, Offered, Unready, Taken]: the claims  *)
(* to be allocated on a node, their requests in order as pairs of numbers,    *)
(* the devices that its pools offer, whether a pool is incomplete or invalid, *)
(* and the devices already allocated.  A choice is a sequence of              *)
(* [Alternative, Devices], one for each request; Devices is a sequence of     *)
(* offers in the order of their numbers.  It may end before the last request. *)
(*                                                                            *)
(* A request with admin access may use a device that is allocated, and one    *)
(* that an earlier request of another claim takes.  A request without it may  *)
(* not use a device that any earlier request takes.  By departure             *)
(* "device-taints-ignored" the taints of devices are not looked at.           *)
(*                                                                            *)
(* Not modelled: devices that are allocated several times, and requests for   *)
(* capacity.                                                                  *)
EXTENDS KubeClaims, KubePools, Arithmetic

MostResults == 32

DeviceTolerated(Toleration, Taint) ==
  /\ Toleration.Effect \in {"", Taint.Effect}
  /\ Toleration.Key \in {"", Taint.Key}
  /\ \/ Toleration.Operator = "Exists"
     \/ Toleration.Operator \in {"", "Equal"} /\ Toleration.Value = Taint.Value

DeviceUntainted(Device, Part) ==
  \/ "device-taints-ignored" \in Departures
  \/ \A Taint \in {Each \in Device.Taints : Each.Effect \in {"NoSchedule", "NoExecute"}} :
       \E Toleration \in Part.Tolerations : DeviceTolerated(Toleration, Taint)

AllocatedDevices(Snapshot) ==
  LET Holding == {Claim \in ResourceClaims(Snapshot) : Claim.Allocation # Null}
      Results(Claim) == {Claim.Allocation.Results[i] : i \in DOMAIN Claim.Allocation.Results}
  IN {Result.Id : Result \in {Each \in UNION {Results(Claim) : Claim \in Holding} : ~Each.Admin}}

RECURSIVE SlotsFrom(_, _)
SlotsFrom(Claims, i) ==
  IF i > Len(Claims) THEN <<>>
  ELSE [j \in DOMAIN Claims[i].Requests |-> <<i, j>>] \o SlotsFrom(Claims, i + 1)

SituationOf(Node, Claims, Snapshot) ==
  LET Pools == PoolsOf(Node, Snapshot)
  IN [Node |-> Node,
      Claims |-> Claims,
      Slots |-> SlotsFrom(Claims, 1),
      Offered |-> UNION {Pool.Offered : Pool \in Pools},
      Unready |-> \E Pool \in Pools : Pool.Incomplete \/ Pool.Invalid,
      Taken |-> AllocatedDevices(Snapshot)]

Selectable(Part, Offer) == Offer.Device.Number \in Part.Selected /\ Offer.Reached

Admitted(Part, Offer, Situation) ==
  /\ Part.Admin \/ Offer.Id \notin Situation.Taken
  /\ DeviceUntainted(Offer.Device, Part)

AskingAt(Situation, k) ==
  LET Slot == Situation.Slots[k]
  IN Situation.Claims[Slot[1]].Requests[Slot[2]]

PartAt(Situation, Chosen, k) == AskingAt(Situation, k).Parts[Chosen[k].Alternative]

DevicesAt(Chosen, k) == {Chosen[k].Devices[i] : i \in DOMAIN Chosen[k].Devices}

Separate(Situation, Chosen) ==
  \A k \in DOMAIN Chosen : \A l \in 1..(k - 1) :
    \/ {Offer.Id : Offer \in DevicesAt(Chosen, k)} \intersect {Offer.Id : Offer \in DevicesAt(Chosen, l)} = {}
    \/ PartAt(Situation, Chosen, k).Admin /\ Situation.Slots[k][1] # Situation.Slots[l][1]

Covered(Constraint, Asking, Part) ==
  \/ Constraint.Requests = {}
  \/ Asking.Name \in Constraint.Requests
  \/ Part.Name \in Constraint.Requests

Agreeing(Constraint, Offers) ==
  LET Has == {Offer \in Offers : Constraint.Attribute \in DOMAIN Offer.Device.Attributes}
      Values == {Offer.Device.Attributes[Constraint.Attribute] : Offer \in Has}
  IN /\ Has = Offers
     /\ IF Constraint.Distinct THEN Cardinality(Values) = Cardinality(Offers) ELSE Cardinality(Values) <= 1

ConstraintsHold(Situation, Chosen) ==
  \A i \in DOMAIN Situation.Claims : \A Constraint \in Situation.Claims[i].Constraints :
    Agreeing(Constraint, UNION {DevicesAt(Chosen, k) : k \in {Each \in DOMAIN Chosen :
      /\ Situation.Slots[Each][1] = i
      /\ Covered(Constraint, AskingAt(Situation, Each), PartAt(Situation, Chosen, Each))}})

SmallEnough(Situation, Chosen) ==
  \A i \in DOMAIN Situation.Claims :
    LET Own == {k \in DOMAIN Chosen : Situation.Slots[k][1] = i}
    IN Sum([k \in Own |-> Len(Chosen[k].Devices)]) <= MostResults

Consistent(Situation, Chosen) ==
  /\ Separate(Situation, Chosen)
  /\ ConstraintsHold(Situation, Chosen)
  /\ SmallEnough(Situation, Chosen)
================================================================================

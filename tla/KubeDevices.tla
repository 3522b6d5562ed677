------------------------------ MODULE KubeDevices ------------------------------
(* A choice of devices for claims, and the conditions on it.                  *)
(*                                                                            *)
(* A situation is [Node, Claims, Slots, Pools, Offered, Unready, Taken,       *)
(* Shares]: the claims to be allocated on a node, their requests in order as  *)
(* pairs of numbers, the pools of the node and the devices that they offer,   *)
(* whether a pool is incomplete or invalid, the devices already allocated,    *)
(* and the results of claims that share a device.  A choice is a sequence of  *)
(* [Alternative, Devices], one for each request; Devices is a sequence of     *)
(* offers in the order of their numbers.  It may end before the last request. *)
(*                                                                            *)
(* A request with admin access may use a device that is allocated, and one    *)
(* that an earlier request of another claim takes.  A request without it may  *)
(* not use a device that any earlier request takes, unless the device is      *)
(* allocated several times.  By departure "device-taints-ignored" the taints  *)
(* of devices are not looked at, and by "partitionable-devices-unused" a      *)
(* device that consumes counters is not allocated.                            *)
EXTENDS KubeClaims, KubePools, KubeCapacities

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

HeldResults(Snapshot) ==
  LET Holding == {Claim \in ResourceClaims(Snapshot) : Claim.Allocation # Null}
      Places == UNION {{<<Claim, i>> : i \in DOMAIN Claim.Allocation.Results} : Claim \in Holding}
      Result(Place) == Place[1].Allocation.Results[Place[2]]
  IN [Place \in {Each \in Places : ~Result(Each).Admin} |-> Result(Place)]

SharesIn(Held_) ==
  LET Sharing == {Place \in DOMAIN Held_ : Held_[Place].Shared /\ "consumable-capacity-unused" \notin Departures}
  IN [Place \in Sharing |-> Held_[Place]]

RECURSIVE SlotsFrom(_, _)
SlotsFrom(Claims, i) ==
  IF i > Len(Claims) THEN <<>>
  ELSE [j \in DOMAIN Claims[i].Requests |-> <<i, j>>] \o SlotsFrom(Claims, i + 1)

SituationOf(Node, Claims, Snapshot) ==
  LET Pools == PoolsOf(Node, Snapshot)
      Held_ == HeldResults(Snapshot)
      Shares == SharesIn(Held_)
  IN [Node |-> Node,
      Claims |-> Claims,
      Slots |-> SlotsFrom(Claims, 1),
      Pools |-> Pools,
      Offered |-> UNION {Pool.Offered : Pool \in Pools},
      Unready |-> \E Pool \in Pools : Pool.Incomplete \/ Pool.Invalid,
      Taken |-> {Held_[Place].Id : Place \in DOMAIN Held_ \ DOMAIN Shares},
      Shares |-> Shares]

Selectable(Part, Offer) == Offer.Device.Number \in Part.Selected /\ Offer.Reached

Admitted(Part, Offer, Situation) ==
  /\ Part.Admin \/ Offer.Id \notin Situation.Taken
  /\ DeviceUntainted(Offer.Device, Part)
  /\ Offer.Device.Consumes = {} \/ "partitionable-devices-unused" \notin Departures

AskingAt(Situation, k) ==
  LET Slot == Situation.Slots[k]
  IN Situation.Claims[Slot[1]].Requests[Slot[2]]

PartAt(Situation, Chosen, k) == AskingAt(Situation, k).Parts[Chosen[k].Alternative]

DevicesAt(Chosen, k) == {Chosen[k].Devices[i] : i \in DOMAIN Chosen[k].Devices}

UsesBy(Chosen, Some) ==
  UNION {{<<k, Offer>> : Offer \in DevicesAt(Chosen, k)} : k \in Some}

WholeAt(Chosen, k) ==
  {Offer.Id : Offer \in {Each \in DevicesAt(Chosen, k) : ~Several(Each.Device)}}

Separate(Situation, Chosen) ==
  \A k \in DOMAIN Chosen : \A l \in 1..(k - 1) :
    \/ WholeAt(Chosen, k) \intersect WholeAt(Chosen, l) = {}
    \/ PartAt(Situation, Chosen, k).Admin /\ Situation.Slots[k][1] # Situation.Slots[l][1]

Covered(Constraint, Asking, Part) ==
  \/ Constraint.Requests = {}
  \/ Asking.Name \in Constraint.Requests
  \/ Part.Name \in Constraint.Requests

Agreeing(Constraint, Uses) ==
  LET Has == {Use \in Uses : Constraint.Attribute \in DOMAIN Use[2].Device.Attributes}
      Values == {Use[2].Device.Attributes[Constraint.Attribute] : Use \in Has}
  IN /\ Has = Uses
     /\ IF Constraint.Distinct THEN Cardinality(Values) = Cardinality(Uses) ELSE Cardinality(Values) <= 1

ConstraintsHold(Situation, Chosen) ==
  \A i \in DOMAIN Situation.Claims : \A Constraint \in Situation.Claims[i].Constraints :
    Agreeing(Constraint, UsesBy(Chosen, {k \in DOMAIN Chosen :
      /\ Situation.Slots[k][1] = i
      /\ Covered(Constraint, AskingAt(Situation, k), PartAt(Situation, Chosen, k))}))

SmallEnough(Situation, Chosen) ==
  \A i \in DOMAIN Situation.Claims :
    LET Own == {k \in DOMAIN Chosen : Situation.Slots[k][1] = i}
    IN Sum([k \in Own |-> Len(Chosen[k].Devices)]) <= MostResults
================================================================================

----------------------------- MODULE KubeCapacities ----------------------------
(* What an allocation consumes of the capacities of a device.                 *)
(*                                                                            *)
(* A device that is Multiple (allowMultipleAllocations) is allocated as long  *)
(* as its capacities suffice.  Of any other device the requested capacity     *)
(* must exist, and be enough.  Capacity is a function from names to numbers:  *)
(* what the device has, or what a part of a request asks for.                 *)
(*                                                                            *)
(* Policies is a function from names of capacities to [Default, Values,       *)
(* Minimum, Maximum, Step]: how a request is rounded up.  Values is a set,    *)
(* and each of the others a number or Null.  The default is consumed without  *)
(* a request; without a default the whole capacity is.                        *)
(*                                                                            *)
(* By departure "consumable-capacity-unused" capacities are not looked at,    *)
(* and no device is allocated several times.                                  *)
EXTENDS KubeSnapshots, Arithmetic

NoPolicy == [Default |-> Null, Values |-> {}, Minimum |-> Null, Maximum |-> Null, Step |-> Null]

Consumed(Asked_, Size, Policy) ==
  LET Enough == {Value \in Policy.Values : Value >= Asked_}
  IN IF Asked_ = Null THEN IF Policy.Default = Null THEN Size ELSE Policy.Default
     ELSE IF Policy.Minimum = Null THEN IF Enough = {} THEN Asked_ ELSE Min(Enough)
     ELSE IF Policy.Step = Null \/ Asked_ < Policy.Minimum THEN Max({Asked_, Policy.Minimum})
     ELSE Policy.Minimum - ((Policy.Minimum - Asked_) \div Policy.Step) * Policy.Step

Consumption(Part, Device) ==
  [Name \in DOMAIN Device.Capacity |->
    Consumed(IF Name \in DOMAIN Part.Capacity THEN Part.Capacity[Name] ELSE Null,
             Device.Capacity[Name],
             IF Name \in DOMAIN Device.Policies THEN Device.Policies[Name] ELSE NoPolicy)]

AmountAllowed(Amount, Policy) ==
  IF Policy.Default # Null /\ Amount = Policy.Default THEN TRUE
  ELSE IF Policy.Minimum = Null THEN Policy.Values = {} \/ Amount \in Policy.Values
  ELSE /\ Policy.Maximum = Null \/ Amount <= Policy.Maximum
       /\ Policy.Step = Null \/ (Amount - Policy.Minimum) % Policy.Step = 0

Acceptable(Part, Device) ==
  /\ DOMAIN Part.Capacity \subseteq DOMAIN Device.Capacity
  /\ \A Name \in DOMAIN Device.Capacity \intersect DOMAIN Device.Policies :
       AmountAllowed(Consumption(Part, Device)[Name], Device.Policies[Name])

Several(Device) == Device.Multiple /\ "consumable-capacity-unused" \notin Departures

LargeEnough(Part, Device, Before) ==
  \/ "consumable-capacity-unused" \in Departures
  \/ /\ Acceptable(Part, Device)
     /\ \A Name \in DOMAIN Device.Capacity :
          Given(Before, Name) + Consumption(Part, Device)[Name] <= Device.Capacity[Name]
================================================================================

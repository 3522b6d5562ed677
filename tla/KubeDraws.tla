-------------------------------- MODULE KubeDraws ------------------------------
(* What the devices of a choice draw on together: counters of their pools,    *)
(* and capacities of devices that are allocated several times.                *)
(*                                                                            *)
(* Allocated devices count in the counters of a pool as long as it lists      *)
(* them, whether for the node or not.  A device that is allocated several     *)
(* times draws on counters once.  A pool none of whose chosen devices         *)
(* consumes counters may be overdrawn.                                        *)
EXTENDS KubeDevices

SharedDevices(Situation) ==
  {Situation.Shares[Place].Id : Place \in DOMAIN Situation.Shares}

Drawing(Situation, Chosen) ==
  LET Anew(k, Offer) ==
        /\ Offer.Id \notin SharedDevices(Situation)
        /\ \A l \in 1..(k - 1) : Offer \notin DevicesAt(Chosen, l)
  IN {Use \in UsesBy(Chosen, DOMAIN Chosen) : Several(Use[2].Device) => Anew(Use[1], Use[2])}

DrawnBy(Offer, Name, Counter) ==
  Sum([Part \in {Each \in Offer.Device.Consumes : Each.Name = Name} |-> Given(Part.Amounts, Counter)])

CoveredBy(Pool, Situation, Uses) ==
  LET InUse == Situation.Taken \union SharedDevices(Situation)
      Every == Uses \union {<<0, Offer>> : Offer \in {Each \in Pool.Everywhere : Each.Id \in InUse}}
  IN \A Counters \in Pool.Counters : \A Counter \in DOMAIN Counters.Amounts :
       Sum([Use \in Every |-> DrawnBy(Use[2], Counters.Name, Counter)]) <= Counters.Amounts[Counter]

CountersSuffice(Situation, Chosen) ==
  \A Pool \in Situation.Pools :
    LET Uses == {Use \in Drawing(Situation, Chosen) : Use[2].Id[1] = Pool.Driver /\ Use[2].Id[2] = Pool.Name}
    IN (\A Use \in Uses : Use[2].Device.Consumes = {}) \/ CoveredBy(Pool, Situation, Uses)

ConsumedBefore(Situation, Chosen, k, Offer) ==
  LET Places == {Place \in DOMAIN Situation.Shares : Situation.Shares[Place].Id = Offer.Id}
      Uses == {l \in 1..(k - 1) : Several(Offer.Device) /\ Offer \in DevicesAt(Chosen, l)}
      Held_(Name) == Sum([Place \in Places |-> Given(Situation.Shares[Place].Consumed, Name)])
      Earlier(Name) == Sum([l \in Uses |-> Consumption(PartAt(Situation, Chosen, l), Offer.Device)[Name]])
  IN [Name \in DOMAIN Offer.Device.Capacity |-> Held_(Name) + Earlier(Name)]

CapacitiesSuffice(Situation, Chosen) ==
  \A k \in DOMAIN Chosen : \A Offer \in DevicesAt(Chosen, k) :
    LargeEnough(PartAt(Situation, Chosen, k), Offer.Device, ConsumedBefore(Situation, Chosen, k, Offer))

Consistent(Situation, Chosen) ==
  /\ Separate(Situation, Chosen)
  /\ ConstraintsHold(Situation, Chosen)
  /\ CountersSuffice(Situation, Chosen)
  /\ CapacitiesSuffice(Situation, Chosen)
  /\ SmallEnough(Situation, Chosen)
================================================================================

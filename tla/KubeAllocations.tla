---------------------------- MODULE KubeAllocations ----------------------------
(* The allocations of the claims of a pod on a node.                          *)
(*                                                                            *)
(* Those are allowed in which no request could have had an earlier            *)
(* alternative while all requests before it get the same.  Any of them may be *)
(* made.  FirstChoice is the one to which a search with backtracking comes    *)
(* first; the score of a node depends on it.  The allocator fails if a        *)
(* request asks for all devices and a pool is incomplete or invalid, or if a  *)
(* claim asks for more than MostResults devices.                              *)
(*                                                                            *)
(* Not modelled: expressions that fail on a device, and requests for all      *)
(* devices in a claim with constraints, where the search may end in an error. *)
EXTENDS KubeDraws

RECURSIVE Picks(_, _)
Picks(Among, Count) ==
  IF Count = 0 THEN {<<>>}
  ELSE UNION {{<<First>> \o Rest :
         Rest \in Picks({Offer \in Among : Offer.Device.Number > First.Device.Number}, Count - 1)} : First \in Among}

EveryDevice(Situation, Part) ==
  {Offer \in Situation.Offered : Selectable(Part, Offer) /\ LargeEnough(Part, Offer.Device, <<>>)}

Servings(Situation, Part) ==
  LET Wished == {Offer \in Situation.Offered : Selectable(Part, Offer)}
      Every == EveryDevice(Situation, Part)
      Usable(Some) == {Offer \in Some : Admitted(Part, Offer, Situation)}
  IN IF Part.Mode # "All" THEN Picks(Usable(Wished), Part.Count)
     ELSE IF Every = {} \/ Usable(Every) # Every THEN {}
     ELSE Picks(Every, Cardinality(Every))

RECURSIVE ChoicesFrom(_, _)
ChoicesFrom(Situation, Begun) ==
  LET Parts == AskingAt(Situation, Len(Begun) + 1).Parts
      More == UNION {{Append(Begun, [Alternative |-> n, Devices |-> Some]) :
                       Some \in Servings(Situation, Parts[n])} : n \in DOMAIN Parts}
  IN IF Len(Begun) = Len(Situation.Slots) THEN {Begun}
     ELSE UNION {ChoicesFrom(Situation, Chosen) : Chosen \in {Each \in More : Consistent(Situation, Each)}}

Choices(Situation) == ChoicesFrom(Situation, <<>>)

CountOf(Situation, Part) ==
  IF Part.Mode # "All" THEN Part.Count
  ELSE Cardinality(EveryDevice(Situation, Part))

Fails(Situation) ==
  \E i \in DOMAIN Situation.Claims :
    LET Asked_ == Situation.Claims[i].Requests
        Fewest(Asking) == Min({CountOf(Situation, Asking.Parts[n]) : n \in DOMAIN Asking.Parts})
    IN \/ Situation.Unready /\ \E j \in DOMAIN Asked_ : \E n \in DOMAIN Asked_[j].Parts : Asked_[j].Parts[n].Mode = "All"
       \/ Sum([j \in DOMAIN Asked_ |-> Fewest(Asked_[j])]) > MostResults

Allocations(Situation) ==
  LET Every == Choices(Situation)
      Before(Chosen, k) == SubSeq(Chosen, 1, k - 1)
  IN IF Fails(Situation) THEN {}
     ELSE {Chosen \in Every : \A k \in DOMAIN Chosen : \A Other \in Every :
            Before(Other, k) = Before(Chosen, k) => Chosen[k].Alternative <= Other[k].Alternative}

Places(Taken_) == <<Taken_.Alternative>> \o [i \in DOMAIN Taken_.Devices |-> Taken_.Devices[i].Device.Number]

Sooner(One, Other) ==
  \E k \in DOMAIN One :
    /\ \A l \in 1..(k - 1) : One[l] = Other[l]
    /\ LET Mine == Places(One[k])
           Theirs == Places(Other[k])
       IN \E m \in DOMAIN Mine \intersect DOMAIN Theirs :
            /\ \A n \in 1..(m - 1) : Mine[n] = Theirs[n]
            /\ Mine[m] < Theirs[m]

FirstChoice(Situation) ==
  LET Every == Choices(Situation)
  IN CHOOSE Chosen \in Every : \A Other \in Every : Other = Chosen \/ Sooner(Chosen, Other)

ResultOf(Part, Offer) ==
  LET Shared == Several(Offer.Device)
  IN [Request |-> Part.Name, Id |-> Offer.Id, Admin |-> Part.Admin, Shared |-> Shared,
      Consumed |-> IF Shared THEN Consumption(Part, Offer.Device) ELSE <<>>]

RECURSIVE ResultsFrom(_, _, _, _)
ResultsFrom(Situation, Chosen, i, k) ==
  IF k > Len(Chosen) THEN <<>>
  ELSE LET Part == PartAt(Situation, Chosen, k)
           Own == [n \in DOMAIN Chosen[k].Devices |->
                    ResultOf(Part, Chosen[k].Devices[n])]
       IN (IF Situation.Slots[k][1] = i THEN Own ELSE <<>>) \o ResultsFrom(Situation, Chosen, i, k + 1)

UsableOn(Some, Node) ==
  LET Naming == [Key |-> "metadata.name", Operator |-> "In", Values |-> {Node.Name}]
      Terms == UNION {Offer.Terms : Offer \in Some}
      Expressions == UNION {Term.MatchExpressions : Term \in Terms}
      Fields == UNION {Term.MatchFields : Term \in Terms}
  IN IF \E Offer \in Some : Offer.Local THEN {[MatchExpressions |-> {}, MatchFields |-> {Naming}]}
     ELSE IF Expressions \union Fields = {} THEN Null
     ELSE {[MatchExpressions |-> Expressions, MatchFields |-> Fields]}

AllocatedBy(Situation, Chosen) ==
  LET Own(i) == UNION {DevicesAt(Chosen, k) : k \in {Each \in DOMAIN Chosen : Situation.Slots[Each][1] = i}}
  IN [i \in DOMAIN Situation.Claims |->
       [Results |-> ResultsFrom(Situation, Chosen, i, 1), Terms |-> UsableOn(Own(i), Situation.Node)]]
================================================================================

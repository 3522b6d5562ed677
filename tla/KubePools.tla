------------------------------- MODULE KubePools -------------------------------
(* The pools whose devices are accessible from a node.                        *)
(*                                                                            *)
(* A resource slice is                                                        *)
(*   [Kind |-> "ResourceSlice", Name, Driver, Pool, Generation, Slices,       *)
(*    NodeName, AllNodes, Terms, PerDevice, SelectsNodes, Devices, Counters]  *)
(* where Slices is the number of slices of its pool, and Terms a set of       *)
(* node-selector terms or Null.  SelectsNodes says whether the field          *)
(* perDeviceNodeSelection is present, PerDevice whether it is true: then each *)
(* device has its own NodeName, AllNodes and Terms.  Devices is a set of      *)
(* [Number, Name, Attributes, Taints, BindsToNode, NodeName, AllNodes, Terms, *)
(* Consumes, Multiple, Capacity, Policies].  Number is the place of the       *)
(* device in the order in which devices are tried: by driver, pool, slice,    *)
(* and place in the slice.  Attributes is a function from the attributes that *)
(* constraints name to a text of type and value, and Taints a set of [Key,    *)
(* Value, Effect].  KubeCapacities explains Multiple, Capacity and Policies.  *)
(*                                                                            *)
(* Counters are the counter sets that the devices of a pool share, and        *)
(* Consumes says what a device takes of them: both are sets of [Name,         *)
(* Amounts] with one element for a name, where Amounts is a function from the *)
(* names of counters to numbers.                                              *)
(*                                                                            *)
(* Only the slices of the newest generation count.  A pool is incomplete      *)
(* while a driver publishes it, and then serves no claim.  By departure       *)
(* "incomplete-pools-serve" it serves those that do not ask for all devices,  *)
(* and only the slices for the node are counted.  A pool is invalid if a      *)
(* device of the slices for the node, or a counter set of any slice, occurs   *)
(* twice, or if a device consumes a counter that does not exist.              *)
(*                                                                            *)
(* By departure "partitionable-devices-unused" counters make no pool invalid, *)
(* and a slice with counters or with the field perDeviceNodeSelection has no  *)
(* devices for any node; where incomplete pools serve, counters do not        *)
(* matter.                                                                    *)
EXTENDS KubeSnapshots, Selectors

ResourceSlices(Snapshot) == {Object \in Snapshot : Object.Kind = "ResourceSlice"}

SliceAt(Slice, Node) ==
  IF Slice.NodeName # "" THEN Slice.NodeName = Node.Name
  ELSE IF Slice.AllNodes \/ Slice.Terms = Null THEN Slice.AllNodes
  ELSE \E Term \in Slice.Terms : MatchTerm(Term, Node)

Relevant(Slice, Node) ==
  /\ \/ "partitionable-devices-unused" \notin Departures
     \/ /\ ~Slice.SelectsNodes
        /\ Slice.Counters = {} \/ "incomplete-pools-serve" \in Departures
  /\ IF Slice.NodeName # "" \/ Slice.AllNodes \/ Slice.Terms # Null THEN SliceAt(Slice, Node)
     ELSE Slice.PerDevice /\ \E Device \in Slice.Devices : SliceAt(Device, Node)

OffersOf(Slice, Node) ==
  LET Where(Device) == IF Slice.PerDevice THEN Device ELSE Slice
      Terms(Device) == IF Where(Device).Terms = Null THEN {} ELSE Where(Device).Terms
  IN {[Id |-> <<Slice.Driver, Slice.Pool, Device.Name>>,
       Device |-> Device,
       Reached |-> ~Slice.PerDevice \/ SliceAt(Device, Node),
       Local |-> Where(Device).NodeName # "" \/ Device.BindsToNode,
       Terms |-> Terms(Device)] : Device \in Slice.Devices}

NewestOf(Some) ==
  {Slice \in Some : \A Other \in Some : Other.Generation <= Slice.Generation}

Miscounted(Whole) ==
  LET Known == UNION {Slice.Counters : Slice \in Whole}
      Names(Slice) == {Each.Name : Each \in Slice.Counters}
      Devices == UNION {Slice.Devices : Slice \in Whole}
  IN \/ \E One, Other \in Whole : One # Other /\ Names(One) \intersect Names(Other) # {}
     \/ \E Part \in UNION {Device.Consumes : Device \in Devices} : \A Each \in Known :
          Each.Name # Part.Name \/ ~(DOMAIN Part.Amounts \subseteq DOMAIN Each.Amounts)

PoolOf(Every, Node) ==
  LET Here == NewestOf({Slice \in Every : Relevant(Slice, Node)})
      One == CHOOSE Slice \in Here : TRUE
      Serves == "incomplete-pools-serve" \in Departures
      Elsewhere == Cardinality(Here) # One.Slices /\ ~Serves
      Whole == IF Elsewhere THEN {Slice \in Every : Slice.Generation = One.Generation} ELSE Here
      Incomplete == Cardinality(Whole) # One.Slices
      Listing == UNION {OffersOf(Slice, Node) : Slice \in Here}
      Twice == Cardinality({Offer.Id : Offer \in Listing}) < Cardinality(Listing)
      Counted == "partitionable-devices-unused" \notin Departures
      Invalid == Twice \/ (Counted /\ Miscounted(Whole))
      Made(IsInvalid, Offering) ==
        {[Driver |-> One.Driver, Name |-> One.Pool, Incomplete |-> Incomplete, Invalid |-> IsInvalid,
          Offered |-> Offering,
          Everywhere |-> UNION {OffersOf(Slice, Node) : Slice \in Whole},
          Counters |-> UNION {Slice.Counters : Slice \in Whole}]}
  IN IF Here = {} THEN {}
     ELSE IF Elsewhere /\ \E Slice \in Every : Slice.Generation > One.Generation THEN {}
     ELSE IF Incomplete /\ ~Serves THEN Made(FALSE, {})
     ELSE Made(Invalid, IF Invalid THEN {} ELSE Listing)

PoolsOf(Node, Snapshot) ==
  LET Those == ResourceSlices(Snapshot)
      Together(Slice) == {Other \in Those : Other.Driver = Slice.Driver /\ Other.Pool = Slice.Pool}
  IN UNION {PoolOf(Every, Node) : Every \in {Together(Slice) : Slice \in Those}}
================================================================================

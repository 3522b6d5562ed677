--------------------------- MODULE KubeFilterDevices ---------------------------
(* The plugin DynamicResources: the resource claims of a pod can be met on a  *)
(* node, and the score of the node.                                           *)
(*                                                                            *)
(* A claim that is allocated can be used on the nodes of its allocation.  For *)
(* all other claims of the pod together the allocator must find devices.      *)
(* Pods on the node do not count: devices are taken by the allocations of     *)
(* claims.  A device class is [Kind |-> "DeviceClass", Name]; its expressions *)
(* are part of the requests.  The score is 8 less the place of the            *)
(* alternative, summed over the requests that get one there.                  *)
EXTENDS KubeAllocations

DeviceClasses(Snapshot) == {Object \in Snapshot : Object.Kind = "DeviceClass"}

DynamicResourcesSkipped(Pod, Snapshot) ==
  ~WaitsForClaims(Pod, Snapshot) /\ ClaimsOf(Pod, Snapshot) = <<>>

DynamicResourcesRejection(Pod, Snapshot) ==
  LET Waiting == Unallocated(ClaimsOf(Pod, Snapshot))
      Parts(Claim) == UNION {{Claim.Requests[j].Parts[n] : n \in DOMAIN Claim.Requests[j].Parts} :
                              j \in DOMAIN Claim.Requests}
      Names == {Class.Name : Class \in DeviceClasses(Snapshot)}
      Classless == \E i \in DOMAIN Waiting : \E Part \in Parts(Waiting[i]) : Part.DeviceClass \notin Names
  IN IF WaitsForClaims(Pod, Snapshot) \/ Classless THEN Unresolvable("DynamicResources") ELSE Null

AllocationRefusal(Claims, Node, Snapshot) ==
  LET Situation == SituationOf(Node, Claims, Snapshot)
  IN IF Fails(Situation) THEN Failed("DynamicResources")
     ELSE IF Choices(Situation) = {} THEN Unresolvable("DynamicResources")
     ELSE Null

WaitingRefusal(Pod, Node, Snapshot) ==
  LET Waiting == Unallocated(ClaimsOf(Pod, Snapshot))
  IN IF Waiting = <<>> THEN Null ELSE AllocationRefusal(Waiting, Node, Snapshot)

DynamicResourcesRefusal(Pod, Node, Snapshot) ==
  LET Those == ClaimsOf(Pod, Snapshot)
      Found == WaitingRefusal(Pod, Node, Snapshot)
  IN IF Found # Null THEN Found
     ELSE IF \A i \in DOMAIN Those : Available(Those[i], Node) THEN Null
     ELSE Unresolvable("DynamicResources")

MostAlternatives == 8

Earliness(Claim, Allocation) ==
  LET Got == {Allocation.Results[i].Request : i \in DOMAIN Allocation.Results}
      Rated(Asking) ==
        IF ~Asking.Ranked THEN 0
        ELSE Sum([n \in DOMAIN Asking.Parts |->
               IF Asking.Parts[n].Name \in Got THEN MostAlternatives - (n - 1) ELSE 0])
  IN Sum([j \in DOMAIN Claim.Requests |-> Rated(Claim.Requests[j])])

ClaimsRated(Pod, Node, Snapshot) ==
  LET Those == ClaimsOf(Pod, Snapshot)
      Waiting == Unallocated(Those)
      Situation == SituationOf(Node, Waiting, Snapshot)
      Way == AllocatedBy(Situation, FirstChoice(Situation))
      Place(Claim) == CHOOSE i \in DOMAIN Waiting : Waiting[i] = Claim
      Held_(Claim) == IF Claim.Allocation # Null THEN Claim.Allocation ELSE Way[Place(Claim)]
  IN IF Waiting = <<>> \/ Fails(Situation) \/ Choices(Situation) = {} THEN 0
     ELSE Sum([i \in DOMAIN Those |-> Earliness(Those[i], Held_(Those[i]))])

DynamicResourcesScore(Pod, Among, Snapshot) ==
  [Node \in Among |-> ClaimsRated(Pod, Node, Snapshot)]
================================================================================

---------------------------- MODULE FairDeviceCluster --------------------------
(* The instances of the steps of the system with resource claims: those of    *)
(* KubeDeviceCluster that are no events.                                      *)
(*                                                                            *)
(* In an instance of Bind the fourth part has the claims that the binding     *)
(* allocates, each with the names of its devices in the order of the results. *)
(* Which claim PostFilter deallocates is not part of an instance of Wait or   *)
(* Nominate.                                                                  *)
EXTENDS KubeDeviceCluster, NominatingInstances

DeviceVariables == <<Objects, Left, ToEvict, Claims>>

ClaimKey(Claim) == <<Claim.Namespace, Claim.Name>>

NewlyAllocated(Old, New) ==
  LET Waiting == {ClaimKey(Claim) : Claim \in {Each \in Old : Each.Allocation = Null}}
      Names(Results) == [i \in DOMAIN Results |-> Results[i].Id[3]]
  IN {<<ClaimKey(Claim), Names(Claim.Allocation.Results)>> :
       Claim \in {Each \in New : Each.Allocation # Null /\ ClaimKey(Each) \in Waiting}}

NumberedDevices == UNION {Each.Devices : Each \in {Listed_ \in Inventory : Listed_.Kind = "ResourceSlice"}}

(* What a request may get, whatever is taken: the names of so many devices,   *)
(* in the order of their numbers.                                             *)
RECURSIVE NamesAmong(_, _)
NamesAmong(Devices, Count) ==
  IF Count = 0 THEN {<<>>}
  ELSE UNION {{<<First.Name>> \o Rest :
         Rest \in NamesAmong({Each \in Devices : Each.Number > First.Number}, Count - 1)} : First \in Devices}

PartNames(Part) ==
  LET Selected == {Each \in NumberedDevices : Each.Number \in Part.Selected}
  IN IF Part.Mode # "All" THEN NamesAmong(Selected, Part.Count)
     ELSE UNION {NamesAmong(Selected, Count) : Count \in 0..Cardinality(Selected)}

RECURSIVE RequestedNames(_, _)
RequestedNames(Requests, k) ==
  IF k > Len(Requests) THEN {<<>>}
  ELSE LET Parts == Requests[k].Parts
       IN {First \o Rest : First \in UNION {PartNames(Parts[n]) : n \in DOMAIN Parts}, Rest \in RequestedNames(Requests, k + 1)}

(* What the claims of a pod may get: some of them, each one of its names.     *)
RECURSIVE AllottedAmong(_)
AllottedAmong(Some) ==
  IF Some = {} THEN {{}}
  ELSE LET Claim == CHOOSE Each \in Some : TRUE
           Others == AllottedAmong(Some \ {Claim})
       IN Others \union {{<<ClaimKey(Claim), Names>>} \union Other :
                          Names \in RequestedNames(Claim.Requests, 1), Other \in Others}

OwnClaims(Pod) ==
  {Claim \in GivenClaims :
    /\ Claim.Namespace = Pod.Namespace
    /\ \E i \in DOMAIN PodClaims(Pod) : PodClaims(Pod)[i].Claim = Claim.Name}

DeviceInstances ==
  NominatingInstances
    \union UNION {{<<"Bind", Identity(Pod), Name, Allotted>> : Name \in NodeNames, Allotted \in AllottedAmong(OwnClaims(Pod))} :
                   Pod \in Pods(Catalogue)}

AsDeviceInstance(Pod, Made, Outcomes) ==
  IF Made.Kind = "Bind" THEN <<"Bind", Identity(Pod), Made.Node.Name, NewlyAllocated(Claims, Outcomes)>>
  ELSE AsInstance(Pod, Made)

DecisionOfDevices(Instance) ==
  LET Whole == WithDevices(Objects)
  IN /\ Instance[1] \in {"Bind", "Nominate", "Wait"}
     /\ \E Pod \in {Each \in KubeTurn(Whole) : Identity(Each) = Instance[2]} :
          /\ Identity(Pod) \notin {Pair[1] : Pair \in ToEvict}
          /\ \E Made \in KubeDecisions(Pod, Whole) :
               /\ Made.Kind = Instance[1]
               /\ Objects' = KubeAfter(Made, Pod, Objects)
               /\ ToEvict' = DueEvictions(ToEvict \union {<<Identity(Pod), Identity(Victim)>> : Victim \in Made.Victims},
                                          Objects')
               /\ \E Outcomes \in ClaimsAfter(Made, Pod, Whole) :
                    /\ AsDeviceInstance(Pod, Made, Outcomes) = Instance
                    /\ Claims' = Released(Outcomes, Pods(Objects'), ClaimingUids)

DeviceTaken(Instance) ==
  /\ \/ /\ UpkeepOf(Instance) \/ StepOfVictim(Instance)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
        /\ Claims' = Released(Claims, Pods(Objects'), ClaimingUids)
     \/ DecisionOfDevices(Instance)
  /\ UNCHANGED Left
================================================================================

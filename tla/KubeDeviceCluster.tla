---------------------------- MODULE KubeDeviceCluster --------------------------
(* The system with kube-scheduler and resource claims in it: that of          *)
(* KubeCluster, in which a decision changes claims as well.                   *)
(*                                                                            *)
(* Claims holds the resource claims, which change; the resource slices and    *)
(* the device classes of Inventory never do.  The scheduler sees all of them  *)
(* beside Objects.  If several allocations are allowed, each is a step of its *)
(* own.  In each state reached, claims are no longer reserved for pods that   *)
(* are gone: the time until the controller has seen that is not modelled.     *)
EXTENDS KubeClaimChanges, KubeDeciding

CONSTANTS
  GivenClaims,  (* The claims as they are at first.              *)
  Inventory     (* The resource slices, and the device classes.  *)

VARIABLE Claims

WithDevices(Some) == Some \union Claims \union Inventory

ClaimingUids == {PodUid(Pod) : Pod \in {Each \in Pods(Catalogue) : PodClaims(Each) # <<>>}}

DeviceAdmits(Pod, Node, Snapshot) == KubeAdmits(Pod, Node, WithDevices(Snapshot))

DeviceRates(Pod, Node, Snapshot) == KubeRates(Pod, Node, WithDevices(Snapshot))

EveryDeviceDecision(Kinds, Keeps(_, _)) ==
  \A Pod \in KubeTurn(WithDevices(Objects)) : Identity(Pod) \in {Pair[1] : Pair \in ToEvict} \/
    \A Decided \in KubeDecisions(Pod, WithDevices(Objects)) : Decided.Kind \in Kinds => Keeps(Pod, Decided)

DeviceDecision(Pod) ==
  LET Whole == WithDevices(Objects)
  IN /\ Identity(Pod) \notin {Pair[1] : Pair \in ToEvict}
     /\ \E Decided \in KubeDecisions(Pod, Whole) :
          /\ Objects' = KubeAfter(Decided, Pod, Objects)
          /\ ToEvict' = DueEvictions(ToEvict \union {<<Identity(Pod), Identity(Victim)>> : Victim \in Decided.Victims},
                                     Objects')
          /\ \E Outcomes \in ClaimsAfter(Decided, Pod, Whole) :
               Claims' = Released(Outcomes, Pods(Objects'), ClaimingUids)

DeviceInit == Beginning /\ ToEvict = {} /\ Claims = GivenClaims

DeviceNext ==
  \/ /\ ByItself
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Claims' = Released(Claims, Pods(Objects'), ClaimingUids)
  \/ /\ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Claims' = Released(Claims, Pods(Objects'), ClaimingUids)
     /\ UNCHANGED Left
  \/ /\ \E Pod \in KubeTurn(WithDevices(Objects)) : DeviceDecision(Pod)
     /\ UNCHANGED Left

DeviceSpec == DeviceInit /\ [][DeviceNext]_<<Objects, Left, ToEvict, Claims>>
================================================================================

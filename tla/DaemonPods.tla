------------------------------- MODULE DaemonPods ------------------------------
(* The DaemonSet controller: a pod on each of its nodes, replaced by a        *)
(* rolling update.  A rollout is as in RolloutPods.                           *)
EXTENDS RolloutPods

HostFor(Rollout, Pod) ==
  LET Named == {Pair[2] : Pair \in {Each \in Rollout.Hosts : Each[1] = Identity(Pod)}}
  IN IF Pod.Spec.NodeName # "" THEN Pod.Spec.NodeName
     ELSE IF Named = {} THEN ""
     ELSE CHOOSE Name \in Named : TRUE

WantedHosts(Rollout) == {HostFor(Rollout, Rollout.Forms[i]) : i \in DOMAIN Rollout.Forms}

FormOn(Rollout, Host) ==
  Rollout.Forms[CHOOSE i \in DOMAIN Rollout.Forms : HostFor(Rollout, Rollout.Forms[i]) = Host]

PodsOnHost(Rollout, Host, Snapshot) ==
  {Pod \in PodsAmong(KeysOfRollout(Rollout), Snapshot) : HostFor(Rollout, Pod) = Host}

(* The first of some pods by their names; Null without any.                   *)
FirstByName(Rollout, Some) ==
  LET At == {i \in DOMAIN Rollout.Order : \E Pod \in Some : Identity(Pod) = Rollout.Order[i]}
  IN IF At = {} THEN Null ELSE CHOOSE Pod \in Some : Identity(Pod) = Rollout.Order[Min(At)]

FormerOn(Rollout, Host, Snapshot) ==
  FirstByName(Rollout, {Pod \in PodsOnHost(Rollout, Host, Snapshot) : IsActive(Pod) /\ ~FollowsTemplate(Rollout, Pod)})

PresentOn(Rollout, Host, Snapshot) ==
  FirstByName(Rollout, {Pod \in PodsOnHost(Rollout, Host, Snapshot) : IsActive(Pod) /\ FollowsTemplate(Rollout, Pod)})

Stands(Pod, Timed) == IF Pod = Null THEN FALSE ELSE IsAvailable(Pod, Timed)

AbsentHosts(Rollout, Snapshot) ==
  {Host \in WantedHosts(Rollout) : PodsOnHost(Rollout, Host, Snapshot) = {}}

(* The hosts with a former pod and none by the present template.              *)
OutdatedHosts(Rollout, Snapshot) ==
  {Host \in WantedHosts(Rollout) :
    FormerOn(Rollout, Host, Snapshot) # Null /\ PresentOn(Rollout, Host, Snapshot) = Null}

(* The hosts with both.                                                       *)
SurgedHosts(Rollout, Snapshot) ==
  {Host \in WantedHosts(Rollout) :
    FormerOn(Rollout, Host, Snapshot) # Null /\ PresentOn(Rollout, Host, Snapshot) # Null}

(* The former pods that may be deleted: the unavailable ones, and others      *)
(* while few enough are unavailable.                                          *)
ReplaceablePods(Rollout, Timed, Snapshot) ==
  LET Unavailable == {Host \in WantedHosts(Rollout) :
                       /\ ~Stands(FormerOn(Rollout, Host, Snapshot), Timed)
                       /\ ~Stands(PresentOn(Rollout, Host, Snapshot), Timed)}
      Few == Cardinality(Unavailable) < Rollout.Unavailable
      OfOutdated == {FormerOn(Rollout, Host, Snapshot) : Host \in OutdatedHosts(Rollout, Snapshot)}
  IN {Pod \in OfOutdated : Few \/ ~IsAvailable(Pod, Timed)}

(* The hosts whose former pod goes, as its successor is available or it is not ready itself. *)
SucceededHosts(Rollout, Timed, Snapshot) ==
  {Host \in SurgedHosts(Rollout, Snapshot) :
    \/ IsAvailable(PresentOn(Rollout, Host, Snapshot), Timed)
    \/ ~IsReady(FormerOn(Rollout, Host, Snapshot))}

ToCreateByHost(Rollout, Timed, Snapshot) ==
  LET Absent == AbsentHosts(Rollout, Snapshot)
      Surging == Cardinality(SurgedHosts(Rollout, Snapshot) \ SucceededHosts(Rollout, Timed, Snapshot))
      Surged == {Host \in OutdatedHosts(Rollout, Snapshot) :
                  Surging < Rollout.Surge \/ ~IsAvailable(FormerOn(Rollout, Host, Snapshot), Timed)}
      Hosts == IF Absent # {} \/ Rollout.Revision = "" \/ Rollout.Surge = 0 THEN Absent ELSE Surged
  IN {FormOn(Rollout, Host) : Host \in Hosts}

ToDeleteByHost(Rollout, Timed, Snapshot) ==
  LET Elsewhere == {Pod \in ActiveAmong(KeysOfRollout(Rollout), Snapshot) :
                     HostFor(Rollout, Pod) \notin WantedHosts(Rollout)}
      Former == IF AbsentHosts(Rollout, Snapshot) # {} \/ Rollout.Revision = "" THEN {}
                ELSE IF Rollout.Surge = 0 THEN ReplaceablePods(Rollout, Timed, Snapshot)
                ELSE {FormerOn(Rollout, Host, Snapshot) : Host \in SucceededHosts(Rollout, Timed, Snapshot)}
  IN Elsewhere \union Former
================================================================================

--------------------------- MODULE AutoscalerReadings --------------------------
(* What a HorizontalPodAutoscaler may read of the pods of its workload, and   *)
(* what it may recommend then.                                                *)
(*                                                                            *)
(* Fresh holds the identities of the pods that have started and not settled.  *)
(* Such a pod may count as unready, for cpu, or lack metrics; one that has    *)
(* settled has metrics and is ready.  Pods that are read alike use the same.  *)
EXTENDS AutoscalerReplicas, Binding

Runs(Pod) == Pod.Status.Phase = "Running" /\ ~Pod.Terminating

CountsOf(Some, Fresh) ==
  LET Number(Holds(_)) == Cardinality({Pod \in Some : Holds(Pod)})
  IN [Settled |-> Number(LAMBDA Pod : Runs(Pod) /\ Identity(Pod) \notin Fresh),
      Fresh |-> Number(LAMBDA Pod : Runs(Pod) /\ Identity(Pod) \in Fresh),
      Pending |-> Number(LAMBDA Pod : ~Pod.Terminating /\ Pod.Status.Phase = "Pending"),
      Ended |-> Number(LAMBDA Pod : ~Pod.Terminating /\ Pod.Status.Phase = "Succeeded"),
      Leaving |-> Number(LAMBDA Pod : Pod.Terminating /\ Pod.Status.Phase = "Running"),
      All |-> Cardinality(Some)]

(* <<Sum, Count>> for each reading of the measured pods. *)
Measured(Metric, Scaler, Settled, Fresh) ==
  IF Scaler.Starting = {} \/ Metric.Aim # "Utilization"
  THEN {<<Use * (Settled + Fresh), Settled + Fresh>> : Use \in Metric.Values}
  ELSE {<<Use * Settled + Start * Fresh, Settled + Fresh>> :
          Use \in IF Settled > 0 THEN Metric.Values ELSE {0},
          Start \in IF Fresh > 0 THEN Scaler.Starting ELSE {0}}

OfPods(Metric, Scaler, Current, Found, Missing) ==
  LET Known == Found.Fresh - Missing
      Most == IF Metric.SkipsUnready THEN Known ELSE 0
      With(Unready) ==
        {Proposed(Current, Metric, Read[1], Read[2], Missing + Found.Ended, Unready + Found.Pending, Scaler) :
           Read \in Measured(Metric, Scaler, Found.Settled, Known - Unready)}
  IN IF ~Metric.Measurable THEN {Invalid}
     ELSE UNION {With(Unready) : Unready \in (IF Scaler.Probed THEN Most ELSE 0)..Most}

Proposals(Metric, Scaler, Current, Found, Missing) ==
  LET Own == Found.Settled + (IF Scaler.Probed THEN 0 ELSE Found.Fresh)
      Present == Found.Settled + Found.Fresh + Found.Pending
  IN CASE Metric.Aim = "Value" ->
            {ByValue(Current, Metric.Target, Value, Ready, Found.All > 0, Scaler) :
               Value \in Metric.Values, Ready \in Own..(Own + Found.Leaving)}
       [] Metric.Aim = "ValuePerReplica" ->
            {ByShare(Present, Metric.Target, Value, Scaler) : Value \in Metric.Values}
       [] OTHER -> OfPods(Metric, Scaler, Current, Found, Missing)

ProposedTogether(Scaler, Current, Found, Missing) ==
  LET Of(i) == Proposals(Scaler.Metrics[i], Scaler, Current, Found, Missing)
      Every == UNION {Of(i) : i \in DOMAIN Scaler.Metrics}
  IN {Choice \in [DOMAIN Scaler.Metrics -> Every] : \A i \in DOMAIN Choice : Choice[i] \in Of(i)}

Recommendations(Scaler, Current, Found) ==
  LET Wanted == UNION {{Joined(Current, {Choice[i] : i \in DOMAIN Choice}) :
                          Choice \in ProposedTogether(Scaler, Current, Found, Missing)} : Missing \in 0..Found.Fresh}
  IN {Greater(Scaler.Least, Lesser(Each, Scaler.Most)) : Each \in Wanted \ {Invalid}}
================================================================================

--------------------------- MODULE AutoscalerReplicas --------------------------
(* The replicas that a HorizontalPodAutoscaler computes.                      *)
(*                                                                            *)
(* A scaler is                                                                *)
(*   [Workload, Kind, Ordered, Forms, Costs, Replicas, Given, Least, Most,    *)
(*    Metrics, Starting, Probed, Down, Up, Behaves, WaitsDown, WaitsUp].      *)
(* A metric is [Aim, Target, Measurable, SkipsUnready, Full, Values], whose   *)
(* numbers are per cent of the requests for the aim "Utilization", and        *)
(* thousandths otherwise.  Down and Up are the rules of a direction,          *)
(*   [Select, Policies, Tolerance],                                           *)
(* where Tolerance is a fraction <<numerator, denominator>> and Policies a    *)
(* sequence of [Unit, Value].  Without Behaves they hold only the tolerance.  *)
(*                                                                            *)
(* The autoscaler computes with floats.  These are the exact numbers; a       *)
(* scenario for which they could differ is not exported.                      *)
EXTENDS Integers, Sequences, FiniteSets

Invalid == -1  (* The proposal of a metric that cannot be measured. *)

Ceil(Number, By) == -((-Number) \div By)

Lesser(One, Other) == IF One < Other THEN One ELSE Other

Greater(One, Other) == IF One > Other THEN One ELSE Other

Within(Use, Target, Scaler) ==
  LET Down == Scaler.Down.Tolerance
      Up == Scaler.Up.Tolerance
  IN /\ (Down[2] - Down[1]) * Target <= Down[2] * Use
     /\ Up[2] * Use <= (Up[2] + Up[1]) * Target

(* Count pods use Sum together; further ones lack metrics or are not ready. *)
Proposed(Current, Metric, Sum, Count, Lacking, Unready, Scaler) ==
  LET Target == Metric.Target
      Use == Sum \div Count
      Idle == IF Unready > 0 /\ Use > Target THEN Unready ELSE 0
      Assumed == IF Use = Target THEN 0 ELSE Lacking
      Counted == Count + Assumed + Idle
      Anew == (Sum + (IF Use < Target THEN Assumed * Metric.Full ELSE 0)) \div Counted
      Number == Ceil(Anew * Counted, Target)
  IN IF Count = 0 \/ ~Metric.Measurable THEN Invalid
     ELSE IF Idle = 0 /\ Lacking = 0
     THEN IF Within(Use, Target, Scaler) THEN Current ELSE Ceil(Use * Count, Target)
     ELSE IF \/ Within(Anew, Target, Scaler)
             \/ Use < Target /\ Target < Anew
             \/ Anew < Target /\ Target < Use
             \/ Anew < Target /\ Number > Current
             \/ Anew > Target /\ Number < Current
     THEN Current ELSE Number

ByValue(Current, Target, Value, Ready, There, Scaler) ==
  IF Within(Value, Target, Scaler) THEN Current
  ELSE IF ~There THEN Invalid
  ELSE Ceil(Value * Ready, Target)

ByShare(Status, Target, Value, Scaler) ==
  IF Status > 0 /\ Within(Value, Target * Status, Scaler) THEN Status ELSE Ceil(Value, Target)

Joined(Current, Proposals) ==
  LET Valid == {Each \in Proposals : Each # Invalid}
      Most == IF Valid = {} THEN 0 ELSE CHOOSE Each \in Valid : \A Other \in Valid : Other <= Each
  IN IF Valid = {} \/ (Invalid \in Proposals /\ Most < Current) THEN Invalid ELSE Most

Stabilized(Scaler, Current, Wanted, High, Low) ==
  IF Scaler.Behaves
  THEN Lesser(Greater(Current, Lesser(Low, Wanted)), Greater(High, Wanted))
  ELSE Greater(High, Wanted)

Reached(Policy, Current, Up) ==
  IF Policy.Unit = "Pods" THEN (IF Up THEN Current + Policy.Value ELSE Current - Policy.Value)
  ELSE IF Up THEN Ceil(Current * (100 + Policy.Value), 100)
  ELSE IF Policy.Value > 100 THEN 0
  ELSE (Current * (100 - Policy.Value)) \div 100

Limit(Rules, Current, Up) ==
  LET Limits == {Reached(Rules.Policies[i], Current, Up) : i \in DOMAIN Rules.Policies}
      Upper == Up = (Rules.Select = "Max")
  IN IF Rules.Select = "Disabled" THEN Current
     ELSE CHOOSE Each \in Limits : \A Other \in Limits : IF Upper THEN Other <= Each ELSE Each <= Other

Limited(Scaler, Current, Wanted) ==
  LET Slow == Greater(2 * Current, 4)
  IN IF ~Scaler.Behaves THEN Greater(Scaler.Least, Lesser(Wanted, Lesser(Scaler.Most, Slow)))
     ELSE IF Wanted > Current
     THEN Lesser(Wanted, Lesser(Scaler.Most, Greater(Current, Limit(Scaler.Up, Current, TRUE))))
     ELSE IF Wanted < Current
     THEN Greater(Wanted, Greater(Scaler.Least, Lesser(Current, Limit(Scaler.Down, Current, FALSE))))
     ELSE Greater(Scaler.Least, Lesser(Wanted, Scaler.Most))
================================================================================

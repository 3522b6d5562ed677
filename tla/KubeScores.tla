------------------------------ MODULE KubeScores -------------------------------
(* All scores of kube-scheduler together: the plugins with their weights,     *)
(* their sum, and the nodes that may be chosen.                               *)
(*                                                                            *)
(* A plugin that returns Skip at PreScore adds nothing.  An error of any      *)
(* plugin, or a score outside 0 to 100 after normalisation, ends the whole    *)
(* cycle; so does a plugin that needs its PreScore state but is not enabled   *)
(* there, or VolumeBinding or DynamicResources without its PreFilter state.   *)
(* Without any plugin each node has 1.                                        *)
(*                                                                            *)
(* VolumeBinding scores claims of volumes, of which there are none here: each *)
(* node has 0.  By departure "storage-capacity-unrated" it is skipped, and by *)
(* departure "claims-unrated" DynamicResources does not score.                *)
EXTENDS KubeScoreNodes, KubeScoreBalanced, KubeScoreSpread, KubeScoreInterPod, KubeScoreImages,
        KubeFilterDevices

CONSTANT PluginWeights  (* From each score plugin to its weight. *)

ScoreSkipped(Plugin, Pod, Snapshot) ==
  CASE Plugin = "TaintToleration" -> FALSE
    [] Plugin = "NodeAffinity" -> NodeAffinityScoreSkipped(Pod)
    [] Plugin = "NodeResourcesFit" -> FALSE
    [] Plugin = "PodTopologySpread" -> TopologySpreadSkipped(Pod, Snapshot)
    [] Plugin = "InterPodAffinity" -> InterPodAffinityScoreSkipped(Pod, Snapshot)
    [] Plugin = "NodeResourcesBalancedAllocation" -> BalancedAllocationSkipped(Pod)
    [] Plugin \in {"ImageLocality", "DynamicResources"} -> FALSE
    [] Plugin = "VolumeBinding" -> "storage-capacity-unrated" \in Departures

RawScores(Plugin, Pod, Among, Snapshot) ==
  CASE Plugin = "TaintToleration" -> TaintTolerationScore(Pod, Among)
    [] Plugin = "NodeAffinity" -> NodeAffinityScore(Pod, Among)
    [] Plugin = "NodeResourcesFit" -> NodeResourcesFitScore(Pod, Among, Snapshot)
    [] Plugin = "PodTopologySpread" -> TopologySpreadScore(Pod, Among, Snapshot)
    [] Plugin = "InterPodAffinity" -> InterPodAffinityScore(Pod, Among, Snapshot)
    [] Plugin = "NodeResourcesBalancedAllocation" -> BalancedAllocationScore(Pod, Among, Snapshot)
    [] Plugin = "ImageLocality" -> ImageLocalityScore(Pod, Among, Snapshot)
    [] Plugin = "DynamicResources" -> DynamicResourcesScore(Pod, Among, Snapshot)
    [] Plugin = "VolumeBinding" -> [Node \in Among |-> 0]

NormalisedScores(Plugin, Scores, Pod, Snapshot) ==
  CASE Plugin = "TaintToleration" -> NormalisedTaintToleration(Scores)
    [] Plugin = "NodeAffinity" -> NormalisedNodeAffinity(Scores)
    [] Plugin = "PodTopologySpread" -> NormalisedTopologySpread(Scores, Pod, Snapshot)
    [] Plugin = "InterPodAffinity" -> NormalisedInterPodAffinity(Scores)
    [] Plugin = "DynamicResources" -> DefaultNormalised(Scores, FALSE)
    [] OTHER -> Scores

UnpreparedToScore(Plugin) ==
  /\ ~Listed(Plugin, Enabled.preFilter)
  /\ \/ Plugin = "VolumeBinding" /\ "storage-capacity-unrated" \notin Departures
     \/ Plugin = "DynamicResources" /\ "claims-unrated" \notin Departures

ErrorsBefore(Pod) ==
  \/ Listed("NodeAffinity", Enabled.preScore) /\ NodeAffinityError(Pod)
  \/ Listed("VolumeBinding", Enabled.preScore) /\ UnpreparedToScore("VolumeBinding")

ErrorsBetween(Pod, Scoring) ==
  \E Plugin \in Scoring :
    \/ /\ ~Listed(Plugin, Enabled.preScore)
       /\ \/ Plugin \in {"TaintToleration", "PodTopologySpread", "InterPodAffinity"}
          \/ Plugin = "NodeAffinity" /\ NodeAffinityError(Pod)
    \/ UnpreparedToScore(Plugin)

ErrorsAfter(Normalised) ==
  \E Plugin \in DOMAIN Normalised : \E Node \in DOMAIN Normalised[Plugin] :
    Normalised[Plugin][Node] \notin 0..Highest

Best(Sums) == {Node \in DOMAIN Sums : \A Other \in DOMAIN Sums : Sums[Other] <= Sums[Node]}

ScorePlugins ==
  {"TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread",
   "InterPodAffinity", "DynamicResources", "NodeResourcesBalancedAllocation", "ImageLocality"}

Scored(Pod, Among, Snapshot) ==
  LET Those == {Plugin \in ScorePlugins : Listed(Plugin, Enabled.score)}
      Leaving == {Plugin \in ScorePlugins :
        Those # {} /\ Listed(Plugin, Enabled.preScore) /\ ScoreSkipped(Plugin, Pod, Snapshot)}
      Scoring == Those \ Leaving
      Raw == [Plugin \in Scoring |-> RawScores(Plugin, Pod, Among, Snapshot)]
      Normalised == [Plugin \in Scoring |-> NormalisedScores(Plugin, Raw[Plugin], Pod, Snapshot)]
      Weighted == [Plugin \in Scoring |->
        [Node \in Among |-> Normalised[Plugin][Node] * PluginWeights[Plugin]]]
      Sums == [Node \in Among |->
        IF Those = {} THEN 1 ELSE Sum([Plugin \in Scoring |-> Weighted[Plugin][Node]])]
      Errors == ErrorsBefore(Pod) \/ ErrorsBetween(Pod, Scoring) \/ ErrorsAfter(Normalised)
  IN [Error |-> Those # {} /\ Errors, Skipped |-> Leaving,
      Raw |-> Raw, Normalised |-> Normalised, Weighted |-> Weighted, Total |-> Sums, Best |-> Best(Sums)]
================================================================================

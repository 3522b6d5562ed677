------------------------------ MODULE KubeScores -------------------------------
(* The scores of kube-scheduler together: every plugin with its weight, their *)
(* sum, and the nodes that may be chosen.                                     *)
(*                                                                            *)
(* A plugin that is skipped adds nothing; an error of any of them, or a score *)
(* outside 0 to 100 after normalisation, ends the whole cycle. VolumeBinding  *)
(* scores only by a shape that no default gives.                              *)
EXTENDS KubeScoreNodes, KubeScoreBalanced, KubeScoreSpread, KubeScoreInterPod, KubeScoreImages

CONSTANT PluginWeights  (* From each plugin that scores to its weight. *)

ScoreSkipped(Plugin, Pod, Snapshot) ==
  CASE Plugin = "TaintToleration" -> FALSE
    [] Plugin = "NodeAffinity" -> NodeAffinityScoreSkipped(Pod)
    [] Plugin = "NodeResourcesFit" -> FALSE
    [] Plugin = "PodTopologySpread" -> TopologySpreadSkipped(Pod, Snapshot)
    [] Plugin = "InterPodAffinity" -> InterPodAffinityScoreSkipped(Pod, Snapshot)
    [] Plugin = "NodeResourcesBalancedAllocation" -> BalancedAllocationSkipped(Pod)
    [] Plugin = "ImageLocality" -> FALSE
    [] OTHER -> TRUE

RawScores(Plugin, Pod, Among, Snapshot) ==
  CASE Plugin = "TaintToleration" -> TaintTolerationScore(Pod, Among)
    [] Plugin = "NodeAffinity" -> NodeAffinityScore(Pod, Among)
    [] Plugin = "NodeResourcesFit" -> NodeResourcesFitScore(Pod, Among, Snapshot)
    [] Plugin = "PodTopologySpread" -> TopologySpreadScore(Pod, Among, Snapshot)
    [] Plugin = "InterPodAffinity" -> InterPodAffinityScore(Pod, Among, Snapshot)
    [] Plugin = "NodeResourcesBalancedAllocation" -> BalancedAllocationScore(Pod, Among, Snapshot)
    [] Plugin = "ImageLocality" -> ImageLocalityScore(Pod, Among, Snapshot)

NormalisedScores(Plugin, Scores, Pod, Snapshot) ==
  CASE Plugin = "TaintToleration" -> NormalisedTaintToleration(Scores)
    [] Plugin = "NodeAffinity" -> NormalisedNodeAffinity(Scores)
    [] Plugin = "PodTopologySpread" -> NormalisedTopologySpread(Scores, Pod, Snapshot)
    [] Plugin = "InterPodAffinity" -> NormalisedInterPodAffinity(Scores)
    [] OTHER -> Scores

ErrorsBefore(Pod) ==
  (\E i \in DOMAIN Enabled.preScore : Enabled.preScore[i] = "NodeAffinity") /\ NodeAffinityError(Pod)

ErrorsAfter(Normalised) ==
  \E Plugin \in DOMAIN Normalised : \E Node \in DOMAIN Normalised[Plugin] :
    Normalised[Plugin][Node] \notin 0..Highest

Best(Sums) == {Node \in DOMAIN Sums : \A Other \in DOMAIN Sums : Sums[Other] <= Sums[Node]}

Scored(Pod, Among, Snapshot) ==
  LET Plugins == {Enabled.score[i] : i \in DOMAIN Enabled.score}
      Scoring == {Plugin \in Plugins : ~ScoreSkipped(Plugin, Pod, Snapshot)}
      Raw == [Plugin \in Scoring |-> RawScores(Plugin, Pod, Among, Snapshot)]
      Normalised == [Plugin \in Scoring |-> NormalisedScores(Plugin, Raw[Plugin], Pod, Snapshot)]
      Weighted == [Plugin \in Scoring |->
        [Node \in Among |-> Normalised[Plugin][Node] * PluginWeights[Plugin]]]
      Sums == [Node \in Among |-> Sum([Plugin \in Scoring |-> Weighted[Plugin][Node]])]
  IN [Error |-> ErrorsBefore(Pod) \/ ErrorsAfter(Normalised), Skipped |-> Plugins \ Scoring,
      Raw |-> Raw, Normalised |-> Normalised, Weighted |-> Weighted, Total |-> Sums, Best |-> Best(Sums)]
================================================================================

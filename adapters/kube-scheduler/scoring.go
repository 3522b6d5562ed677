package main

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	kube "k8s.io/kube-scheduler/framework"
)

// scored fills in the scores of the feasible nodes, also where the scheduler would not have scored them.
func (made *cycle) scored(into *answer) {
	into.SkipScore = []string{}
	feasible := made.feasible(into)
	if len(feasible) == 0 {
		return
	}
	if !made.with.HasScorePlugins() {
		for _, info := range feasible {
			every := int64(1)
			into.Nodes[info.Node().Name].Total = &every
		}
		return
	}
	if code := made.with.RunPreScorePlugins(made.ctx, made.state, made.pod, feasible); !code.IsSuccess() {
		into.ScoreError = code.AsError().Error()
		return
	}
	into.SkipScore = sets.List(made.state.GetSkipScorePlugins())
	for _, each := range plugins[scorePlugin](made.with, "scorePlugins") {
		if !made.state.GetSkipScorePlugins().Has(each.Name()) {
			made.scoredBy(each, feasible, into)
		}
	}
	totals, code := made.with.RunScorePlugins(made.ctx, made.state, made.pod, feasible)
	if !code.IsSuccess() {
		into.ScoreError, into.SkipScore = code.AsError().Error(), []string{}
		for _, each := range into.Nodes {
			each.Raw, each.Norm = nil, nil
		}
		return
	}
	for _, each := range totals {
		found := into.Nodes[each.Name]
		found.Weighted = map[string]int64{}
		for _, part := range each.Scores {
			if !made.state.GetSkipScorePlugins().Has(part.Name) {
				found.Weighted[part.Name] = part.Score
			}
		}
		total := each.TotalScore
		found.Total = &total
	}
}

func (made *cycle) feasible(into *answer) []kube.NodeInfo {
	found := []kube.NodeInfo{}
	for _, info := range made.nodes {
		if into.Nodes[info.Node().Name].Feasible {
			found = append(found, info)
		}
	}
	return found
}

// scoredBy fills in what one plugin gives each node, before and after it is normalised.
func (made *cycle) scoredBy(plugin scorePlugin, feasible []kube.NodeInfo, into *answer) {
	scores := nodeScoreList{}
	for _, info := range feasible {
		score, code := plugin.Score(made.ctx, made.state, made.pod, info)
		if !code.IsSuccess() {
			return
		}
		scores = append(scores, nodeScore{Name: info.Node().Name, Score: score})
	}
	for _, each := range scores {
		found := into.Nodes[each.Name]
		if found.Raw == nil {
			found.Raw, found.Norm = map[string]int64{}, map[string]int64{}
		}
		found.Raw[plugin.Name()] = each.Score
	}
	normalised := slices.Clone(scores)
	if extensions := plugin.ScoreExtensions(); extensions != nil {
		if code := extensions.NormalizeScore(made.ctx, made.state, made.pod, normalised); !code.IsSuccess() {
			return
		}
	}
	for _, each := range normalised {
		into.Nodes[each.Name].Norm[plugin.Name()] = each.Score
	}
}

// decided fills in the end of the cycle, with all nodes that may be chosen.
func (made *cycle) decided(into *answer) {
	into.Decision = decisionAnswer{Hosts: []string{}}
	nominated := made.pod.Status.NominatedNodeName
	failed := into.PreFilter.Result.Code == kube.Error.String()
	for _, each := range into.Nodes {
		failed = failed || each.First.Code == kube.Error.String() && each.Source == "filter"
	}
	switch {
	case slices.Contains(into.Feasible, nominated):
		into.Decision = decisionAnswer{"scheduled", "nominated", []string{nominated}}
	case failed:
		into.Decision.Kind = "error"
	case len(into.Feasible) == 0:
		into.Decision.Kind = "unschedulable"
	case len(into.Feasible) == 1:
		into.Decision = decisionAnswer{"scheduled", "single", into.Feasible}
	case into.ScoreError != "":
		into.Decision.Kind = "error"
	default:
		into.Decision = decisionAnswer{"scheduled", "scored", best(into)}
	}
}

func best(of *answer) []string {
	found, most := []string{}, int64(-1)
	for _, name := range of.Feasible {
		total := int64(1)
		if of.Nodes[name].Total != nil {
			total = *of.Nodes[name].Total
		}
		if total > most {
			found, most = nil, total
		}
		if total == most {
			found = append(found, name)
		}
	}
	return found
}

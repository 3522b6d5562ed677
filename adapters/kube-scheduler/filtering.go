package main

import (
	"fmt"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	corehelpers "k8s.io/component-helpers/scheduling/corev1"
	kube "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// A cycle is one attempt to place the pod, looked at from outside: each extension point is run by itself.
type cycle struct {
	*world
	with  framework.Framework
	pod   *core.Pod
	state kube.CycleState
	nodes []kube.NodeInfo
}

// gated returns the first plugin that keeps the pod out of the queue.
func (made *cycle) gated() *status {
	for _, each := range made.with.PreEnqueuePlugins() {
		if found := each.PreEnqueue(made.ctx, made.pod); !found.IsSuccess() {
			refused := by(each.Name(), said(found))
			return &refused
		}
	}
	return nil
}

// eachPreFilter returns what each plugin says at PreFilter, also after one has rejected the pod.
func (made *cycle) eachPreFilter() []status {
	state := framework.NewCycleState()
	found := []status{}
	for _, each := range plugins[preFilterPlugin](made.with, "preFilterPlugins") {
		result, code := each.PreFilter(made.ctx, state, made.pod, made.nodes)
		outcome := by(each.Name(), said(code))
		if code.IsSkip() {
			outcome = status{Plugin: each.Name(), Code: "Skip"}
		} else if code.IsSuccess() && !result.AllNodes() {
			outcome.NodeNames = sets.List(result.NodeNames)
		}
		found = append(found, outcome)
	}
	return found
}

// preFiltered runs PreFilter, and returns the nodes to which it narrows the choice, nil for all, with the plugins that
// narrow it.
func (made *cycle) preFiltered(into *answer) (sets.Set[string], sets.Set[string]) {
	result, code, narrowing := made.with.RunPreFilterPlugins(made.ctx, made.state, made.pod)
	into.PreFilter = preFilterAnswer{
		Result:  said(code),
		Skip:    sets.List(made.state.GetSkipFilterPlugins()),
		Plugins: made.eachPreFilter(),
	}
	if code.IsSuccess() && !result.AllNodes() {
		into.PreFilter.NodeNames = sets.List(result.NodeNames)
		return result.NodeNames, narrowing
	}
	return nil, narrowing
}

// filtered fills in what the filters say of every node.
func (made *cycle) filtered(into *answer, named, narrowing sets.Set[string]) {
	into.Nodes = map[string]*nodeAnswer{}
	into.Feasible = []string{}
	if named != nil {
		narrowing = narrowing.Union(made.blamed())
	}
	for _, info := range made.nodes {
		name := info.Node().Name
		found := &nodeAnswer{Source: "filter", All: []status{}}
		into.Nodes[name] = found
		if into.PreFilter.Result.Code != success.Code {
			found.Source, found.First = "preFilter", into.PreFilter.Result
			continue
		}
		if named == nil || named.Has(name) {
			found.First = said(made.with.RunFilterPluginsWithNominatedPods(made.ctx, made.state, made.pod, info))
		} else if name == made.pod.Status.NominatedNodeName {
			found.Source = "nominatedFirst"
			found.First = said(made.with.RunFilterPluginsWithNominatedPods(made.ctx, made.state, made.pod, info))
		} else {
			found.Source = "preFilterResult"
			why := fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(narrowing))
			found.First = status{Code: kube.UnschedulableAndUnresolvable.String(), Reasons: []string{why}}
		}
		found.All = made.refusals(made.state, info)
		found.AllNominated = made.withNominated(info)
		found.Feasible = found.First.Code == success.Code
		if found.Feasible {
			into.Feasible = append(into.Feasible, name)
		}
	}
	into.Feasible = sorted(into.Feasible)
}

// blamed returns the plugin that rejects the nominated node, which is tried before all others.
func (made *cycle) blamed() sets.Set[string] {
	found := sets.New[string]()
	for _, info := range made.nodes {
		if info.Node().Name == made.pod.Status.NominatedNodeName {
			code := made.with.RunFilterPluginsWithNominatedPods(made.ctx, made.state, made.pod, info)
			if code.IsRejected() && code.Plugin() != "" {
				found.Insert(code.Plugin())
			}
		}
	}
	return found
}

// refusals returns what each filter that is not skipped has against a node, in the order in which they run.
func (made *cycle) refusals(state kube.CycleState, info kube.NodeInfo) []status {
	found := []status{}
	for _, each := range plugins[filterPlugin](made.with, "filterPlugins") {
		if made.state.GetSkipFilterPlugins().Has(each.Name()) {
			continue
		}
		if code := each.Filter(made.ctx, state, made.pod, info); !code.IsSuccess() {
			found = append(found, by(each.Name(), said(code)))
		}
	}
	return found
}

// withNominated returns the refusals of a node to which other pods of at least the same priority are nominated, as if
// they were on it; nil if there are none.
func (made *cycle) withNominated(info kube.NodeInfo) []status {
	crowded, state, added := info.Snapshot(), made.state.Clone(), false
	for _, each := range made.with.NominatedPodsForNode(info.Node().Name) {
		if each.GetPod().UID == made.pod.UID || corehelpers.PodPriority(each.GetPod()) < corehelpers.PodPriority(made.pod) {
			continue
		}
		crowded.AddPodInfo(each)
		if code := made.with.RunPreFilterExtensionAddPod(made.ctx, state, made.pod, each, crowded); !code.IsSuccess() {
			return []status{said(code)}
		}
		added = true
	}
	if !added {
		return nil
	}
	return made.refusals(state, crowded)
}

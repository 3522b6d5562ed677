package main

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corehelpers "k8s.io/component-helpers/scheduling/corev1"
	kube "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// patience is how long preemption may take in the background.
const patience = 10 * time.Second

// preempted fills in the candidates for preemption and the message of the event; `why` is what the scheduler said.
//
// Candidates are given also for a pod that may not preempt.
func (made *cycle) preempted(state kube.CycleState, why *framework.FitError, into *answer) error {
	found := &preemptionAnswer{Selected: []string{}}
	into.Preemption = found
	var candidates []preemption.Candidate
	if plugin := made.preemption(); plugin != nil {
		found.dryRunAnswer = &dryRunAnswer{PotentialNodes: []string{}, Candidates: []candidateAnswer{}, NodeStatuses: map[string]status{}}
		statuses := why.Diagnosis.NodeToStatus
		eligible, reason := plugin.PodEligibleToPreemptOthers(made.ctx, made.pod, statuses.Get(made.pod.Status.NominatedNodeName))
		found.Eligible = eligible
		if !eligible {
			found.Reason = reason
		}
		potential, err := statuses.NodesForStatusCode(made.with.SnapshotSharedLister().NodeInfos(), kube.Unschedulable)
		if err != nil {
			return err
		}
		if candidates, err = made.candidates(plugin, state, potential, found.dryRunAnswer); err != nil {
			return err
		}
	}
	made.postFiltered(state, why, candidates, into)
	return nil
}

// preemption returns the plugin that preempts, or nil where the configuration has none.
func (made *cycle) preemption() *defaultpreemption.DefaultPreemption {
	found := plugins[*defaultpreemption.DefaultPreemption](made.with, "postFilterPlugins")
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

func (made *cycle) candidates(
	plugin *defaultpreemption.DefaultPreemption, state kube.CycleState, potential []kube.NodeInfo, found *dryRunAnswer,
) ([]preemption.Candidate, error) {
	for _, info := range potential {
		found.PotentialNodes = append(found.PotentialNodes, info.Node().Name)
	}
	sort.Strings(found.PotentialNodes)
	if len(potential) == 0 {
		return nil, nil
	}
	budgets, err := made.factory.Policy().V1().PodDisruptionBudgets().Lister().List(labels.Everything())
	if err != nil {
		return nil, err
	}
	// A filter that fails on a node is in the statuses too.
	candidates, statuses, _ := plugin.Evaluator.DryRunPreemption(made.ctx, state, made.pod, potential, budgets, 0, int32(len(potential)+1))
	victims := map[string]bool{}
	for _, each := range candidates {
		victims[each.Name()] = true
		found.Candidates = append(found.Candidates, candidateAnswer{each.Name(), keysOf(each.Victims().Pods), each.Victims().NumPDBViolations})
	}
	sort.Slice(found.Candidates, func(i, j int) bool { return found.Candidates[i].Node < found.Candidates[j].Node })
	for _, name := range found.PotentialNodes {
		if !victims[name] {
			found.NodeStatuses[name] = said(statuses.Get(name))
		}
	}
	return candidates, nil
}

func keysOf(pods []*core.Pod) []string {
	found := []string{}
	for _, pod := range pods {
		found = append(found, pod.Namespace+"/"+pod.Name)
	}
	return found
}

// postFiltered runs the real PostFilter, which nominates a node and evicts in the background.
func (made *cycle) postFiltered(
	state kube.CycleState, why *framework.FitError, candidates []preemption.Candidate, into *answer,
) {
	found := into.Preemption
	least := leastDisruptive(candidates)
	clear := map[string][]string{}
	for _, name := range least {
		if losing := made.losing(name); len(losing) > 0 {
			clear[name] = losing
		}
	}
	if !made.with.HasPostFilterPlugins() {
		into.Real.Message = why.Error()
		return
	}
	result, code := made.with.RunPostFilterPlugins(made.ctx, state, made.pod, why.Diagnosis.NodeToStatus)
	made.calm()
	found.RealCode, found.RealMessage = code.Code().String(), code.Message()
	if result != nil && result.NominatingInfo != nil {
		found.RealNominated = result.NominatedNodeName
		into.unnominated = found.RealNominated == ""
	}
	if code.IsSuccess() && found.RealNominated != "" {
		found.Selected = least
		found.ClearNominations = clear
	}
	why.Diagnosis.PostFilterMsg = code.Message()
	into.Real.Message = why.Error()
	if all := messages(why, candidates, found); len(all) > 1 {
		into.Real.Message, into.Real.Messages = "", all
	}
}

// messages returns what the event says for each node that may be nominated, if it names the node.
func messages(why *framework.FitError, candidates []preemption.Candidate, found *preemptionAnswer) []string {
	words := func(of preemption.Candidate) string {
		return fmt.Sprintf("on node %v, preempting %d victims", of.Name(), len(of.Victims().Pods))
	}
	nominated := slices.IndexFunc(candidates, func(each preemption.Candidate) bool { return each.Name() == found.RealNominated })
	if nominated < 0 || !strings.Contains(why.Diagnosis.PostFilterMsg, words(candidates[nominated])) {
		return nil
	}
	var all []string
	for _, each := range candidates {
		if slices.Contains(found.Selected, each.Name()) {
			other := *why
			other.Diagnosis.PostFilterMsg = strings.Replace(why.Diagnosis.PostFilterMsg, words(candidates[nominated]), words(each), 1)
			all = append(all, other.Error())
		}
	}
	return sorted(all)
}

// calm waits until the background has ended what PostFilter began: until then the pod is kept out of the queue.
func (made *cycle) calm() {
	plugin := made.preemption()
	if plugin == nil {
		return
	}
	for end := time.Now().Add(patience); !plugin.PreEnqueue(made.ctx, made.pod).IsSuccess() && time.Now().Before(end); {
		time.Sleep(50 * time.Microsecond)
	}
}

// losing returns the pods of lower priority that are nominated to a node.
func (made *cycle) losing(node string) []string {
	var found []*core.Pod
	for _, each := range made.with.NominatedPodsForNode(node) {
		if corehelpers.PodPriority(each.GetPod()) < corehelpers.PodPriority(made.pod) {
			found = append(found, each.GetPod())
		}
	}
	return sorted(keysOf(found))
}

// leastDisruptive returns the nodes among which the scheduler chooses at random: those that no other one precedes.
func leastDisruptive(candidates []preemption.Candidate) []string {
	var found []string
	var least []float64
	for _, each := range candidates {
		rank := disruption(each)
		order := -1
		if found != nil {
			order = slices.Compare(rank, least)
		}
		if order < 0 {
			found, least = nil, rank
		}
		if order <= 0 {
			found = append(found, each.Name())
		}
	}
	return sorted(found)
}

// endless stands for the start of a pod without one, which counts as the moment at which it is asked for: among such
// pods any may be the latest.
var endless = time.Unix(math.MaxInt32, 0)

// disruption ranks a candidate: violations of budgets, the highest priority of a victim, the sum of priorities, the
// number of victims, and how early the most important victims started; the latest start is the least disruption.
func disruption(of preemption.Candidate) []float64 {
	victims := of.Victims().Pods
	sum := 0.0
	for _, each := range victims {
		sum += float64(corehelpers.PodPriority(each)) + math.MaxInt32 + 1
	}
	start := util.GetEarliestPodStartTime(of.Victims()).Time
	if time.Since(start) < patience {
		start = endless
	}
	return []float64{
		float64(of.Victims().NumPDBViolations),
		float64(corehelpers.PodPriority(victims[0])),
		sum,
		float64(len(victims)),
		-float64(start.Unix()),
	}
}

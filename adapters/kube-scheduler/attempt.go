package main

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// answered returns everything that the scheduler of the question says of the pod.
func (all *worlds) answered(asked *question, checks int) (*answer, error) {
	in, err := all.of(asked)
	if err != nil {
		return nil, err
	}
	with, known := in.real.Profiles[asked.Pod.Spec.SchedulerName]
	if !known {
		return nil, fmt.Errorf("no profile has the name %s", asked.Pod.Spec.SchedulerName)
	}
	if asked.Pod.Spec.NodeName != "" {
		return nil, errors.New("the pod is bound")
	}
	defer in.empty()
	defer in.extended(asked)()
	if err := in.fill(asked.objects()); err != nil {
		return nil, err
	}
	_, nodes, err := in.snapshot(with)
	if err != nil {
		return nil, err
	}
	made := &cycle{world: in, with: with, pod: &asked.Pod, state: framework.NewCycleState(), nodes: nodes}
	return made.whole(asked.ID, checks)
}

// whole runs each extension point by itself, then the scheduler's own attempt.
func (made *cycle) whole(id string, checks int) (*answer, error) {
	into := &answer{ID: id, Version: version, Priority: *made.pod.Spec.Priority, Gated: made.gated()}
	named, narrowing := made.preFiltered(into)
	made.filtered(into, named, narrowing)
	made.scored(into)
	made.decided(into)
	into.SelfCheck = made.agreeing(into, checks)
	state := framework.NewCycleState()
	result, err := schedule(made.ctx, made.real, made.with, state, made.pod)
	into.Real.Host = result.SuggestedHost
	if err == nil {
		return into, nil
	}
	into.Real.Message = err.Error()
	var unfit *framework.FitError
	if errors.As(err, &unfit) {
		if err := made.preempted(state, unfit, into); err != nil {
			return nil, err
		}
	}
	into.SelfCheck = append(into.SelfCheck, into.disagreement(err, result.SuggestedHost)...)
	return into, nil
}

// agreeing compares the answer with the scheduler's own SchedulePod, run many times.
func (made *cycle) agreeing(into *answer, checks int) []string {
	var wrong []string
	seen := map[string]bool{}
	for range checks {
		result, err := schedule(made.ctx, made.real, made.with, framework.NewCycleState(), made.pod)
		seen[result.SuggestedHost] = true
		if wrong = into.disagreement(err, result.SuggestedHost); wrong != nil {
			return wrong
		}
	}
	if checks >= often*len(into.Decision.Hosts) && len(seen) < len(into.Decision.Hosts) {
		wrong = append(wrong, fmt.Sprintf("of %v only %d hosts are chosen", into.Decision.Hosts, len(seen)))
	}
	return wrong
}

// often is how many attempts make it all but certain that each of two hosts is chosen once.
const often = 20

// disagreement returns how one real attempt differs from the answer.
func (into *answer) disagreement(err error, host string) []string {
	kind := "scheduled"
	var unfit *framework.FitError
	switch {
	case errors.As(err, &unfit) || errors.Is(err, scheduler.ErrNoNodesAvailable):
		kind = "unschedulable"
	case err != nil:
		kind = "error"
	}
	if kind != into.Decision.Kind {
		return []string{fmt.Sprintf("SchedulePod: %s (%v), not %s", kind, err, into.Decision.Kind)}
	}
	if kind == "scheduled" && !slices.Contains(into.Decision.Hosts, host) {
		return []string{fmt.Sprintf("SchedulePod: %s, not one of %v", host, into.Decision.Hosts)}
	}
	var wrong []string
	if unfit != nil {
		for name, node := range into.Nodes {
			if first := said(unfit.Diagnosis.NodeToStatus.Get(name)); !same(first, node.First) {
				wrong = append(wrong, fmt.Sprintf("SchedulePod: %s: %v, not %v", name, first, node.First))
			}
		}
	}
	found := into.Preemption
	if found != nil && found.RealCode == success.Code && !slices.Contains(found.Selected, found.RealNominated) {
		wrong = append(wrong, fmt.Sprintf("PostFilter: %s, not one of %v", found.RealNominated, found.Selected))
	}
	return sorted(wrong)
}

func same(one, other status) bool {
	return one.Plugin == other.Plugin && one.Code == other.Code && slices.Equal(one.Reasons, other.Reasons)
}

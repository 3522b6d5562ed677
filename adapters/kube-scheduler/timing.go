package main

import (
	"errors"
	"time"

	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// A timing is how long an attempt takes on average, with the decision of the last one.
type timing struct {
	ID          string `json:"id"`
	Attempts    int    `json:"attempts"`
	Nanoseconds int64  `json:"nanoseconds"`
	Host        string `json:"host"`
	Nominated   string `json:"nominated"`
}

// timed runs the scheduler's own attempt some times, with preemption where no node is feasible, and nothing else.
func (all *worlds) timed(asked *question, attempts int) (*timing, error) {
	in, err := all.of(asked)
	if err != nil {
		return nil, err
	}
	with, known := in.real.Profiles[asked.Pod.Spec.SchedulerName]
	if !known {
		return nil, errors.New("no profile has the name of the pod's scheduler")
	}
	defer in.empty()
	if err := in.fill(asked.objects()); err != nil {
		return nil, err
	}
	if _, _, err := in.snapshot(with); err != nil {
		return nil, err
	}
	made := &cycle{world: in, with: with, pod: &asked.Pod}
	found := &timing{ID: asked.ID, Attempts: attempts}
	began := time.Now()
	for range attempts {
		if _, _, err := in.snapshot(with); err != nil {
			return nil, err
		}
		state := framework.NewCycleState()
		result, err := schedule(in.ctx, in.real, with, state, made.pod)
		found.Host = result.SuggestedHost
		var unfit *framework.FitError
		if errors.As(err, &unfit) && with.HasPostFilterPlugins() {
			after, _ := with.RunPostFilterPlugins(in.ctx, state, made.pod, unfit.Diagnosis.NodeToStatus)
			if after != nil && after.NominatingInfo != nil {
				found.Nominated = after.NominatedNodeName
			}
			made.calm()
		}
	}
	found.Nanoseconds = time.Since(began).Nanoseconds() / int64(attempts)
	return found, nil
}

package main

import (
	"errors"
	"runtime"
	"syscall"
	"time"

	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// A timing is how long an attempt takes on average, by the clock and by the processor time of all threads, with the
// decision of the last one.
type timing struct {
	ID          string `json:"id"`
	Attempts    int    `json:"attempts"`
	Nanoseconds int64  `json:"nanoseconds"`
	Processor   int64  `json:"processor"`
	Host        string `json:"host"`
	Nominated   string `json:"nominated"`
}

// A stopwatch measures attempts, and keeps the cluster of the last question.
type stopwatch struct {
	*session
	times int
	id    string
	last  *cycle
}

// line measures attempts of a new question, or of the last one again.
func (watch *stopwatch) line(text []byte) any {
	if string(text) != `"again"` {
		if err := watch.prepared(text); err != nil {
			return failure{ID: watch.id, Error: err.Error()}
		}
	}
	if watch.last == nil {
		return failure{Error: "there is no question before this one"}
	}
	found, err := watch.last.timed(watch.times)
	if err != nil {
		return failure{ID: watch.id, Error: err.Error()}
	}
	found.ID = watch.id
	return found
}

// prepared puts the cluster of a question in the place of the last one.
func (watch *stopwatch) prepared(text []byte) error {
	if watch.last != nil {
		watch.last.world.empty()
		watch.last = nil
	}
	asked, err := read(text, watch.stored)
	if err != nil {
		return err
	}
	watch.id = asked.ID
	if asked.Configuration == nil {
		asked.Configuration = watch.configuration
	}
	if !watch.stored && len(asked.illegal()) > 0 {
		return errors.New("illegal")
	}
	in, err := watch.of(asked)
	if err != nil {
		return err
	}
	with, known := in.real.Profiles[asked.Pod.Spec.SchedulerName]
	if !known {
		return errors.New("no profile has the name of the pod's scheduler")
	}
	if err := in.fill(asked.objects()); err != nil {
		in.empty()
		return err
	}
	watch.last = &cycle{world: in, with: with, pod: &asked.Pod}
	return nil
}

// timed runs the scheduler's own attempt some times, with preemption where no node is feasible, and nothing else. The
// evictions, which follow a nomination in the background, are waited for and not measured.
func (made *cycle) timed(attempts int) (*timing, error) {
	in, with := made.world, made.with
	if _, _, err := in.snapshot(with); err != nil {
		return nil, err
	}
	runtime.GC()
	found := &timing{Attempts: attempts}
	var clock, busy time.Duration
	for range attempts {
		began, used := time.Now(), processor()
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
		}
		clock, busy = clock+time.Since(began), busy+processor()-used
		if found.Nominated != "" {
			made.calm()
		}
	}
	found.Nanoseconds = clock.Nanoseconds() / int64(attempts)
	found.Processor = busy.Nanoseconds() / int64(attempts)
	return found, nil
}

// processor returns the processor time of all threads of this process.
func processor() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

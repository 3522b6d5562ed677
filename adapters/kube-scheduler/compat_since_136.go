//go:build kube136 || kube137

package main

import (
	"context"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	kube "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/apis/storage"
	"k8s.io/kubernetes/pkg/apis/storage/validation"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

func recorders() profile.RecorderFactory {
	return func(string) events.EventRecorderLogger { return &events.FakeRecorder{} }
}

// schedule is the scheduler's own attempt.
func schedule(
	ctx context.Context, real *scheduler.Scheduler, with framework.Framework, state kube.CycleState, pod *core.Pod,
) (scheduler.ScheduleResult, error) {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return scheduler.ScheduleResult{}, err
	}
	return real.SchedulePod(ctx, with, state, &framework.QueuedPodInfo{PodInfo: info})
}

func errorsOfCSINode(node *storage.CSINode) field.ErrorList {
	return validation.ValidateCSINode(node)
}

// A done activity is one that nobody has to wait for.
type done struct{}

func (done) Name() string { return "filled by hand" }

func (done) Done() <-chan struct{} {
	closed := make(chan struct{})
	close(closed)
	return closed
}

func (*filled) HasSyncedChecker() cache.DoneChecker { return done{} }

func (registration) HasSyncedChecker() cache.DoneChecker { return done{} }

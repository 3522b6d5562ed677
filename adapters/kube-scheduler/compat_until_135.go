//go:build kube134 || kube135

package main

import (
	"context"

	core "k8s.io/api/core/v1"
	taints "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/events"
	kube "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/apis/storage"
	"k8s.io/kubernetes/pkg/apis/storage/validation"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// deviceTaintRule has this version until Kubernetes 1.35.
type deviceTaintRule = taints.DeviceTaintRule

func recorders() profile.RecorderFactory {
	return func(string) events.EventRecorder { return &events.FakeRecorder{} }
}

// schedule is the scheduler's own attempt.
func schedule(
	ctx context.Context, real *scheduler.Scheduler, with framework.Framework, state kube.CycleState, pod *core.Pod,
) (scheduler.ScheduleResult, error) {
	return real.SchedulePod(ctx, with, state, pod)
}

func errorsOfCSINode(node *storage.CSINode) field.ErrorList {
	return validation.ValidateCSINode(node, validation.CSINodeValidationOptions{})
}

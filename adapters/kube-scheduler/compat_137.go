//go:build kube137

package main

import (
	core "k8s.io/api/core/v1"
	taints "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1beta1"
	"k8s.io/kubernetes/pkg/scheduler"
)

// deviceTaintRule has this version in Kubernetes 1.37.
type deviceTaintRule = taints.DeviceTaintRule

// podGroup has this version in Kubernetes 1.37.
type podGroup = scheduling.PodGroup

// groupGates are those of gang scheduling in Kubernetes 1.37. Without SchedulerAsyncPreemption the victims of a group are
// deleted before its cycle ends.
var groupGates = map[string]bool{"GenericWorkload": true, "SchedulerAsyncPreemption": false}

// queuedOrder returns none: pods of a group are queued in the order in which they are created.
func queuedOrder(*scheduler.Scheduler, []core.Pod) []string { return nil }

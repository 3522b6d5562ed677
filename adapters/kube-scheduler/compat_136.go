//go:build kube136

package main

import (
	"sort"

	core "k8s.io/api/core/v1"
	taints "k8s.io/api/resource/v1beta2"
	scheduling "k8s.io/api/scheduling/v1alpha2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// deviceTaintRule has this version in Kubernetes 1.36.
type deviceTaintRule = taints.DeviceTaintRule

// podGroup has this version in Kubernetes 1.36.
type podGroup = scheduling.PodGroup

// groupGates are those of gang scheduling in Kubernetes 1.36. A pod of a group preempts by itself within the cycle;
// without SchedulerAsyncPreemption its victims are deleted before the cycle ends.
var groupGates = map[string]bool{"GenericWorkload": true, "GangScheduling": true, "SchedulerAsyncPreemption": false}

// queuedOrder returns the names of the queued pods by priority, then by when each entered the active queue first.
func queuedOrder(real *scheduler.Scheduler, pods []core.Pod) []string {
	var queued []*framework.QueuedPodInfo
	for i := range pods {
		found, is := real.SchedulingQueue.GetPod(pods[i].Name, pods[i].Namespace)
		if is && found.InitialAttemptTimestamp != nil && !found.Gated() {
			queued = append(queued, found)
		}
	}
	sort.SliceStable(queued, func(i, j int) bool {
		one, other := priority(queued[i].Pod), priority(queued[j].Pod)
		before := queued[i].InitialAttemptTimestamp.Before(*queued[j].InitialAttemptTimestamp)
		return one > other || one == other && before
	})
	var names []string
	for _, each := range queued {
		names = append(names, each.Pod.Name)
	}
	return names
}

func priority(pod *core.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

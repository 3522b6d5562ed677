package main

import (
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// objects returns all objects in the order in which the scheduler learns of them: what pods refer to, nodes, bound
// pods, pending pods, the pod in question.
func (asked *question) objects() []runtime.Object {
	var all []runtime.Object
	all = append(all, pointers[core.Namespace](asked.Namespaces)...)
	all = append(all, pointers[priorityClass](asked.PriorityClasses)...)
	all = append(all, pointers[service](asked.Services)...)
	all = append(all, pointers[replicaSet](asked.ReplicaSets)...)
	all = append(all, pointers[statefulSet](asked.StatefulSets)...)
	all = append(all, pointers[replicationController](asked.ReplicationControllers)...)
	all = append(all, pointers[budget](asked.Budgets)...)
	all = append(all, asked.claimed()...)
	all = append(all, pointers[core.Node](asked.Nodes)...)
	for _, bound := range []bool{true, false} {
		for i := range asked.Pods {
			if pod := &asked.Pods[i]; (pod.Spec.NodeName != "") == bound && !finished(pod) && !asked.same(pod) {
				all = append(all, pod)
			}
		}
	}
	return append(all, &asked.Pod)
}

// claimed returns the objects of storage and of devices.
func (asked *question) claimed() []runtime.Object {
	var all []runtime.Object
	all = append(all, pointers[storageClass](asked.Classes)...)
	all = append(all, pointers[csiDriver](asked.CSIDrivers)...)
	all = append(all, pointers[csiNode](asked.CSINodes)...)
	all = append(all, pointers[capacity](asked.Capacities)...)
	all = append(all, pointers[volume](asked.Volumes)...)
	all = append(all, pointers[claim](asked.Claims)...)
	all = append(all, pointers[attachment](asked.Attachments)...)
	all = append(all, pointers[deviceClass](asked.DeviceClasses)...)
	all = append(all, pointers[resourceSlice](asked.ResourceSlices)...)
	all = append(all, pointers[resourceClaim](asked.ResourceClaims)...)
	return append(all, pointers[deviceTaintRule](asked.DeviceTaintRules)...)
}

func (asked *question) same(pod *core.Pod) bool {
	return pod.Namespace == asked.Pod.Namespace && pod.Name == asked.Pod.Name
}

// An object is a pointer to a value that the API knows.
type object[Value any] interface {
	*Value
	runtime.Object
}

func pointers[Value any, Pointer object[Value]](values []Value) []runtime.Object {
	all := make([]runtime.Object, len(values))
	for i := range values {
		all[i] = Pointer(&values[i])
	}
	return all
}

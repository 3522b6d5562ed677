package main

import (
	core "k8s.io/api/core/v1"
	extender "k8s.io/kube-scheduler/extender/v1"
	kube "k8s.io/kube-scheduler/framework"
)

// A refusing extender refuses the nodes of a question, each with a reason, in a way that evictions may resolve. It is
// asked for nothing else.
type refusing struct {
	anyExtender
	reasons map[string]string
}

// extended makes the scheduler ask the extender of a question, and returns what undoes that.
func (in *world) extended(asked *question) func() {
	if len(asked.ExtenderRefuses) > 0 {
		in.real.Extenders = []anyExtender{refusing{reasons: asked.ExtenderRefuses}}
	}
	return func() { in.real.Extenders = nil }
}

func (refusing) Name() string { return "refusing" }

func (refusing) IsInterested(*core.Pod) bool { return true }

func (refusing) IsFilter() bool { return true }

func (refusing) IsPrioritizer() bool { return false }

func (refusing) IsIgnorable() bool { return false }

// Prioritize rates no node: a version may ask although the extender rates none.
func (refusing) Prioritize(*core.Pod, []kube.NodeInfo) (*extender.HostPriorityList, int64, error) {
	return &extender.HostPriorityList{}, 0, nil
}

// Filter keeps the nodes without a reason.
func (with refusing) Filter(_ *core.Pod, nodes []kube.NodeInfo) (
	[]kube.NodeInfo, extender.FailedNodesMap, extender.FailedNodesMap, error,
) {
	var left []kube.NodeInfo
	failed := extender.FailedNodesMap{}
	for _, each := range nodes {
		name := each.Node().Name
		if reason, refused := with.reasons[name]; refused {
			failed[name] = reason
		} else {
			left = append(left, each)
		}
	}
	return left, failed, nil, nil
}

//go:build kube134

package main

import "k8s.io/kubernetes/pkg/scheduler/framework"

// What Kubernetes 1.34 has in another package than later minors.
type (
	nodeScore       = framework.NodeScore
	nodeScoreList   = framework.NodeScoreList
	preFilterPlugin = framework.PreFilterPlugin
	filterPlugin    = framework.FilterPlugin
	scorePlugin     = framework.ScorePlugin
	anyExtender     = framework.Extender
)

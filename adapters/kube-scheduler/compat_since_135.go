//go:build kube135 || kube136 || kube137

package main

import kube "k8s.io/kube-scheduler/framework"

// What Kubernetes has in another package since 1.35.
type (
	nodeScore       = kube.NodeScore
	nodeScoreList   = kube.NodeScoreList
	preFilterPlugin = kube.PreFilterPlugin
	filterPlugin    = kube.FilterPlugin
	scorePlugin     = kube.ScorePlugin
	anyExtender     = kube.Extender
)

//go:build kube137

package main

import taints "k8s.io/api/resource/v1"

// deviceTaintRule has this version in Kubernetes 1.37.
type deviceTaintRule = taints.DeviceTaintRule

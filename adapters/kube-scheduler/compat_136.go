//go:build kube136

package main

import taints "k8s.io/api/resource/v1beta2"

// deviceTaintRule has this version in Kubernetes 1.36.
type deviceTaintRule = taints.DeviceTaintRule

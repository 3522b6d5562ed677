//go:build !kube137

package main

import (
	"k8s.io/apimachinery/pkg/runtime"
)

func alsoWatched() []runtime.Object { return nil }

// group refuses a question: the cycle of a PodGroup is compared for 1.37 alone.
func (with *session) group([]byte) any { return failure{Error: "PodGroups are asked of 1.37 alone"} }

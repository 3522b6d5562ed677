//go:build !kube136 && !kube137

package main

import (
	"k8s.io/apimachinery/pkg/runtime"
)

func alsoWatched() []runtime.Object { return nil }

// group refuses a question: the cycle of a PodGroup is compared since 1.36.
func (with *session) group([]byte) any { return failure{Error: "PodGroups are asked since 1.36"} }

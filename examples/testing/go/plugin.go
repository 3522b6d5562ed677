package scheduler

import "fmt"

// Verdict is the Status of the scheduling framework, with the name of its code.
type Verdict struct {
	Code    string
	Reasons []string
}

// TaintToleration is a Filter plugin: it refuses the nodes that have a taint which the pod does not tolerate.
type TaintToleration struct{}

func (TaintToleration) Name() string { return "TaintToleration" }

// Filter returns nil if the pod may be on the node.
func (TaintToleration) Filter(pod, node Object) *Verdict {
	taint := untolerated(pod, node.Spec.Taints)
	if taint == nil {
		return nil
	}
	reason := fmt.Sprintf("node(s) had untolerated taint {%s: %s}", taint.Key, taint.Value)
	return &Verdict{"UnschedulableAndUnresolvable", []string{reason}}
}

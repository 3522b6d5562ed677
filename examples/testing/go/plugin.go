package scheduler

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
	if untolerated(pod, node.Spec.Taints) == nil {
		return nil
	}
	return &Verdict{"UnschedulableAndUnresolvable", []string{"node(s) had untolerated taint(s)"}}
}
